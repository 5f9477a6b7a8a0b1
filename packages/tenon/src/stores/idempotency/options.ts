/**
 * @fileoverview Options for `idempotency` and their defaults.
 * @module tenon/stores/idempotency/options
 */
import { ANONYMOUS, ownerOf } from "@tenon/internal/collections/fair-share";
import { isJsonObject } from "@tenon/internal/json";
import {
  defineOptions,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { custom, integer, oneOf } from "@tenon/internal/options/option-rows";
import type { OwnerIds } from "@tenon/internal/security/owner-ids";
import type { Call } from "../../core/call/call.js";
import { createOwnerIds } from "../owner-ids.js";
import type { KeyValueStore } from "../ports.js";
import type { SharedStore } from "../shared-store.js";

const IDEMPOTENCY_OPTIONS = /* @__PURE__ */ defineOptions("idempotency", {
  /** Store for the records: the shared store of the server's nodes, or a key-value store. */
  store: custom<Pick<SharedStore, "values"> | KeyValueStore>({
    required: true,
    isSecret: true,
    expected: "a shared store or a key-value store",
    accepts: (value) => toKeyValueStore(value) !== undefined,
    fix: () => "Pass `createMemoryStore()`, or the store that you pass to `serve`.",
  }),
  /**
   * Milliseconds during which a repeated call gets the first outcome.
   * @default 86400000 (24 hours)
   */
  ttlMs: integer({ default: 86_400_000, aliases: ["ttl"] }),
  /**
   * Reaction to a repeated call if the node of the first one stopped before its handler ended: the call is rejected, or
   * the handler runs again. Tools with the annotation `idempotentHint` or `readOnlyHint` always run again.
   * @default "reject"
   */
  onLostNode: oneOf(["reject", "retry"], { default: "reject", aliases: ["onLostWorker"] }),
  /**
   * Maximum size of a stored result in bytes. Stops large results from filling the store. The first call gets a larger
   * result, and repeated calls are rejected.
   * @default 1048576 (1 MiB)
   */
  maxResultBytes: integer({ default: 1_048_576, aliases: ["maxBytes"] }),
});

/** Options for `idempotency`. */
export type IdempotencyOptions = OptionsOf<typeof IDEMPOTENCY_OPTIONS>;

/** Options for `idempotency` with their defaults. */
export interface IdempotencySettings extends ParsedOptions<typeof IDEMPOTENCY_OPTIONS> {
  readonly store: KeyValueStore;
  /** Returns the opaque ID of the caller that a record counts for. Callers without authentication count together. */
  readonly findOwner: (call: Call) => Promise<string>;
}

/** Checks the options and sets the defaults. @throws {TypeError} if an option is unknown or invalid */
export function parseIdempotencyOptions(options: IdempotencyOptions): IdempotencySettings {
  const settings = parseOptions(IDEMPOTENCY_OPTIONS, options);
  const store = toKeyValueStore(settings.store) as KeyValueStore; // Safe: checked by the option
  return { ...settings, store, findOwner: createOwnerFinder(store) };
}

/** Several servers can use the same middleware, and each has its own IDs. */
function createOwnerFinder(store: KeyValueStore): IdempotencySettings["findOwner"] {
  const idsByServer = new WeakMap<object, OwnerIds>();
  return async ({ auth, incoming: { services } }) => {
    if (auth === undefined) return ANONYMOUS;
    const { ports, records: sealer, serverName: server } = services;
    const ids = idsByServer.get(services) ?? createOwnerIds({ ports, sealer, server, values: store });
    idsByServer.set(services, ids);
    return ids.of(ownerOf(auth.principal));
  };
}

/** Returns the key-value store of a shared store, or the store itself. */
function toKeyValueStore(store: unknown): KeyValueStore | undefined {
  const values = isJsonObject(store) ? (store["values"] ?? store) : undefined;
  // Safe: the type of the option, and the member that other stores lack.
  return isJsonObject(values) && "compareAndSet" in values ? (values as unknown as KeyValueStore) : undefined;
}
