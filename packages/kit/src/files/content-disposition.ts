/**
 * @fileoverview The `Content-Disposition` header (RFC 6266). File names cannot break out of the header or of the
 * download folder.
 * @module kit/files/content-disposition
 */
import { toSafeName } from "./safe-path.js";

/** Saves the file, or shows it in the browser. */
export type Disposition = "attachment" | "inline";

/** Formats `Content-Disposition`. Non-ASCII names use the extended form of RFC 8187 with an ASCII fallback. */
export function contentDisposition(name: string, disposition: Disposition = "attachment"): string {
  const safe = toSafeName(name, 200);
  const plain = safe.replaceAll(/[^ -~]/gu, "_").replaceAll(/["\\%]/g, "_");
  const value = `${disposition}; filename="${plain}"`;
  return plain === safe ? value : `${value}; filename*=UTF-8''${encodeExtended(safe)}`;
}

/** Encodes text for RFC 8187. `encodeURIComponent` leaves four characters unescaped that RFC 8187 does not allow. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
