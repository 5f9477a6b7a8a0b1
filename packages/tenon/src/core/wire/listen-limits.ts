/**
 * @fileoverview Limits the number of open `subscriptions/listen` streams. Over HTTP, every request has its own
 * connection, so a limit per connection would not bound them.
 * @module tenon/core/wire/listen-limits
 */
import { defineOptions, type ParsedOptions } from "@tenon/internal/options/define-options";
import { integer } from "@tenon/internal/options/option-rows";
import type { Exchange } from "./exchange.js";

/** Limits on open `subscriptions/listen` streams. */
export const LISTEN_LIMITS = /* @__PURE__ */ defineOptions("subscriptions/listen", {
  /**
   * Maximum number of open `subscriptions/listen` streams, across all clients.
   * @default 1000
   */
  maxListenStreams: integer({ default: 1_000 }),
  /**
   * Maximum number of open `subscriptions/listen` streams per caller. Streams are counted by principal
   * if the transport authenticates callers, and otherwise by connection.
   * @default 100
   */
  maxListenStreamsPerCaller: integer({ default: 100 }),
});

/** Counts the open streams of each caller. */
export class ListenStreams {
  readonly #max: number;
  readonly #maxPerCaller: number;
  readonly #byCaller = new Map<unknown, number>();
  #count = 0;

  constructor({ maxListenStreams, maxListenStreamsPerCaller }: ParsedOptions<typeof LISTEN_LIMITS>) {
    this.#max = maxListenStreams;
    this.#maxPerCaller = maxListenStreamsPerCaller;
  }

  /** Returns an error message if one more stream would exceed a limit. */
  exceededBy(exchange: Exchange): string | undefined {
    if ((this.#byCaller.get(callerOf(exchange)) ?? 0) >= this.#maxPerCaller)
      return (
        `Too many open \`subscriptions/listen\` streams for this caller (limit: ${this.#maxPerCaller}). ` +
        "Close one of them first, or request several kinds of notifications on one stream."
      );
    return this.#count >= this.#max
      ? `Too many open \`subscriptions/listen\` streams on this server (limit: ${this.#max}). Try again later.`
      : undefined;
  }

  /** Counts a stream. The returned function stops counting it. */
  begin(exchange: Exchange): () => void {
    const caller = callerOf(exchange);
    this.#count++;
    this.#byCaller.set(caller, (this.#byCaller.get(caller) ?? 0) + 1);
    return () => {
      this.#count--;
      const rest = (this.#byCaller.get(caller) ?? 1) - 1;
      if (rest > 0) this.#byCaller.set(caller, rest);
      else this.#byCaller.delete(caller);
    };
  }
}

/** Returns the key under which a caller's streams are counted. */
function callerOf({ auth, connection }: Exchange): unknown {
  return auth?.principal ?? connection;
}
