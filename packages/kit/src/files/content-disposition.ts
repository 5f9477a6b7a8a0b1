/**
 * @fileoverview The header that names a download (RFC 6266), with a name that can break out of neither the header nor
 * the folder it is saved in.
 * @module kit/files/content-disposition
 */
import { toSafeName } from "./safe-path.js";

/** Saved as a file, or shown in the browser. */
export type Disposition = "attachment" | "inline";

/** The value of `Content-Disposition`. Names beyond ASCII get the extended form of RFC 8187 and a plain fallback. */
export function contentDisposition(name: string, disposition: Disposition = "attachment"): string {
  const safe = toSafeName(name, 200);
  const plain = safe.replaceAll(/[^ -~]/gu, "_").replaceAll(/["\\%]/g, "_");
  const value = `${disposition}; filename="${plain}"`;
  return plain === safe ? value : `${value}; filename*=UTF-8''${encodeExtended(safe)}`;
}

/** `encodeURIComponent` leaves four characters alone that RFC 8187 does not have among its own. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
