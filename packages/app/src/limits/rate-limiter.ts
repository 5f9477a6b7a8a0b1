/**
 * @fileoverview Rate limiter that allows a maximum number of attempts per key and time window.
 * @module app/limits/rate-limiter
 */
import { createHash } from "node:crypto";
import { andThen, isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import {
  assertOptions,
  defineOptions,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
  pickOptions,
} from "@tenon/internal/options/define-options";
import { callback, custom, flag, integer, text } from "@tenon/internal/options/option-rows";
import { type Ports, systemPorts } from "@tenon/internal/ports";
import { McpError } from "tenon/protocol";
import type { RateLimitOutcome, RateLimitRule } from "tenon/stores";
import { createMemoryRateLimitStore, MEMORY_OPTIONS } from "./memory-rate-limit-store.js";
import type { RateLimitStore } from "./rate-limit-store.js";

const RATE_LIMIT = /* @__PURE__ */ defineOptions("rateLimiter.configure", {
  /**
   * Maximum number of attempts per window.
   * @default 100
   */
  limit: integer({ default: 100, aliases: ["max", "points"] }),
  /**
   * Window length in milliseconds, at least 1. A key's window opens with its first attempt.
   * @default 900000 (15 minutes)
   */
  windowMs: custom<number>({
    default: 15 * 60_000,
    aliases: ["window", "duration"],
    expected: "a finite number greater than or equal to 1 (milliseconds)",
    accepts: (value) => Number.isFinite(value) && Number(value) >= 1,
  }),
  /**
   * Error message for rejected callers. `{waitTime}` is replaced with the number of seconds to wait.
   * @default "Rate limit exceeded. Please try again in {waitTime} seconds."
   */
  errorMessage: text({
    default: "Rate limit exceeded. Please try again in {waitTime} seconds.",
    aliases: ["message"],
  }),
  /** Maps the caller's key to the key to count. @default the caller's key, unchanged */
  keyGenerator: callback<(key: string, context?: unknown) => string>(),
  /**
   * Disables the limit when `environment` is `development`.
   * @default false
   */
  skipInDevelopment: flag({ default: false }),
  /**
   * Includes the key in the error's `details`. Leave this off if keys contain data that callers must not see.
   * @default false
   */
  exposeKey: flag({ default: false }),
});

/** Settings that can be changed at any time with `configure`. */
export interface RateLimitConfig extends OptionsOf<typeof RATE_LIMIT> {}

/** Rate limit settings with all defaults applied. */
export type ResolvedRateLimitConfig = ParsedOptions<typeof RATE_LIMIT>;

const LIMITER_OPTIONS = /* @__PURE__ */ defineOptions("createRateLimiter", {
  ...RATE_LIMIT.rows,
  /** Store for the counters. @default an in-memory store */
  store: custom<RateLimitStore>(),
  /**
   * Maximum number of keys in the in-memory store.
   * @default 10000
   */
  maxKeys: MEMORY_OPTIONS.rows.maxKeys,
  /** Name of the environment, for `skipInDevelopment`. */
  environment: custom<string | (() => string | undefined)>(),
  /** Clock, for tests. */
  ports: custom<Pick<Ports, "now">>(),
});

/** Options for `createRateLimiter`. */
export interface RateLimiterOptions extends OptionsOf<typeof LIMITER_OPTIONS> {}

/** Current state of one key. */
export interface RateLimitStatus {
  /** Points used in this window. */
  readonly current: number;
  readonly limit: number;
  readonly remaining: number;
  /** End of the window, in milliseconds since the epoch. */
  readonly resetTime: number;
}

/** Rate limiter. Its methods are asynchronous only if its store is. */
export interface RateLimiter {
  /**
   * Counts one attempt.
   *
   * @throws {McpError} `RATE_LIMITED` if the limit is exceeded
   * @throws {McpError} `SERVICE_UNAVAILABLE` if the store fails
   */
  check(key: string, context?: unknown): MaybePromise<void>;
  /** Consumes points and returns the outcome. Exceeding the limit does not throw. */
  consume(key: string, points?: number, context?: unknown): MaybePromise<RateLimitOutcome>;
  /** Creates the error that `check` throws for a rejected attempt. */
  refusal(outcome: RateLimitOutcome, key?: string): McpError;
  /** Returns a key's state, or `undefined` if no window is open. Pass the key that `keyGenerator` returns. */
  getStatus(key: string): MaybePromise<RateLimitStatus | undefined>;
  /** Deletes the counter for a key, or all counters. */
  reset(key?: string): MaybePromise<void>;
  /** Changes the given settings. Open windows keep their end time. @throws if a setting is invalid */
  configure(config: RateLimitConfig): void;
  /** Returns the current settings, with all defaults applied. */
  getConfig(): Readonly<ResolvedRateLimitConfig>;
  /** Deletes all counters in the limiter's own in-memory store. A store passed as an option is left unchanged. */
  dispose(): void;
}

/** Synchronous rate limiter with in-memory counters. */
export interface LocalRateLimiter extends RateLimiter {
  check(key: string, context?: unknown): void;
  consume(key: string, points?: number, context?: unknown): RateLimitOutcome;
  getStatus(key: string): RateLimitStatus | undefined;
  reset(key?: string): void;
}

/**
 * Creates a synchronous limiter with in-memory counters.
 *
 * @example createRateLimiter({ limit: 10, windowMs: 60_000 }).check("report:ada");
 * @throws if a setting is invalid
 */
export function createRateLimiter(
  options?: RateLimiterOptions & { readonly store?: undefined },
): LocalRateLimiter;
/** Creates a limiter on the given store, which may be asynchronous. */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter;
/** Creates a limiter. Without a `store`, it counts in memory. */
export function createRateLimiter(options: RateLimiterOptions = {}): RateLimiter {
  const parsed = parseOptions(LIMITER_OPTIONS, options);
  const { maxKeys, environment, ports = systemPorts, store: given, ...settings } = parsed;
  const store = given ?? createMemoryRateLimitStore({ ports, maxKeys });
  let config = merge(settings, options, store.rule);

  const environmentName = () => (typeof environment === "function" ? environment() : environment);
  const isOff = () => config.skipInDevelopment && environmentName() === "development";
  const keyOf = (key: string, context: unknown) => shortKey(config.keyGenerator?.(key, context) ?? key);
  const refusal = (outcome: RateLimitOutcome, key?: string) => toRefusal(config, outcome, key);
  const consume = (key: string, points = 1, context?: unknown): MaybePromise<RateLimitOutcome> => {
    if (!Number.isSafeInteger(points) || points < 1)
      throw new Error(`\`points\` must be a positive integer; got ${String(points)}.`);
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
      if (store.peek === undefined)
        throw new Error("This store does not support `getStatus`. Implement `peek` in the store.");
      return andThen(store.peek(shortKey(key), config), (found) => {
        if (found === undefined) return undefined;
        const { remaining, resetMs } = found;
        const { limit } = config;
        return { current: limit - remaining, limit, remaining, resetTime: ports.now() + resetMs };
      });
    },
    reset(key) {
      if (store.reset === undefined)
        throw new Error("This store does not support `reset`. Implement `reset` in the store.");
      return store.reset(key === undefined ? undefined : shortKey(key));
    },
    configure(next) {
      assertOptions(RATE_LIMIT, next);
      config = merge(config, next, store.rule);
    },
    getConfig: () => config,
    dispose() {
      if (given === undefined) void store.reset?.();
    },
  };
}

/** The application's shared rate limiter. Call `configure` at startup to set its limit. */
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

/** Converts milliseconds to whole seconds, rounded up, at least 1. */
export function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}

/** Maximum length of a key to store unchanged, in characters. */
const MAX_KEY = 256;

/** Replaces a long key with its digest. Keys can come from clients, so their size must be limited. */
function shortKey(key: string): string {
  return key.length <= MAX_KEY ? key : `sha256:${createHash("sha256").update(key).digest("base64url")}`;
}

/** Message for clients when the store fails. */
export const UNAVAILABLE = "Rate limiting is temporarily unavailable. Try again later.";

/** Rejects the request because the store failed. The store's error becomes the `cause`, which clients do not see. */
function failClosed(cause: unknown): never {
  throw new McpError("SERVICE_UNAVAILABLE", UNAVAILABLE, undefined, { cause });
}

function merge(
  before: ResolvedRateLimitConfig,
  next: RateLimitConfig,
  rule: RateLimitRule | undefined,
): ResolvedRateLimitConfig {
  const merged = {
    ...before,
    ...(rule && { limit: rule.limit, windowMs: rule.windowMs }),
    ...pickOptions(RATE_LIMIT, next),
    // An explicit `keyGenerator: undefined` removes the generator.
    keyGenerator: "keyGenerator" in next ? next.keyGenerator : before.keyGenerator,
  };
  if (rule !== undefined && (merged.limit !== rule.limit || merged.windowMs !== rule.windowMs)) {
    throw new Error(
      `The store has a fixed limit of ${rule.limit} attempts per ${rule.windowMs} ms; ` +
        `got ${merged.limit} attempts per ${merged.windowMs} ms. ` +
        "Omit `limit` and `windowMs`, or set them to the same values.",
    );
  }
  return Object.freeze(merged);
}
