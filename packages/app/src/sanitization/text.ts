/**
 * @fileoverview Text from strangers, made fit for the place it goes to.
 * @module app/sanitization/text
 */
import { parseText, refuseInput } from "./refusal.js";
import { sanitizeUrl } from "./url.js";

/**
 * Destination of text. `text`: into a page, without any markup. `plain`: to a file, a terminal, a database or a model,
 * its letters as they are. `html`: into a page, with harmless markup. `attribute`: into a quoted attribute. `url`: an
 * address. `javascript` is refused always: no text from outside is safe there.
 */
export type StringContext = "text" | "plain" | "html" | "attribute" | "url" | "javascript";

/** Options of `sanitizeString`. */
export interface SanitizeStringOptions {
  /** @default "text" */
  readonly context?: StringContext;
  /**
   * Longest input, in characters.
   * @default 100000
   */
  readonly maxLength?: number;
}

type HtmlSanitizer = (
  input: unknown,
  options?: { readonly allowedTags?: readonly string[]; readonly maxLength?: number },
) => string;

/** Makes `sanitizeString` on a sanitizer of HTML. */
export function createStringSanitizer(sanitizeHtml: HtmlSanitizer) {
  return (input: unknown, options: SanitizeStringOptions = {}): string => {
    const { context = "text", maxLength = 100_000 } = options;
    const text = parseText("text", input, maxLength);
    switch (context) {
      case "plain":
        return withoutControls(text);
      case "attribute":
        return escapeAttribute(withoutControls(text));
      case "html":
        return sanitizeHtml(withoutControls(text), { maxLength });
      case "text":
        return sanitizeHtml(withoutControls(text), { allowedTags: [], maxLength });
      case "url":
        return sanitizeUrl(text);
      case "javascript":
        return refuseInput("text", "no text from outside is safe as JavaScript");
    }
  };
}

/**
 * Text without what is not seen: control characters other than tab and line break, marks that turn the direction of
 * writing, letters that have no width, halves of characters.
 */
export function withoutControls(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(UNSEEN, "");
}

/** Ampersands of entities stay: so the same text may come by twice. */
function escapeAttribute(text: string): string {
  return text.replace(/&(?!(?:[a-z][a-z0-9]{1,31}|#\d{1,7}|#x[0-9a-f]{1,6});)|[<>"'`=]/gi, (letter) => {
    return ENTITIES[letter] ?? "";
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
  "=": "&#61;",
};

const UNSEEN =
  /[^\P{Cc}\n\t]|\p{Cs}|[\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
