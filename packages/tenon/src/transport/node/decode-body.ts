/**
 * @fileoverview Decodes a body that arrived in pieces.
 * @module transport/node/decode-body
 */

/** Node's own, without importing `node:buffer`: that would load streams and files, which a server on stdio does without. */
const { Buffer } = globalThis;

/** Longer bodies are put together in memory of their own. */
const MAX_SCRATCH = 1_048_576;

/**
 * Memory in which bodies are put together. It is free again when the function below returns. A buffer for each body
 * is often taken from the system and given back, which costs page faults: some percent of a request of 100 kB.
 */
let scratch: Buffer | undefined;

/** Decodes the pieces of a body as one text; bytes that are not UTF-8 are given back as they are, to be refused. */
export function decodeBody(pieces: readonly Uint8Array[]): string | Uint8Array {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > MAX_SCRATCH) {
    const bytes = Buffer.concat(pieces, length);
    return decodeBytes(bytes);
  }
  if (scratch === undefined || scratch.length < length) {
    scratch = Buffer.allocUnsafeSlow(Math.min(length * 2, MAX_SCRATCH));
  }
  let at = 0;
  for (const piece of pieces) {
    scratch.set(piece, at);
    at += piece.length;
  }
  const decoded = decodeBytes(scratch.subarray(0, length));
  return typeof decoded === "string" ? decoded : new Uint8Array(decoded);
}

/** The same for a body in one piece. Node decodes faster than a strict decoder, and marks malformed bytes. */
export function decodeBytes(bytes: Buffer): string | Uint8Array {
  const text = bytes.toString();
  return text.includes("\ufffd") ? bytes : text;
}
