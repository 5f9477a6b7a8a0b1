/**
 * @fileoverview In-memory rate limits. The counters are lost when the process exits.
 * @module tenon/stores/memory-rate-limits
 */
import { RateWindows } from "@tenon/internal/collections/rate-windows";
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { integer } from "@tenon/internal/options/option-rows";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { parseName, parseWhole } from "@tenon/internal/names/store-arguments";
import type { RateLimits } from "./ports.js";

/** Limits of the counters. */
export const RATE_LIMITS_LIMITS = /* @__PURE__ */ defineOptions("createMemoryRateLimits", {
  /**
   * Maximum number of keys. When it is reached, each new key evicts a window that has used less than half of its limit,
   * or any other window if there is none.
   * @default 100000
   */
  maxKeys: integer({ default: 100_000 }),
});

/** Options for `createMemoryRateLimits`. */
export interface MemoryRateLimitsOptions extends OptionsOf<typeof RATE_LIMITS_LIMITS> {
  /** Replacement for the system clock, for tests and special runtimes. */
  readonly ports?: Partial<Ports> | undefined;
}

/**
 * Creates empty rate limits. A client that floods them with new keys evicts its own keys, not the counters that limit
 * it.
 */
export function createMemoryRateLimits({
  ports: replaced,
  ...limits
}: MemoryRateLimitsOptions = {}): RateLimits {
  const ports = withPorts(replaced);
  const windows = new RateWindows(parseOptions(RATE_LIMITS_LIMITS, limits).maxKeys);
  return {
    async consume(key, points, rule) {
      const attempt = {
        points: parseWhole("points", points),
        limit: parseWhole("limit", rule.limit),
        windowMs: parseWhole("windowMs", rule.windowMs),
      };
      return windows.consume(parseName(key), attempt, ports.now());
    },
    async peek(key, rule) {
      return windows.peek(parseName(key), parseWhole("limit", rule.limit), ports.now());
    },
    async reset(key) {
      windows.delete(parseName(key));
    },
  };
}
