/**
 * @fileoverview A rate limit in front of operations: as middleware of a server, or as a guard that anything can ask.
 * @module app/limits/call-guard
 */
import type { Middleware, Operation, OperationResult } from "tenon";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { RateLimiter } from "./rate-limiter.js";

/** Options of `rateLimit` and `limiterGuard`. */
export interface RateLimitOptions<Context = unknown> {
  readonly limiter: RateLimiter;
  /** The key of an operation. @default the operation and the principal; where nobody signed in, all share one */
  readonly key?: (operation: Operation<Context>) => string;
}

/** Something that lets an operation pass, or throws. */
export interface OperationGuard<Context = unknown> {
  check(operation: Operation<Context>): MaybePromise<void>;
}

/** A guard that counts every operation; it answers at once where the limiter's store does. */
export function limiterGuard<Context = unknown>(options: RateLimitOptions<Context>): OperationGuard<Context> {
  const { limiter, key = rememberedKeys() } = options;
  return { check: (operation) => limiter.check(key(operation), operation.call.context) };
}

/**
 * Middleware that counts every operation of a server, before its handler runs.
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
 * A key of its own for each principal and operation. The name comes first: it is the server's, so that no principal can
 * spell another's key, and one that calls itself `anonymous` shares with nobody.
 */
export function operationKey({ kind, name, call }: Operation): string {
  const principal = call.auth?.principal;
  return principal === undefined ? `${kind} ${name} anonymous` : `${kind} ${name}\n${principal}`;
}

/** The same, kept for a caller that calls again: a text that is known needs not be put together and hashed anew. */
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
