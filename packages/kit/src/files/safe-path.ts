/**
 * @fileoverview Safe file names and store locations. A store is flat: valid names do not contain separators, so they
 * cannot traverse directories.
 * @module kit/files/safe-path
 */
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { custom } from "@tenon/internal/options/option-rows";
import { printable, trimEndOf } from "@tenon/internal/text";

/** Maximum length of a file name on common file systems, in bytes. */
const MAX_NAME_BYTES = 255;

/**
 * Separators, control characters, lone surrogates, and the colon, which opens an alternate data stream on Windows. The
 * same rule applies on every operating system.
 */
const FORBIDDEN = /[\p{Cc}\p{Cs}\\/:]/u;

/** Percent-encoding that remains after decoding. A second decoder would see a different name. */
const ENCODED_TWICE = /%[0-9a-f]{2}/i;

/** Reserved Windows device names. Windows reserves them in every directory. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Invisible direction marks, which can make `fdp.exe` look like `exe.pdf`. */
const UNSEEN = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Returns true if a name can refer only to a file directly inside the store. Dotfiles are private and not allowed. */
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

/** Converts any text to a safe name of at most `maxBytes` bytes. A short extension is kept. */
export function toSafeName(text: string, maxBytes = MAX_NAME_BYTES): string {
  const cleaned = text
    .slice(0, 4 * MAX_NAME_BYTES)
    .replaceAll(UNSEEN, "")
    .replaceAll(/[\p{Cc}\p{Cs}\\/:*?"<>|%]+/gu, "_")
    .replace(/^[. ]+/, "");
  const clean = trimEndOf(cleaned, ". ");
  const [extension = ""] = /\.[a-z\d]{1,15}$/i.exec(clean) ?? [];
  const stem = cutToBytes(clean.slice(0, clean.length - extension.length), maxBytes - extension.length);
  const name = trimEndOf(stem, ". ") + extension;
  return isSafeName(name) ? name : `file${extension}`;
}

/** Option for a store's directory. `parseStoreUri` checks its value. */
export const STORE_URI = /* @__PURE__ */ custom<string>({
  required: true,
  expected: "an absolute file:// URI of a directory",
  aliases: ["storeUri", "directory"],
});

/** Returns the store's directory as a path. @throws if the URI is not an absolute `file://` URI */
export function parseStoreUri(resourceStoreUri: string): string {
  const refuse = (cause?: unknown): never => {
    const given: unknown = resourceStoreUri; // JavaScript callers may pass anything
    const got = JSON.stringify(printable(String(given)));
    const message = `\`resourceStoreUri\` must be an absolute file:// URI of a directory; got ${got}.`;
    throw new TypeError(message, { cause });
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

/** Cuts text to at most `maxBytes` UTF-8 bytes without splitting a character. */
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
