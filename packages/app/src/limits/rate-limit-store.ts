/**
 * @fileoverview The port behind a rate limiter: who keeps the counters. One process keeps its own, several share one.
 * @module app/limits/rate-limit-store
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";

/** So many points in so much time. */
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

/** Keeps counters. A synchronous store makes a synchronous limiter. */
export interface RateLimitStore {
  /** The store's own rule, where it has one: then that rule counts, whatever the limiter says. */
  readonly rule?: RateLimitRule | undefined;
  /** Takes points from a key's window. An attempt that is refused takes none. */
  consume(key: string, points: number, rule: RateLimitRule): MaybePromise<RateLimitOutcome>;
  /** How a key stands, without taking anything; nothing for a key that has no window. */
  peek?(key: string, rule: RateLimitRule): MaybePromise<RateLimitOutcome | undefined>;
  /** Forgets a key, or every key. */
  reset?(key?: string): MaybePromise<void>;
}

/** The part of a limiter of rate-limiter-flexible that a store is made from. */
export interface FlexibleLimiter {
  readonly points: number;
  /** The window, in seconds. */
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
 * A store on any limiter of rate-limiter-flexible (Redis, Postgres, MongoDB and more), for several processes that share
 * one limit. The limiter's own `points` and `duration` are the rule.
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
      if (key === undefined) throw new Error("this store can forget one key at a time: name it");
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
