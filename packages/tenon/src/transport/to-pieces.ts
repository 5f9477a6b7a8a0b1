/**
 * @fileoverview Splits the bytes of a response for clients that read them one after the other.
 * @module tenon/transport/to-pieces
 */
import { byteFunctions } from "./node-buffer.js";

/**
 * Copies bytes to pieces with memory of their own. A view of a large buffer would keep all of it alive until the client has
 * read the last byte, although the memory budget counts only the rest.
 */
export function toPieces(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  if (bytes.length <= size) return [bytes];
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => {
    const view = bytes.subarray(index * size, (index + 1) * size);
    const piece = byteFunctions().allocate(view.length);
    piece.set(view);
    return piece;
  });
}
