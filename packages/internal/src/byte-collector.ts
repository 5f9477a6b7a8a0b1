/**
 * @fileoverview Collects bytes that arrive in chunks of any size. Memory use is proportional to the number of bytes.
 * @module internal/byte-collector
 */
import type { Bytes } from "./bytes.js";

const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);

/**
 * Buffer that grows with its content. A list of chunks would cost hundreds of bytes per chunk, so a client that
 * sends single bytes could use far more memory than it sends.
 */
export class ByteCollector {
  readonly #capacity: number;
  #bytes: Bytes = NO_BYTES;
  #length = 0;

  /** @param capacity maximum number of bytes */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Number of bytes collected so far. */
  get length(): number {
    return this.#length;
  }

  /** Size of the buffer, which grows before it is full. */
  get allocatedBytes(): number {
    return this.#bytes.length;
  }

  /** Appends as many bytes of `piece` as fit. Returns false if some bytes did not fit. */
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

  /** Returns the bytes collected so far and empties the collector. */
  take(): Bytes {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = NO_BYTES;
    this.#length = 0;
    return bytes;
  }
}
