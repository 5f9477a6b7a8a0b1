/**
 * @fileoverview Reduces untrusted HTML to a few harmless elements, using the sanitize-html package.
 * @module app/sanitization/html
 */
import { createRequire } from "node:module";
import type { IOptions } from "sanitize-html";
import { parseText } from "./refusal.js";

/** Options for `sanitizeHtml`. Anything that is not allowed is removed. Unsafe elements cannot be allowed. */
export interface SanitizeHtmlOptions {
  /** Elements to keep. @default headings, paragraphs, lists, tables, emphasis, code, quotes, and links */
  readonly allowedTags?: readonly string[];
  /** Attributes to keep, by element. @default `href` and `title` for links, `colspan` and `rowspan` for cells */
  readonly allowedAttributes?: Readonly<Record<string, readonly string[]>>;
  /** URL schemes to allow in attributes. @default http, https, and mailto */
  readonly allowedSchemes?: readonly string[];
  /**
   * Maximum input length, in characters.
   * @default 100000
   */
  readonly maxLength?: number;
}

/** The function that sanitize-html exports. */
export type HtmlCleaner = (html: string, options?: object) => string;

/** Creates `sanitizeHtml` with the given cleaner. By default, sanitize-html is loaded on first use. */
export function createHtmlSanitizer(
  cleaner?: HtmlCleaner,
): (input: unknown, options?: SanitizeHtmlOptions) => string {
  let clean = cleaner;
  return (input, options = {}) => {
    const html = parseText("HTML", input, options.maxLength ?? 100_000);
    const settings = toSettings(options);
    clean ??= loadCleaner();
    // HTML parsers disagree about lone surrogates and NUL, so these are removed first.
    return cleanUntilStable(clean, html.replace(/\p{Cs}|\0/gu, ""), settings);
  };
}

/**
 * Cleans until the result is stable. Removing an element can leave markup that a parser nests differently, such as
 * `<p><div>` from `<p><object><div>`. HTML that parses differently the second time enables mutation XSS. If the result
 * never becomes stable, all elements are removed.
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

/** Elements that run code, load content, submit data, or change how the HTML after them is parsed. */
const FORBIDDEN_TAGS = new Set(
  (
    "script style iframe frame frameset object embed applet base link meta form input button textarea select " +
    "option svg math template noscript xmp plaintext noembed noframes title html head body portal"
  ).split(" "),
);
const FORBIDDEN_SCHEMES = new Set(["javascript", "vbscript", "data", "blob", "file", "about", "view-source"]);

/** Maximum nesting depth of elements. */
const MAX_NESTING = 100;

/** Maximum number of cleaning passes. Two are typical, and more than three have not been observed. */
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
    // Linked pages must not access this window or see the referrer.
    transformTags: {
      a: (tagName, attribs) => ({ tagName, attribs: { ...attribs, rel: "noopener noreferrer nofollow" } }),
    },
  };
  settingsByOptions.set(options, settings);
  return settings;
}

/** Asserts that the options are safe. @throws a plain `Error`, because this is a mistake by the developer */
function assertSettings(
  tags: readonly string[],
  attributes: Readonly<Record<string, readonly string[]>>,
  schemes: readonly string[],
): void {
  for (const tag of tags) {
    if (FORBIDDEN_TAGS.has(tag.toLowerCase()))
      throw new Error(`\`allowedTags\` must not contain the unsafe element "${tag}".`);
  }
  for (const name of Object.values(attributes).flat()) {
    if (/^on|[*]|^(style|srcdoc|id|name|is|xmlns)$/i.test(name)) {
      throw new Error(`\`allowedAttributes\` must not contain the unsafe attribute "${name}".`);
    }
  }
  for (const scheme of schemes) {
    if (FORBIDDEN_SCHEMES.has(scheme.toLowerCase().replace(/:$/, ""))) {
      throw new Error(`\`allowedSchemes\` must not contain the unsafe scheme "${scheme}".`);
    }
  }
}

/**
 * Loads sanitize-html on first use, because it would slow down the start of every program that imports this package.
 * It is a CommonJS package, so it can be loaded synchronously.
 */
function loadCleaner(): HtmlCleaner {
  return createRequire(import.meta.url)("sanitize-html") as HtmlCleaner; // matches its type declarations
}
