/**
 * @fileoverview Shared store in memory. Servers in one process that share it behave like the nodes of a cluster. Its
 * content is lost when the process exits.
 * @module tenon/stores/memory-store
 */
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { custom, object } from "@tenon/internal/options/option-rows";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { BUS_OPTIONS, createMemoryBus } from "./memory-bus.js";
import { createMemoryEventLog, EVENT_LOG_LIMITS } from "./memory-event-log.js";
import { createMemoryKeyValueStore, KEY_VALUE_LIMITS } from "./memory-key-value.js";
import { createMemorySessionRecords } from "./memory-session-records.js";
import { createMemoryRateLimits, RATE_LIMITS_LIMITS } from "./memory-rate-limits.js";
import { createMemoryTaskEngines } from "./memory-task-engines.js";
import type { SharedStore } from "./shared-store.js";

const MEMORY_STORE_OPTIONS = /* @__PURE__ */ defineOptions("createMemoryStore", {
  /** Limits for the records of sessions. At a limit, a new session replaces another one. */
  sessions: object(KEY_VALUE_LIMITS),
  /** Limits for other records, such as the results of calls with an idempotency key. */
  values: object(KEY_VALUE_LIMITS),
  /** Limits for the events of sessions. */
  events: object(EVENT_LOG_LIMITS),
  /** Limits for the messages between nodes. */
  bus: object(BUS_OPTIONS),
  /** Limits for the counters of rate limits. */
  rateLimits: object(RATE_LIMITS_LIMITS),
  /** Replacements for the system clock and random source, for tests and special runtimes. */
  ports: custom<Partial<Ports>>(),
});

/** Options for `createMemoryStore`: the limits of its parts. */
export type MemoryStoreOptions = OptionsOf<typeof MEMORY_STORE_OPTIONS>;

/**
 * Creates an empty shared store, for tests of servers on several nodes, and for the nodes of one process.
 *
 * @example
 * const store = createMemoryStore();
 * const nodes = [toFetch(createServer(), { store }), toFetch(createServer(), { store })];
 * @throws {TypeError} if an option is unknown or invalid
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): SharedStore {
  const { ports = {}, ...limits } = parseOptions(MEMORY_STORE_OPTIONS, options);
  let secret: Uint8Array | undefined;
  return {
    name: "memory",
    sessions: createMemorySessionRecords({ ...limits.sessions, ports }),
    values: createMemoryKeyValueStore({ ...limits.values, ports }),
    events: createMemoryEventLog({ ...limits.events, ports }),
    bus: createMemoryBus(limits.bus),
    rateLimits: createMemoryRateLimits({ ...limits.rateLimits, ports }),
    ...createMemoryTaskEngines(ports),
    secrets: async () => [(secret ??= withPorts(ports).randomBytes(SECRET_BYTES))],
    // There is no connection: the content stays until the process exits, whoever uses the store.
    open: async () => async () => undefined,
    ping: async () => undefined,
  };
}

const SECRET_BYTES = 32;
