/**
 * @fileoverview Middleware for idempotency keys: a repeated call with the same key gets the outcome of the first one
 * instead of a second side effect.
 * @module tenon/stores/idempotency/idempotency
 */
import { readIdempotencyKey } from "../../core/call/idempotency-key.js";
import type { Middleware } from "../../core/call/middleware.js";
import { runKeyedCall } from "./keyed-call.js";
import { type IdempotencyOptions, parseIdempotencyOptions } from "./options.js";

/**
 * Creates middleware that runs a tool call once for each idempotency key, on all nodes. Clients send the key in the
 * header `Idempotency-Key` or in `_meta["tenon/idempotencyKey"]`. Calls without a key are not affected.
 *
 * @example defineServer({ name: "shop", version: "1.0.0" }).use(idempotency({ store }))
 * @throws {TypeError} if an option is unknown or invalid
 */
export function idempotency(options: IdempotencyOptions): Middleware {
  const settings = parseIdempotencyOptions(options);
  return function idempotency(operation, next) {
    // The task itself runs through the middleware later.
    if (operation.kind !== "tool" || operation.isPreparation === true) return next();
    const key = readIdempotencyKey(operation.call);
    return key === undefined ? next() : runKeyedCall(settings, operation, { key, next });
  };
}
