/**
 * @fileoverview Formats the `Content-Disposition` header (RFC 6266). File names cannot break out of the header or the
 * download directory.
 * @module kit/files/content-disposition
 */
import { toSafeName } from "./safe-path.js";

/** `attachment` saves the file. `inline` shows it in the browser. */
export type Disposition = "attachment" | "inline";

/** Formats the header. Non-ASCII names use the RFC 8187 encoding, with an ASCII fallback. */
export function contentDisposition(name: string, disposition: Disposition = "attachment"): string {
  const safe = toSafeName(name, 200);
  const plain = safe.replaceAll(/[^ -~]/gu, "_").replaceAll(/["\\%]/g, "_");
  const value = `${disposition}; filename="${plain}"`;
  return plain === safe ? value : `${value}; filename*=UTF-8''${encodeExtended(safe)}`;
}

/** Encodes text as RFC 8187 requires, including four characters that `encodeURIComponent` leaves unescaped. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
