/**
 * @fileoverview Limits the number and memory of calls in flight across all clients.
 * @module tenon/core/wire/load
 */
import { defineOptions, type ParsedOptions } from "@tenon/internal/options/define-options";
import { integer } from "@tenon/internal/options/option-rows";
import { DEFAULT_LIMITS } from "../../protocol/index.js";

/** Limits on the calls in flight across all clients. */
export const LOAD_LIMITS = /* @__PURE__ */ defineOptions("calls", {
  /**
   * Maximum number of handlers that run at the same time, across all clients. A handler counts until it finishes, even
   * if its client has disconnected.
   * @default 10000
   */
  maxCalls: integer({ default: 10_000 }),
  /**
   * Maximum memory in bytes for the messages of all calls in flight, estimated from the message lengths.
   * @default 134217728
   */
  maxCallBytes: integer({ default: 134_217_728 }),
});

/** Counts calls in flight and the memory that their messages use. */
export class Load {
  readonly #maxCalls: number;
  readonly #maxBytes: number;
  #calls = 0;
  #bytes = 0;

  constructor({ maxCalls, maxCallBytes }: ParsedOptions<typeof LOAD_LIMITS>) {
    this.#maxCalls = maxCalls;
    this.#maxBytes = maxCallBytes;
  }

  /** Returns an error message if one more call would exceed a limit. Accepts any call if no other call is in flight. */
  exceededBy(messageLength = 0): string | undefined {
    if (this.#calls === 0) return undefined;
    if (this.#calls >= this.#maxCalls)
      return `Too many calls in flight on this server (limit: ${this.#maxCalls}). Try again later.`;
    const bytes = estimateMemory(messageLength);
    return bytes > 0 && this.#bytes + bytes > this.#maxBytes
      ? `The calls in flight use too much memory (limit: ${this.#maxBytes} bytes). Try again later.`
      : undefined;
  }

  /** Starts counting a call. */
  begin(messageLength = 0): void {
    this.#calls++;
    this.#bytes += estimateMemory(messageLength);
  }

  /** Stops counting a call. The length must be the same as in `begin`. */
  end(messageLength = 0): void {
    this.#calls--;
    this.#bytes -= estimateMemory(messageLength);
  }
}

/** Messages up to this length do not count toward the memory limit, so that large messages cannot block them. */
const SMALL_MESSAGE = 1_024;

/** Length and memory of `{},`, the JSON value that uses the most memory per character. */
const CHARACTERS_PER_VALUE = 3;
const BYTES_PER_VALUE = 64;

/**
 * Returns an upper estimate of a parsed message's memory in bytes. The strings cannot be longer than the message. The
 * number of values is limited by the message length and by `maxValues`.
 */
function estimateMemory(length: number): number {
  if (length <= SMALL_MESSAGE) return 0;
  return length + Math.min(length / CHARACTERS_PER_VALUE, DEFAULT_LIMITS.maxValues) * BYTES_PER_VALUE;
}
