/**
 * @fileoverview In-memory fixed-window counters. They are synchronous, use no timers, and are limited in number.
 * @module app/limits/memory-rate-limit-store
 */
import { RateWindows } from "@tenon/internal/collections/rate-windows";
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { custom, integer } from "@tenon/internal/options/option-rows";
import { type Ports, systemPorts } from "@tenon/internal/ports";
import type { RateLimitOutcome, RateLimitRule } from "tenon/stores";
import type { RateLimitStore } from "./rate-limit-store.js";

/** Options for `createMemoryRateLimitStore`. */
export const MEMORY_OPTIONS = /* @__PURE__ */ defineOptions("createMemoryRateLimitStore", {
  /**
   * Maximum number of keys to store. When it is reached, a window is evicted for each new key.
   * @default 10000
   */
  maxKeys: integer({ default: 10_000 }),
  /** Clock, for tests. */
  ports: custom<Pick<Ports, "now">>(),
});

/** Options for `createMemoryRateLimitStore`. */
export interface MemoryRateLimitStoreOptions extends OptionsOf<typeof MEMORY_OPTIONS> {}

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
  const { maxKeys, ports = systemPorts } = parseOptions(MEMORY_OPTIONS, options);
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
