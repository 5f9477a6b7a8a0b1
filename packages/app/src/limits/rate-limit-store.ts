/**
 * @fileoverview Storage interface of the rate limiter. Counters can be per process or shared by several processes.
 * @module app/limits/rate-limit-store
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";

/** Number of points per window. */
export interface RateLimitRule {
  readonly limit: number;
  readonly windowMs: number;
}

/** Outcome of an attempt. */
export interface RateLimitOutcome {
  readonly allowed: boolean;
  /** Points left in this window. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

/** Stores counters. A synchronous store makes a synchronous limiter. */
export interface RateLimitStore {
  /** Fixed rule of the store, if any. It takes precedence over the limiter's rule. */
  readonly rule?: RateLimitRule | undefined;
  /** Consumes points of a key's window. A refused attempt consumes none. */
  consume(key: string, points: number, rule: RateLimitRule): MaybePromise<RateLimitOutcome>;
  /** Returns the state of a key without consuming points; `undefined` if the key has no window. */
  peek?(key: string, rule: RateLimitRule): MaybePromise<RateLimitOutcome | undefined>;
  /** Deletes a key, or all keys. */
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

/** Result of rate-limiter-flexible. A refusal is a rejection with this value, not with an error. */
export interface FlexibleResult {
  readonly remainingPoints: number;
  readonly msBeforeNext: number;
}

/**
 * Creates a store on any limiter of rate-limiter-flexible (Redis, Postgres, MongoDB and more), so that several
 * processes share one limit. The limiter's own `points` and `duration` are the rule.
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
