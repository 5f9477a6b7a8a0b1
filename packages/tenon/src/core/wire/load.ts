/**
 * @fileoverview Limits what all clients together can keep a server busy with.
 * @module core/load
 */
import { DEFAULT_LIMITS } from "../../protocol/index.js";

/** Limits on the calls of all clients. */
export interface LoadLimits {
  /**
   * Most handlers that run at the same time, for all clients. A handler counts until it ends, even if its client is
   * gone and it ignores its signal.
   * @default 10000
   */
  readonly maxCalls?: number;
  /**
   * Most memory for the messages of these calls, in bytes, as estimated from their length.
   * @default 134217728
   */
  readonly maxCallBytes?: number;
}

/** Calls in flight, and the memory that their messages take. */
export class Load {
  readonly #maxCalls: number;
  readonly #maxBytes: number;
  #calls = 0;
  #bytes = 0;

  constructor({ maxCalls = 10_000, maxCallBytes = 128 * 1_048_576 }: LoadLimits = {}) {
    this.#maxCalls = maxCalls;
    this.#maxBytes = maxCallBytes;
  }

  /** Names the limit that one more call would exceed. A message alone on the server always has room. */
  exceededBy(messageLength = 0): string | undefined {
    if (this.#calls === 0) return undefined;
    if (this.#calls >= this.#maxCalls)
      return `the server is at its limit of ${this.#maxCalls} calls in flight`;
    const bytes = estimateMemory(messageLength);
    return bytes > 0 && this.#bytes + bytes > this.#maxBytes
      ? `the server is at its limit of ${this.#maxBytes} bytes for calls in flight`
      : undefined;
  }

  /** Counts a call. */
  begin(messageLength = 0): void {
    this.#calls++;
    this.#bytes += estimateMemory(messageLength);
  }

  /** Ends a call that was counted with the same length. */
  end(messageLength = 0): void {
    this.#calls--;
    this.#bytes -= estimateMemory(messageLength);
  }
}

/** Shorter messages are limited by the number of calls alone, so that large ones cannot keep them out. */
const SMALL_MESSAGE = 1_024;

/** Characters and memory of the value that takes the most memory for its length: `{}` and a comma. */
const CHARACTERS_PER_VALUE = 3;
const BYTES_PER_VALUE = 64;

/**
 * Estimates the memory of a parsed message from above: its strings are no longer than the message, and it has no more
 * values than its length and the limit of values allow.
 */
function estimateMemory(length: number): number {
  if (length <= SMALL_MESSAGE) return 0;
  return length + Math.min(length / CHARACTERS_PER_VALUE, DEFAULT_LIMITS.maxValues) * BYTES_PER_VALUE;
}
