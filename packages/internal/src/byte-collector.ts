/**
 * @fileoverview Collects bytes that arrive in chunks of any size. Memory use is proportional to the number of bytes.
 * @module internal/byte-collector
 */
import type { Bytes } from "./bytes.js";

const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);

/** Largest block in bytes. Blocks are as large as everything before them, up to this size. */
const MAX_BLOCK = 262_144;

/**
 * Bytes in blocks. A list of chunks would cost hundreds of bytes per chunk, so a client that sends single bytes could use
 * far more memory than it sends. One buffer that grows would leave its earlier versions to the garbage collector.
 */
export class ByteCollector {
  readonly #capacity: number;
  readonly #blocks: Bytes[] = [];
  /** Last block, and the number of bytes in it. */
  #block: Bytes = NO_BYTES;
  #used = 0;
  #length = 0;
  #allocated = 0;

  /** @param capacity maximum number of bytes */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Number of bytes collected so far. */
  get length(): number {
    return this.#length;
  }

  /** Size of all blocks. The last one may not be full. */
  get allocatedBytes(): number {
    return this.#allocated;
  }

  /** Appends as many bytes of `piece` as fit. Returns false if some bytes did not fit. */
  append(piece: Uint8Array): boolean {
    const taken = Math.min(piece.length, this.#capacity - this.#length);
    const room = this.#block.length - this.#used;
    this.#fill(piece.subarray(0, Math.min(taken, room)));
    if (taken > room) {
      this.#addBlock(taken - room);
      this.#fill(piece.subarray(room, taken));
    }
    return taken === piece.length;
  }

  /** Returns the bytes collected so far and empties the collector. */
  take(): Bytes {
    const last = this.#block.subarray(0, this.#used);
    let bytes = last;
    if (this.#blocks.length > 1) {
      bytes = new Uint8Array(this.#length);
      let offset = 0;
      for (const block of this.#blocks) {
        const whole = block === this.#block ? last : block;
        bytes.set(whole, offset);
        offset += whole.length;
      }
    }
    this.#blocks.length = 0;
    this.#block = NO_BYTES;
    this.#used = this.#length = this.#allocated = 0;
    return bytes;
  }

  #addBlock(needed: number): void {
    const size = Math.max(needed, Math.min(this.#allocated, MAX_BLOCK, this.#capacity - this.#length));
    this.#block = new Uint8Array(size);
    this.#blocks.push(this.#block);
    this.#used = 0;
    this.#allocated += size;
  }

  #fill(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#block.set(piece, this.#used);
    this.#used += piece.length;
    this.#length += piece.length;
  }
}
