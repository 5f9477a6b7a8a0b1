/**
 * @fileoverview Decodes a body that arrived in pieces.
 * @module transport/node/decode-body
 */
import { byteFunctions } from "../node-buffer.js";

/** Longer bodies are put together in memory of their own. */
const MAX_SCRATCH = 1_048_576;

/**
 * Memory in which bodies are put together. It is free again when `decodeBody` returns. A buffer for each body is often
 * taken from the system and given back, which costs page faults: some percent of a request of 100 kB.
 */
let scratch: Uint8Array | undefined;

/** Decodes the pieces of a body as one text. Bytes that are not UTF-8 are returned as they are, to be refused. */
export function decodeBody(pieces: readonly Uint8Array[]): string | Uint8Array {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > MAX_SCRATCH) return decodeBytes(join(pieces, byteFunctions().allocate(length)));
  if (scratch === undefined || scratch.length < length) {
    scratch = byteFunctions().allocate(Math.min(length * 2, MAX_SCRATCH));
  }
  const decoded = decodeBytes(join(pieces, scratch).subarray(0, length));
  return typeof decoded === "string" ? decoded : new Uint8Array(decoded);
}

/** Decodes a body in one piece. Node decodes faster than a strict decoder, and marks malformed bytes. */
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
