/**
 * @fileoverview Checks URLs. `URL.canParse` is not used, because on Node 20 it rejects URLs with characters from U+0080 to
 * U+00FF, such as `https://bücher.example`, as soon as V8 has optimized the code that calls it.
 * @module internal/security/is-url
 */

/** Returns true if a text is a URL: an absolute one or, with a base, a relative one. */
export function isUrl(text: string, base?: string | URL): boolean {
  try {
    void new URL(text, base);
    return true;
  } catch {
    return false;
  }
}
