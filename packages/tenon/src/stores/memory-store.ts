/**
 * @fileoverview Shared store in memory. Servers in one process that share it behave like the nodes of a cluster. Its
 * content is lost when the process exits.
 * @module stores/memory-store
 */
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { createMemoryBus, type MemoryBusOptions } from "./memory-bus.js";
import { createMemoryEventLog, type MemoryEventLogOptions } from "./memory-event-log.js";
import { createMemoryKeyValueStore, type MemoryKeyValueOptions } from "./memory-key-value.js";
import { createMemorySessionRecords } from "./memory-session-records.js";
import { createMemoryRateLimits, type MemoryRateLimitsOptions } from "./memory-rate-limits.js";
import { createMemoryTaskEngines } from "./memory-task-engines.js";
import type { SharedStore } from "./shared-store.js";

/** Options for `createMemoryStore`: the limits of its parts. */
export interface MemoryStoreOptions {
  /** Limits for the records of sessions. At a limit, a new session replaces another one. */
  readonly sessions?: Omit<MemoryKeyValueOptions, "ports">;
  /** Limits for other records, such as the results of calls with an idempotency key. */
  readonly values?: Omit<MemoryKeyValueOptions, "ports">;
  /** Limits for the events of sessions. */
  readonly events?: Omit<MemoryEventLogOptions, "ports">;
  readonly bus?: MemoryBusOptions;
  readonly rateLimits?: Omit<MemoryRateLimitsOptions, "ports">;
  /** Replacements for the system clock and random source, for tests and special runtimes. */
  readonly ports?: Partial<Ports>;
}

/**
 * Creates an empty shared store, for tests of servers on several nodes, and for the nodes of one process.
 *
 * @example
 * const store = createMemoryStore();
 * const nodes = [toFetch(createServer(), { store }), toFetch(createServer(), { store })];
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} if a limit is invalid
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): SharedStore {
  assertKnownOptions(options, { label: "createMemoryStore", names: OPTION_NAMES });
  const { ports = {} } = options;
  const secret = lazily(() => withPorts(ports).randomBytes(SECRET_BYTES));
  return {
    name: "memory",
    sessions: createMemorySessionRecords({ ...options.sessions, ports }),
    values: createMemoryKeyValueStore({ ...options.values, ports }),
    events: createMemoryEventLog({ ...options.events, ports }),
    bus: createMemoryBus(options.bus),
    rateLimits: createMemoryRateLimits({ ...options.rateLimits, ports }),
    ...createMemoryTaskEngines(ports),
    secrets: async () => [secret()],
    // There is no connection: the content stays until the process exits, whoever uses the store.
    open: async () => async () => undefined,
    ping: async () => undefined,
  };
}

const SECRET_BYTES = 32;

const OPTION_NAMES: OptionNames<MemoryStoreOptions> = {
  sessions: true,
  values: true,
  events: true,
  bus: true,
  rateLimits: true,
  ports: true,
};

/** Returns a function that creates a value on its first call. */
function lazily<T extends object>(create: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= create());
}
