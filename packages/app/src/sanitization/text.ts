/**
 * @fileoverview Makes untrusted text safe for its destination.
 * @module app/sanitization/text
 */
import { parseText, refuseInput } from "./refusal.js";
import { sanitizeUrl } from "./url.js";

/**
 * Destination for text.
 *
 * - `text`: an HTML page, without markup
 * - `plain`: a file, terminal, database, or model, without escaping
 * - `html`: an HTML page, with harmless markup
 * - `attribute`: a quoted HTML attribute
 * - `url`: a URL
 * - `javascript`: always rejected, because untrusted text is never safe there
 */
export type StringContext = "text" | "plain" | "html" | "attribute" | "url" | "javascript";

/** Options for `sanitizeString`. */
export interface SanitizeStringOptions {
  /** Destination for the text. @default "text" */
  readonly context?: StringContext;
  /**
   * Maximum input length, in characters.
   * @default 100000
   */
  readonly maxLength?: number;
}

type HtmlSanitizer = (
  input: unknown,
  options?: { readonly allowedTags?: readonly string[]; readonly maxLength?: number },
) => string;

/** Creates `sanitizeString`. The HTML sanitizer handles the contexts `text` and `html`. */
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
        return refuseInput(
          "text",
          'it cannot be sanitized for the context "javascript". Use a different context',
        );
    }
  };
}

/**
 * Removes invisible characters: control characters except tabs and line breaks, bidirectional marks, zero-width
 * characters, and lone surrogates.
 */
export function withoutControls(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(UNSEEN, "");
}

/** Escapes text for a quoted attribute. Existing entities are kept, which makes the function idempotent. */
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
