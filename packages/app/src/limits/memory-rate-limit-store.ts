/**
 * @fileoverview In-memory fixed-window counters. They are synchronous, use no timers, and are limited in number.
 * @module app/limits/memory-rate-limit-store
 */
import { RateWindows } from "@tenon/internal/collections/rate-windows";
import type { Ports } from "@tenon/internal/ports";
import { systemPorts } from "@tenon/internal/ports";
import type { RateLimitOutcome, RateLimitRule } from "tenon/stores";
import type { RateLimitStore } from "./rate-limit-store.js";

/** Options for `createMemoryRateLimitStore`. */
export interface MemoryRateLimitStoreOptions {
  /**
   * Maximum number of keys to store. When it is reached, a window is evicted for each new key.
   * @default 10000
   */
  readonly maxKeys?: number;
  /** Clock, for tests. */
  readonly ports?: Pick<Ports, "now">;
}

/** In-memory store. Its methods are synchronous, and its counters are lost when the process exits. */
export interface MemoryRateLimitStore extends RateLimitStore {
  /** Number of stored keys. */
  readonly size: number;
  consume(key: string, points: number, rule: RateLimitRule): RateLimitOutcome;
  peek(key: string, rule: RateLimitRule): RateLimitOutcome | undefined;
  reset(key?: string): void;
}

/**
 * Creates an in-memory store. When it is full, it evicts windows that have used less than half of their limit first,
 * and other windows only if none of those are left. A client that floods the store with new keys therefore evicts its
 * own keys, not the counters that limit it.
 *
 * @throws if `maxKeys` is not a positive integer
 */
export function createMemoryRateLimitStore(options: MemoryRateLimitStoreOptions = {}): MemoryRateLimitStore {
  const { maxKeys = 10_000, ports = systemPorts } = options;
  if (!Number.isSafeInteger(maxKeys) || maxKeys < 1) {
    throw new Error(`\`maxKeys\` must be a positive integer; got ${String(maxKeys)}.`);
  }
  const windows = new RateWindows(maxKeys);

  return {
    get size() {
      return windows.size;
    },
    consume: (key, points, { limit, windowMs }) =>
      windows.consume(key, { points, limit, windowMs }, ports.now()),
    peek: (key, { limit }) => windows.peek(key, limit, ports.now()),
    reset(key) {
      if (key === undefined) windows.clear();
      else windows.delete(key);
    },
  };
}
