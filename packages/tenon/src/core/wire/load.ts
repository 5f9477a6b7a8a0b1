/**
 * @fileoverview Limits the concurrent calls of all clients of a server.
 * @module core/load
 */
import { DEFAULT_LIMITS } from "../../protocol/index.js";

/** Limits on the calls of all clients. */
export interface LoadLimits {
  /**
   * Maximum number of handlers that run at the same time, across all clients. A handler counts until it ends, even if
   * its client has disconnected and it ignores its signal.
   * @default 10000
   */
  readonly maxCalls?: number;
  /**
   * Maximum memory for the messages of these calls in bytes, estimated from their length.
   * @default 134217728
   */
  readonly maxCallBytes?: number;
}

/** Counts calls in flight and the memory of their messages. */
export class Load {
  readonly #maxCalls: number;
  readonly #maxBytes: number;
  #calls = 0;
  #bytes = 0;

  constructor({ maxCalls = 10_000, maxCallBytes = 128 * 1_048_576 }: LoadLimits = {}) {
    this.#maxCalls = maxCalls;
    this.#maxBytes = maxCallBytes;
  }

  /** Returns a message if one more call would exceed a limit. A call is always accepted if no other is in flight. */
  exceededBy(messageLength = 0): string | undefined {
    if (this.#calls === 0) return undefined;
    if (this.#calls >= this.#maxCalls)
      return `The server has reached its limit of ${this.#maxCalls} calls in flight. Retry later.`;
    const bytes = estimateMemory(messageLength);
    return bytes > 0 && this.#bytes + bytes > this.#maxBytes
      ? `The server has reached its limit of ${this.#maxBytes} bytes for calls in flight. Retry later.`
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

/** Shorter messages do not count toward the memory limit, so that large ones cannot block them. */
const SMALL_MESSAGE = 1_024;

/** Length and memory of the value with the most memory per character: `{}` and a comma. */
const CHARACTERS_PER_VALUE = 3;
const BYTES_PER_VALUE = 64;

/**
 * Returns an upper estimate of a parsed message's memory. Its strings are at most as long as the message, and the
 * number of values is bounded by its length and by `maxValues`.
 */
function estimateMemory(length: number): number {
  if (length <= SMALL_MESSAGE) return 0;
  return length + Math.min(length / CHARACTERS_PER_VALUE, DEFAULT_LIMITS.maxValues) * BYTES_PER_VALUE;
}
