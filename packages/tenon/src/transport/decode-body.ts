/**
 * @fileoverview Decodes a request body that arrived in chunks.
 * @module tenon/transport/decode-body
 */
import { byteFunctions } from "./node-buffer.js";

/** Maximum size of the shared buffer in bytes. Larger bodies are joined in a separate buffer. */
const MAX_SCRATCH = 1_048_576;

/**
 * Shared buffer for joining bodies. It can be reused when `decodeBody` returns. A buffer per body would often be
 * allocated from the system and returned to it. The page faults would cost a few percent of a 100 kB request.
 */
let scratch: Uint8Array | undefined;

/**
 * Decodes a body's chunks as one string. Returns bytes that are not UTF-8 unchanged, so that the parser rejects them.
 */
export function decodeBody(pieces: readonly Uint8Array[]): string | Uint8Array {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > MAX_SCRATCH) return decodeBytes(join(pieces, byteFunctions().allocate(length)));
  if (scratch === undefined || scratch.length < length) {
    scratch = byteFunctions().allocate(Math.min(length * 2, MAX_SCRATCH));
  }
  const decoded = decodeBytes(join(pieces, scratch).subarray(0, length));
  return typeof decoded === "string" ? decoded : new Uint8Array(decoded);
}

/**
 * Decodes a body that arrived in one chunk. Node's decoder is faster than a strict one but replaces malformed bytes
 * with U+FFFD, so a body with that character is returned unchanged.
 */
export function decodeBytes(body: Uint8Array): string | Uint8Array {
  const text = byteFunctions().decode(body);
  return text.includes("\ufffd") ? body : text;
}

function join(pieces: readonly Uint8Array[], target: Uint8Array): Uint8Array {
  let at = 0;
  for (const piece of pieces) {
    target.set(piece, at);
    at += piece.length;
  }
  return target;
}
