/**
 * @fileoverview Strict UTF-8 encoding and decoding. Malformed bytes are reported, not replaced.
 * @module internal/utf8
 */
import type { Bytes } from "./bytes.js";

const encoder = /* @__PURE__ */ new TextEncoder();
const strictDecoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Encodes text as UTF-8. */
export function encodeUtf8(text: string): Bytes {
  return encoder.encode(text);
}

/** Decodes UTF-8. Returns `undefined` for malformed bytes. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns true if `text` takes more than `limit` bytes in UTF-8. Encodes the text only if its length is close. */
export function exceedsUtf8(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  if (text.length * 3 <= limit) return false;
  return encoder.encode(text).length > limit;
}
