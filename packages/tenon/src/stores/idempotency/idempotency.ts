/**
 * @fileoverview Middleware for idempotency keys: a repeated call with the same key gets the outcome of the first one
 * instead of a second side effect.
 * @module stores/idempotency/idempotency
 */
import { isJsonObject } from "@tenon/internal/json";
import { kindOf, showValue } from "@tenon/internal/kind-of";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import { readIdempotencyKey } from "../../core/call/idempotency-key.js";
import type { Middleware } from "../../core/call/middleware.js";
import type { KeyValueStore } from "../ports.js";
import type { SharedStore } from "../shared-store.js";
import { type IdempotencySettings, runKeyedCall } from "./keyed-call.js";

/** Options for `idempotency`. */
export interface IdempotencyOptions {
  /** Store for the records: the shared store of the server's nodes, or a key-value store. */
  readonly store: Pick<SharedStore, "values"> | KeyValueStore;
  /**
   * Milliseconds during which a repeated call gets the first outcome.
   * @default 86400000 (24 hours)
   */
  readonly ttlMs?: number;
  /**
   * Reaction to a repeated call if the node of the first one stopped before its handler ended: the call is rejected, or
   * the handler runs again. Tools with the annotation `idempotentHint` or `readOnlyHint` always run again.
   * @default "reject"
   */
  readonly onLostNode?: "reject" | "retry";
  /**
   * Maximum size of a stored result in bytes. Stops large results from filling the store. The first call gets a larger
   * result, and repeated calls are rejected.
   * @default 1048576 (1 MiB)
   */
  readonly maxResultBytes?: number;
}

/**
 * Creates middleware that runs a tool call once for each idempotency key, on all nodes. Clients send the key in the
 * header `Idempotency-Key` or in `_meta["tenon/idempotencyKey"]`. Calls without a key are not affected.
 *
 * @example defineServer({ name: "shop", version: "1.0.0" }).use(idempotency({ store }))
 * @throws {TypeError} if an option is unknown or invalid
 */
export function idempotency(options: IdempotencyOptions): Middleware {
  const settings = toSettings(options);
  return function idempotency(operation, next) {
    // The task itself runs through the middleware later.
    if (operation.kind !== "tool" || operation.isPreparation === true) return next();
    const key = readIdempotencyKey(operation.call);
    return key === undefined ? next() : runKeyedCall(settings, operation, { key, next });
  };
}

function toSettings(options: IdempotencyOptions): IdempotencySettings {
  assertKnownOptions(options, { label: "idempotency", names: OPTION_NAMES, aliases: ALIASES });
  const { store, ttlMs = 86_400_000, onLostNode = "reject", maxResultBytes = 1_048_576 } = options;
  for (const [name, value] of Object.entries({ ttlMs, maxResultBytes })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new TypeError(`idempotency: \`${name}\` must be a positive integer; got ${showValue(value)}.`);
  }
  if (!LOST_NODE_MODES.includes(onLostNode)) {
    const got = showValue(onLostNode);
    throw new TypeError(`idempotency: \`onLostNode\` must be "reject" or "retry"; got ${got}.`);
  }
  return { store: toKeyValueStore(store), ttlMs, onLostNode, maxResultBytes };
}

function toKeyValueStore(store: IdempotencyOptions["store"]): KeyValueStore {
  const given: unknown = store;
  const values = isJsonObject(given) ? (given["values"] ?? given) : undefined;
  // Safe: the type of the option, and the member that other stores lack.
  if (isJsonObject(values) && "compareAndSet" in values) return values as unknown as KeyValueStore;
  throw new TypeError(
    `idempotency: \`store\` must be a shared store or a key-value store; got ${kindOf(store)}. ` +
      "Pass `createMemoryStore()`, or the store that you pass to `serve`.",
  );
}

const LOST_NODE_MODES: readonly unknown[] = ["reject", "retry"];

const OPTION_NAMES: OptionNames<IdempotencyOptions> = {
  store: true,
  ttlMs: true,
  onLostNode: true,
  maxResultBytes: true,
};

const ALIASES = { ttl: "ttlMs", onLostWorker: "onLostNode", maxBytes: "maxResultBytes" };
