/**
 * @fileoverview HTML from strangers, down to a few harmless elements, through the package sanitize-html.
 * @module app/sanitization/html
 */
import { createRequire } from "node:module";
import type { IOptions } from "sanitize-html";
import { parseText } from "./refusal.js";

/** Options of `sanitizeHtml`. What is not allowed is removed. What runs or loads something cannot be allowed. */
export interface SanitizeHtmlOptions {
  /** @default headings, paragraphs, lists, tables, emphasis, code, quotes and links */
  readonly allowedTags?: readonly string[];
  /** By element. @default `href` and `title` of links, spans of table cells */
  readonly allowedAttributes?: Readonly<Record<string, readonly string[]>>;
  /** Of links. @default http, https and mailto */
  readonly allowedSchemes?: readonly string[];
  /**
   * Longest input, in characters.
   * @default 100000
   */
  readonly maxLength?: number;
}

/** The function that the package sanitize-html exports. */
export type HtmlCleaner = (html: string, options?: object) => string;

/** Creates `sanitizeHtml` on a cleaner. Without one, sanitize-html is loaded on first use. */
export function createHtmlSanitizer(
  cleaner?: HtmlCleaner,
): (input: unknown, options?: SanitizeHtmlOptions) => string {
  let clean = cleaner;
  return (input, options = {}) => {
    const html = parseText("HTML", input, options.maxLength ?? 100_000);
    const settings = toSettings(options);
    clean ??= loadCleaner();
    // A lone surrogate and NUL mean different things to different parsers.
    return cleanUntilStable(clean, html.replace(/\p{Cs}|\0/gu, ""), settings);
  };
}

/**
 * What goes may leave behind elements that a parser nests otherwise (`<p><object><div>` without the object), and
 * HTML that reads differently the second time is how attacks slip through. What never settles loses every element.
 */
function cleanUntilStable(clean: HtmlCleaner, html: string, settings: IOptions): string {
  let before = clean(html, settings);
  for (let pass = 1; pass < MAX_PASSES; pass++) {
    const after = clean(before, settings);
    if (after === before) return after;
    before = after;
  }
  return clean(before, { ...settings, allowedTags: [] });
}

const ALLOWED_TAGS = (
  "h1 h2 h3 h4 h5 h6 p br hr ul ol li dl dt dd b i strong em s u sub sup code pre kbd blockquote div span " +
  "table caption thead tbody tfoot tr th td a"
).split(" ");
const ALLOWED_ATTRIBUTES = { a: ["href", "title"], th: ["colspan", "rowspan"], td: ["colspan", "rowspan"] };
const ALLOWED_SCHEMES = ["http", "https", "mailto"];

/** Elements that run, load, submit or change how the rest is parsed. */
const FORBIDDEN_TAGS = new Set(
  (
    "script style iframe frame frameset object embed applet base link meta form input button textarea select " +
    "option svg math template noscript xmp plaintext noembed noframes title html head body portal"
  ).split(" "),
);
const FORBIDDEN_SCHEMES = new Set(["javascript", "vbscript", "data", "blob", "file", "about", "view-source"]);

/** Deepest nesting that is kept. */
const MAX_NESTING = 100;

/** How often a result is cleaned again to see that it stays as it is; two is usual, three was the most met. */
const MAX_PASSES = 6;

const settingsByOptions = new WeakMap<SanitizeHtmlOptions, IOptions>();

function toSettings(options: SanitizeHtmlOptions): IOptions {
  const known = settingsByOptions.get(options);
  if (known !== undefined) return known;
  const {
    allowedTags = ALLOWED_TAGS,
    allowedAttributes = ALLOWED_ATTRIBUTES,
    allowedSchemes = ALLOWED_SCHEMES,
  } = options;
  assertSettings(allowedTags, allowedAttributes, allowedSchemes);
  const attributes = Object.fromEntries(
    Object.entries(allowedAttributes).map(([tag, names]) => [tag, [...names]]),
  );
  const settings: IOptions = {
    allowedTags: [...allowedTags],
    allowedAttributes: { ...attributes, a: [...(attributes["a"] ?? []), "rel"] },
    allowedSchemes: [...allowedSchemes],
    allowedSchemesAppliedToAttributes: [
      "href",
      "src",
      "cite",
      "action",
      "poster",
      "background",
      "formaction",
    ],
    allowProtocolRelative: false,
    disallowedTagsMode: "discard",
    nestingLimit: MAX_NESTING,
    parser: { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
    // A page that a link opens must not get hold of ours, nor learn where the reader came from.
    transformTags: {
      a: (tagName, attribs) => ({ tagName, attribs: { ...attribs, rel: "noopener noreferrer nofollow" } }),
    },
  };
  settingsByOptions.set(options, settings);
  return settings;
}

/** Asserts that the settings can be made safe. @throws a plain `Error`, because the developer chose them */
function assertSettings(
  tags: readonly string[],
  attributes: Readonly<Record<string, readonly string[]>>,
  schemes: readonly string[],
): void {
  for (const tag of tags) {
    if (FORBIDDEN_TAGS.has(tag.toLowerCase())) throw new Error(`<${tag}> cannot be allowed`);
  }
  for (const name of Object.values(attributes).flat()) {
    if (/^on|[*]|^(style|srcdoc|id|name|is|xmlns)$/i.test(name)) {
      throw new Error(`the attribute ${name} cannot be allowed`);
    }
  }
  for (const scheme of schemes) {
    if (FORBIDDEN_SCHEMES.has(scheme.toLowerCase().replace(/:$/, ""))) {
      throw new Error(`the scheme ${scheme} cannot be allowed`);
    }
  }
}

/**
 * Loads sanitize-html on first use, because its parsers would add to the start of every program that imports this
 * package. It is CommonJS, so callers need not wait.
 */
function loadCleaner(): HtmlCleaner {
  return createRequire(import.meta.url)("sanitize-html") as HtmlCleaner; // as its declarations say
}
