/**
 * @fileoverview Rate limits for operations, as server middleware or as a standalone guard.
 * @module app/limits/call-guard
 */
import type { Middleware, Operation, OperationResult } from "tenon";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { RateLimiter } from "./rate-limiter.js";

/** Options for `rateLimit` and `limiterGuard`. */
export interface RateLimitOptions<Context = unknown> {
  /** Limiter that counts the operations. */
  readonly limiter: RateLimiter;
  /**
   * Returns the key under which an operation is counted.
   * @default the operation and the caller's principal; all anonymous callers share one key per operation
   */
  readonly key?: (operation: Operation<Context>) => string;
}

/** Guard that runs before an operation. */
export interface OperationGuard<Context = unknown> {
  /** Counts the operation. @throws {McpError} `RATE_LIMITED` if the limit is exceeded */
  check(operation: Operation<Context>): MaybePromise<void>;
}

/** Creates a guard that counts every operation. The guard is synchronous if the limiter's store is synchronous. */
export function limiterGuard<Context = unknown>(options: RateLimitOptions<Context>): OperationGuard<Context> {
  const { limiter, key = rememberedKeys() } = options;
  return { check: (operation) => limiter.check(key(operation), operation.call.context) };
}

/**
 * Creates middleware that counts every operation before its handler runs. Calls over the limit fail with
 * `RATE_LIMITED`.
 *
 * @example defineServer({ name: "reports", version: "1.0.0" }).use(rateLimit({ limiter }))
 */
export function rateLimit<Context = unknown>(options: RateLimitOptions<Context>): Middleware<Context> {
  const guard = limiterGuard(options);
  return function rateLimit(operation, next): MaybePromise<OperationResult> {
    const checked = guard.check(operation);
    return isPromise(checked) ? checked.then(() => next()) : next();
  };
}

/**
 * Returns the default key. The operation comes first because the server defines it, so a principal cannot choose a
 * name that produces a different principal's key. The line break keeps a principal named `anonymous` apart from
 * anonymous callers.
 */
export function operationKey({ kind, name, call }: Operation): string {
  const principal = call.auth?.principal;
  return principal === undefined ? `${kind} ${name} anonymous` : `${kind} ${name}\n${principal}`;
}

/** Caches the last key, so that repeated calls do not build and hash the same text again. */
function rememberedKeys(): (operation: Operation) => string {
  let last:
    { readonly kind: string; readonly name: string; readonly principal: string | undefined } | undefined;
  let key = "";
  return (operation) => {
    const { kind, name, call } = operation;
    const principal = call.auth?.principal;
    if (last?.name !== name || last.kind !== kind || last.principal !== principal) {
      last = { kind, name, principal };
      key = operationKey(operation);
    }
    return key;
  };
}
