/**
 * @fileoverview Character references in parameter text. Only XML's predefined entities and numeric references are
 * decoded. Any other `&` is literal text.
 * @module agent/xml/entities
 */

/** Maximum length of a reference without `&` and `;`. Long enough for `#x10ffff` with leading zeros. */
export const MAX_REFERENCE = 12;

/** Decodes a reference, given the text between `&` and `;`. Returns `undefined` if it is not a reference. */
export function decodeReference(body: string): string | undefined {
  const named = NAMED.get(body);
  if (named !== undefined || !body.startsWith("#")) return named;
  const digits = /^#(?:x([\da-f]+)|(\d+))$/i.exec(body);
  if (digits === null) return undefined;
  const [, hexadecimal, decimal = ""] = digits;
  const code = hexadecimal === undefined ? Number.parseInt(decimal, 10) : Number.parseInt(hexadecimal, 16);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}

/** Decodes all references in a text. The result is not decoded again: `&amp;lt;` becomes `&lt;`. */
export function decodeReferences(text: string): string {
  return text.replace(/&([#\w]{1,12});/g, (reference, body: string) => decodeReference(body) ?? reference);
}

/**
 * Escapes text for use between two tags. Parsing restores it exactly. Line breaks at either end are written as
 * references, because the parser would treat them as layout.
 */
export function escapeText(text: string): string {
  // `trim` is not used, because it also removes characters that the parser does not treat as layout.
  let start = 0;
  while (isBlank(text.charCodeAt(start))) start++;
  let end = text.length;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  const middle = text.slice(start, end).replace(/[&<>]/g, (char) => ESCAPED.get(char) ?? char);
  return escapeBreaks(text.slice(0, start)) + middle + escapeBreaks(text.slice(end));
}

/** Returns true if a character is a space, a tab, or a line break, which may be layout. */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

const ESCAPED: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
]);

function escapeBreaks(blanks: string): string {
  return blanks.replaceAll("\r", "&#13;").replaceAll("\n", "&#10;");
}
