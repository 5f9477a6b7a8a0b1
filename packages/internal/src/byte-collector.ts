/**
 * @fileoverview Collects bytes that arrive in pieces of any size, at the cost of the bytes alone.
 * @module internal/byte-collector
 */
import type { Bytes } from "./bytes.js";

const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);

/**
 * One buffer that grows with its content. A list of pieces would cost several hundred bytes for each piece, so a sender
 * of single bytes could multiply the memory it takes.
 */
export class ByteCollector {
  readonly #capacity: number;
  #bytes: Bytes = NO_BYTES;
  #length = 0;

  /** @param capacity the number of bytes that is never exceeded */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Number of bytes collected so far. */
  get length(): number {
    return this.#length;
  }

  /** Appends as much of `piece` as fits; returns false if that was not all of it. */
  append(piece: Uint8Array): boolean {
    const length = Math.min(this.#length + piece.length, this.#capacity);
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.min(Math.max(length, this.#bytes.length * 2), this.#capacity));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    const taken = length - this.#length;
    this.#bytes.set(taken === piece.length ? piece : piece.subarray(0, taken), this.#length);
    this.#length = length;
    return taken === piece.length;
  }

  /** Hands over the bytes collected so far, and starts again with none. */
  take(): Bytes {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = NO_BYTES;
    this.#length = 0;
    return bytes;
  }
}
