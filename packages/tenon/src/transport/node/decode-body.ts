/**
 * @fileoverview Decodes a request body that arrived in chunks.
 * @module transport/node/decode-body
 */
import { byteFunctions } from "../node-buffer.js";

/** Maximum size of the shared buffer. Longer bodies are joined in a buffer of their own. */
const MAX_SCRATCH = 1_048_576;

/**
 * Shared buffer in which bodies are joined. It is free again when `decodeBody` returns. A buffer per body is often
 * allocated from the system and returned to it, which causes page faults: a few percent of a 100 kB request.
 */
let scratch: Uint8Array | undefined;

/**
 * Decodes the chunks of a body as one text. Returns bytes that are not UTF-8 unchanged, so that the parser refuses
 * them.
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
 * Decodes a body in one chunk. Node decodes faster than a strict decoder, and replaces malformed bytes with U+FFFD.
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
