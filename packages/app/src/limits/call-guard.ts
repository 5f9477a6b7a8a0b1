/**
 * @fileoverview Rate limits for operations, as server middleware or as a standalone guard.
 * @module app/limits/call-guard
 */
import type { Middleware, Operation, OperationResult } from "tenon";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { RateLimiter } from "./rate-limiter.js";

/** Options of `rateLimit` and `limiterGuard`. */
export interface RateLimitOptions<Context = unknown> {
  readonly limiter: RateLimiter;
  /** Returns the key of an operation. @default operation and principal; anonymous callers share one key */
  readonly key?: (operation: Operation<Context>) => string;
}

/** Check that passes an operation or throws. */
export interface OperationGuard<Context = unknown> {
  check(operation: Operation<Context>): MaybePromise<void>;
}

/** Creates a guard that counts every operation. It is synchronous if the limiter's store is. */
export function limiterGuard<Context = unknown>(options: RateLimitOptions<Context>): OperationGuard<Context> {
  const { limiter, key = rememberedKeys() } = options;
  return { check: (operation) => limiter.check(key(operation), operation.call.context) };
}

/**
 * Creates middleware that counts every operation of a server before its handler runs.
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
 * Returns the key of a principal and an operation. The operation is the first part because the server defines it: no
 * principal can choose a name that produces another principal's key, and a principal named `anonymous` shares no key.
 */
export function operationKey({ kind, name, call }: Operation): string {
  const principal = call.auth?.principal;
  return principal === undefined ? `${kind} ${name} anonymous` : `${kind} ${name}\n${principal}`;
}

/** Caches keys per caller, so that a repeated call need not build and hash the same text again. */
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
