/**
 * @fileoverview Names that may stand in a store, and where the store is. A store is flat: a file is an entry of its
 * directory, so that a name never holds a separator and there is nothing to climb.
 * @module kit/files/safe-path
 */
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";

/** Most bytes of a file name on the usual file systems. */
const MAX_NAME_BYTES = 255;

/**
 * Separators, control characters, halves of surrogate pairs, and the colon, which on Windows opens a second stream of
 * a file. The rule is the same on every system.
 */
const FORBIDDEN = /[\p{Cc}\p{Cs}\\/:]/u;

/** An escape that survived decoding: a second decoder behind us would see another name than we do. */
const ENCODED_TWICE = /%[0-9a-f]{2}/i;

/** Windows opens devices under these names in every folder. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Directions of writing that are not seen and make `fdp.exe` look like `exe.pdf`. */
const UNSEEN = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Tells whether a name can only mean an entry of the store itself. Dotfiles are private, so they are refused too. */
export function isSafeName(name: string): boolean {
  return (
    name !== "" &&
    !name.startsWith(".") &&
    !/[. ]$/.test(name) &&
    !FORBIDDEN.test(name) &&
    !ENCODED_TWICE.test(name) &&
    !DEVICE.test(name) &&
    new TextEncoder().encode(name).length <= MAX_NAME_BYTES
  );
}

/** Converts any text to a name of at most `maxBytes` bytes. The extension is kept where it fits. */
export function toSafeName(text: string, maxBytes = MAX_NAME_BYTES): string {
  const clean = text
    .slice(0, 4 * MAX_NAME_BYTES)
    .replaceAll(UNSEEN, "")
    .replaceAll(/[\p{Cc}\p{Cs}\\/:*?"<>|%]+/gu, "_")
    .replace(/^[. ]+/, "")
    .replace(/[. ]+$/, "");
  const [extension = ""] = /\.[a-z\d]{1,15}$/i.exec(clean) ?? [];
  const stem = cutToBytes(clean.slice(0, clean.length - extension.length), maxBytes - extension.length);
  const name = stem.replace(/[. ]+$/, "") + extension;
  return isSafeName(name) ? name : `file${extension}`;
}

/** The directory that a store's address names. @throws where it is no absolute `file://` address */
export function parseStoreUri(resourceStoreUri: string): string {
  const refuse = (cause?: unknown): never => {
    throw new TypeError("resourceStoreUri must be an absolute file:// URI of a directory", { cause });
  };
  if (typeof resourceStoreUri !== "string" || !/^file:\/\//i.test(resourceStoreUri)) return refuse();
  let path: string;
  try {
    const url = new URL(resourceStoreUri);
    if (url.search !== "" || url.hash !== "") return refuse();
    path = fileURLToPath(url);
  } catch (error) {
    return refuse(error);
  }
  return isAbsolute(path) && !path.includes("\0") ? path : refuse();
}

/** Whole characters only: half of one would be no name at all. */
function cutToBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let kept = "";
  for (const character of text) {
    bytes += new TextEncoder().encode(character).length;
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept;
}
