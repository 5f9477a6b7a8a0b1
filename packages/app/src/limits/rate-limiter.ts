/**
 * @fileoverview The rate limiter of the application standard: so many attempts for each key in a window of time.
 * @module app/limits/rate-limiter
 */
import { createHash } from "node:crypto";
import { andThen, isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { type Ports, systemPorts } from "@tenon/internal/ports";
import { McpError } from "tenon/protocol";
import { createMemoryRateLimitStore } from "./memory-rate-limit-store.js";
import type { RateLimitOutcome, RateLimitRule, RateLimitStore } from "./rate-limit-store.js";

/** Settings of a limiter, at its creation and later. */
export interface RateLimitConfig {
  /**
   * Attempts in a window.
   * @default 100
   */
  readonly limit?: number;
  /**
   * The length of a window, which a key's first attempt opens.
   * @default 900000 (a quarter of an hour)
   */
  readonly windowMs?: number;
  /**
   * What a refused caller is told; `{waitTime}` is the number of seconds.
   * @default "Rate limit exceeded. Please try again in {waitTime} seconds."
   */
  readonly errorMessage?: string;
  /** Makes the key that is counted from the key that is asked about. @default the same key */
  readonly keyGenerator?: ((key: string, context?: unknown) => string) | undefined;
  /**
   * Whether nothing is counted while the environment is `development`.
   * @default false
   */
  readonly skipInDevelopment?: boolean;
  /**
   * Whether `details` of a refusal name the key. A key may hold more than its caller should see.
   * @default false
   */
  readonly exposeKey?: boolean;
}

/** A limiter's settings with nothing left open. */
export type ResolvedRateLimitConfig = Required<RateLimitConfig>;

/** Options of `createRateLimiter`. */
export interface RateLimiterOptions extends RateLimitConfig {
  /** Where the counters are. @default this process */
  readonly store?: RateLimitStore | undefined;
  /**
   * Most keys of the store in this process.
   * @default 10000
   */
  readonly maxKeys?: number;
  /** The environment's name, for `skipInDevelopment`. */
  readonly environment?: string | (() => string | undefined) | undefined;
  /** The clock, for tests. */
  readonly ports?: Pick<Ports, "now">;
}

/** Current count of a key. */
export interface RateLimitStatus {
  readonly current: number;
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, in milliseconds since the epoch. */
  readonly resetTime: number;
}

/** A limiter, on whatever store. */
export interface RateLimiter {
  /** Counts one attempt. @throws `RATE_LIMITED` where there were too many */
  check(key: string, context?: unknown): MaybePromise<void>;
  /** Counts points, and tells what became of it instead of throwing. */
  consume(key: string, points?: number, context?: unknown): MaybePromise<RateLimitOutcome>;
  /** The error that `check` throws for an outcome that was not allowed. */
  refusal(outcome: RateLimitOutcome, key?: string): McpError;
  /** How a key stands; nothing where it has no window. The key is what `keyGenerator` gave. */
  getStatus(key: string): MaybePromise<RateLimitStatus | undefined>;
  /** Forgets a key, or every key. */
  reset(key?: string): MaybePromise<void>;
  /** Changes settings; windows that are open keep their end. */
  configure(config: RateLimitConfig): void;
  /** The settings as they are. */
  getConfig(): Readonly<ResolvedRateLimitConfig>;
  /** Lets go of the counters that this limiter made itself. */
  dispose(): void;
}

/** A limiter on counters in this process: it never makes anyone wait. */
export interface LocalRateLimiter extends RateLimiter {
  check(key: string, context?: unknown): void;
  consume(key: string, points?: number, context?: unknown): RateLimitOutcome;
  getStatus(key: string): RateLimitStatus | undefined;
  reset(key?: string): void;
}

const DEFAULTS: ResolvedRateLimitConfig = {
  limit: 100,
  windowMs: 15 * 60_000,
  errorMessage: "Rate limit exceeded. Please try again in {waitTime} seconds.",
  keyGenerator: undefined,
  skipInDevelopment: false,
  exposeKey: false,
};

/**
 * Makes a limiter on counters in this process.
 *
 * @example createRateLimiter({ limit: 10, windowMs: 60_000 }).check("report:ada");
 * @throws where a setting makes no sense
 */
export function createRateLimiter(
  options?: RateLimiterOptions & { readonly store?: undefined },
): LocalRateLimiter;
/** Makes a limiter on a store, which may take its time. */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter;
/** Makes a limiter: without a store of its own it counts in this process. */
export function createRateLimiter(options: RateLimiterOptions = {}): RateLimiter {
  const { maxKeys, environment, ports = systemPorts, store: given, ...first } = options;
  const store = given ?? createMemoryRateLimitStore({ ports, ...(maxKeys === undefined ? {} : { maxKeys }) });
  let config = merge(DEFAULTS, first, store.rule);

  const environmentName = () => (typeof environment === "function" ? environment() : environment);
  const isOff = () => config.skipInDevelopment && environmentName() === "development";
  const keyOf = (key: string, context: unknown) => {
    const counted = config.keyGenerator === undefined ? key : config.keyGenerator(key, context);
    return shortKey(counted);
  };
  const refusal = (outcome: RateLimitOutcome, key?: string) => toRefusal(config, outcome, key);
  const consume = (key: string, points = 1, context?: unknown): MaybePromise<RateLimitOutcome> => {
    if (!Number.isSafeInteger(points) || points < 1)
      throw new Error("points must be a whole number of 1 or more");
    if (isOff()) return { allowed: true, remaining: config.limit, resetMs: 0 };
    const counted = keyOf(key, context);
    try {
      const outcome = store.consume(counted, points, config);
      return isPromise(outcome) ? outcome.catch(failClosed) : outcome;
    } catch (cause) {
      return failClosed(cause);
    }
  };
  const judge = (outcome: RateLimitOutcome, key: string, context: unknown): void => {
    if (!outcome.allowed) throw refusal(outcome, config.exposeKey ? keyOf(key, context) : undefined);
  };

  return {
    refusal,
    consume,
    check(key, context) {
      const outcome = consume(key, 1, context);
      if (isPromise(outcome)) return outcome.then((late) => judge(late, key, context));
      return judge(outcome, key, context);
    },
    getStatus(key) {
      if (store.peek === undefined) throw new Error("this store cannot tell how a key stands");
      return andThen(store.peek(shortKey(key), config), (found) => {
        if (found === undefined) return undefined;
        const { remaining, resetMs } = found;
        const { limit } = config;
        return { current: limit - remaining, limit, remaining, resetTime: ports.now() + resetMs };
      });
    },
    reset(key) {
      if (store.reset === undefined) throw new Error("this store cannot forget keys");
      return store.reset(key === undefined ? undefined : shortKey(key));
    },
    configure(next) {
      config = merge(config, next, store.rule);
    },
    getConfig: () => config,
    dispose() {
      if (given === undefined) void store.reset?.();
    },
  };
}

/** The central limiter of the application standard; `configure` it at start. It opens nothing. */
export const rateLimiter: LocalRateLimiter = /* @__PURE__ */ createRateLimiter({
  environment: () => process.env["NODE_ENV"],
});

function toRefusal(
  { limit, windowMs, errorMessage, exposeKey }: ResolvedRateLimitConfig,
  { resetMs }: RateLimitOutcome,
  key: string | undefined,
): McpError {
  const waitTimeSeconds = toSeconds(resetMs);
  const message = errorMessage.replaceAll("{waitTime}", () => String(waitTimeSeconds));
  const named = exposeKey && key !== undefined ? { key } : {};
  return new McpError("RATE_LIMITED", message, { waitTimeSeconds, ...named, limit, windowMs });
}

/** The time to wait, in whole seconds, and never none. */
export function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}

/** Longest key that is kept as it is. */
const MAX_KEY = 256;

/** A long key is counted by its digest: keys come from strangers, and memory is finite. */
function shortKey(key: string): string {
  return key.length <= MAX_KEY ? key : `sha256:${createHash("sha256").update(key).digest("base64url")}`;
}

/** A store that fails lets nobody through, and nothing of what it said gets to the caller. */
function failClosed(cause: unknown): never {
  throw new McpError("SERVICE_UNAVAILABLE", "Rate limiting is not available", undefined, { cause });
}

function merge(
  before: ResolvedRateLimitConfig,
  next: RateLimitConfig,
  rule: RateLimitRule | undefined,
): ResolvedRateLimitConfig {
  // Written out, so that `undefined` and unknown members leave no trace; a generator is taken away by naming it.
  const merged = {
    limit: next.limit ?? rule?.limit ?? before.limit,
    windowMs: next.windowMs ?? rule?.windowMs ?? before.windowMs,
    errorMessage: next.errorMessage ?? before.errorMessage,
    keyGenerator: "keyGenerator" in next ? next.keyGenerator : before.keyGenerator,
    skipInDevelopment: next.skipInDevelopment ?? before.skipInDevelopment,
    exposeKey: next.exposeKey ?? before.exposeKey,
  };
  if (!Number.isSafeInteger(merged.limit) || merged.limit < 1) {
    throw new Error("limit must be a whole number of 1 or more");
  }
  if (!Number.isFinite(merged.windowMs) || merged.windowMs < 1) {
    throw new Error("windowMs must be a number of 1 or more");
  }
  if (rule !== undefined && (merged.limit !== rule.limit || merged.windowMs !== rule.windowMs)) {
    throw new Error(
      `the store counts ${rule.limit} in ${rule.windowMs} ms by itself: leave limit and windowMs out, or set them so`,
    );
  }
  return Object.freeze(merged);
}
