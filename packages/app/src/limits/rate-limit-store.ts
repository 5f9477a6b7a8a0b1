/**
 * @fileoverview Storage interface for rate limiters, and an adapter for stores shared by multiple processes.
 * @module app/limits/rate-limit-store
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { RateLimitOutcome, RateLimitRule } from "tenon/stores";

/**
 * Stores counters. A limiter on a synchronous store is synchronous too. The `rateLimits` of a shared store implement it.
 */
export interface RateLimitStore {
  /** Rule that the store enforces itself. A limiter on this store must use the same rule. */
  readonly rule?: RateLimitRule | undefined;
  /** Consumes points from a key's window, and opens the window if necessary. A rejected attempt consumes nothing. */
  consume(key: string, points: number, rule: RateLimitRule): MaybePromise<RateLimitOutcome>;
  /** Returns a key's state without consuming points, or `undefined` if no window is open. */
  peek?(key: string, rule: RateLimitRule): MaybePromise<RateLimitOutcome | undefined>;
  /** Deletes the counter for a key, or all counters if the key is omitted. */
  reset?(key?: string): MaybePromise<void>;
}

/** The subset of a rate-limiter-flexible limiter that a store uses. */
export interface FlexibleLimiter {
  readonly points: number;
  /** Window length in seconds. */
  readonly duration: number;
  consume(key: string, points?: number): Promise<FlexibleResult>;
  get(key: string): Promise<FlexibleResult | null>;
  delete(key: string): Promise<boolean>;
}

/** Result from rate-limiter-flexible. Rejected attempts throw this object instead of an error. */
export interface FlexibleResult {
  readonly remainingPoints: number;
  readonly msBeforeNext: number;
}

/**
 * Creates a store from a rate-limiter-flexible limiter (Redis, Postgres, MongoDB, and more), so that multiple processes
 * share one limit. Its `points` and `duration` set the rule.
 *
 * @example createRateLimitStore(new RateLimiterRedis({ storeClient, points: 100, duration: 900 }))
 */
export function createRateLimitStore(limiter: FlexibleLimiter): RateLimitStore {
  return {
    rule: { limit: limiter.points, windowMs: limiter.duration * 1_000 },
    async consume(key, points) {
      try {
        return toOutcome(await limiter.consume(key, points), true);
      } catch (refusal) {
        if (!isResult(refusal)) throw refusal;
        return toOutcome(refusal, false);
      }
    },
    async peek(key) {
      const found = await limiter.get(key);
      return found === null ? undefined : toOutcome(found, found.remainingPoints > 0);
    },
    async reset(key) {
      if (key === undefined)
        throw new Error("This store can only reset one key at a time. Pass the key to `reset`.");
      await limiter.delete(key);
    },
  };
}

function toOutcome({ remainingPoints, msBeforeNext }: FlexibleResult, allowed: boolean): RateLimitOutcome {
  return { allowed, remaining: Math.max(remainingPoints, 0), resetMs: Math.max(msBeforeNext, 0) };
}

function isResult(value: unknown): value is FlexibleResult {
  if (typeof value !== "object" || value === null || value instanceof Error) return false;
  const { remainingPoints, msBeforeNext } = value as Partial<Record<string, unknown>>;
  return typeof remainingPoints === "number" && typeof msBeforeNext === "number";
}
