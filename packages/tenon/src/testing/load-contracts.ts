/**
 * @fileoverview Loads the contracts of task engines and stores. Tests that only use the client do not load them.
 * @module tenon/testing/load-contracts
 */
import type { StoreHarness } from "../stores/contract/harness.js";
import type { SessionRecordLimits } from "../stores/contract/session-record-cases.js";
import type { EventLogLimits } from "../stores/event-limits.js";
import type { Bus, EventLog, KeyValueStore, RateLimits, SessionRecords } from "../stores/ports.js";
import type { ContractCase, TaskEngineHarness } from "../tasks/contract/harness.js";

/** Contracts. Each function returns the cases that apply. Run each case as a test, with any test runner. */
export interface Contracts {
  /** Contract of a task engine. */
  readonly taskEngine: (harness: TaskEngineHarness) => readonly ContractCase[];
  /** Contract of a key-value store. The records of sessions must fulfill it, too. */
  readonly keyValue: (harness: StoreHarness<KeyValueStore>) => readonly ContractCase[];
  /** Contract of the records of sessions, besides that of a key-value store. */
  readonly sessionRecords: (
    harness: StoreHarness<SessionRecords, SessionRecordLimits>,
  ) => readonly ContractCase[];
  /** Contract of an event log. */
  readonly eventLog: (harness: StoreHarness<EventLog, EventLogLimits>) => readonly ContractCase[];
  /** Contract of a bus. */
  readonly bus: (harness: StoreHarness<Bus>) => readonly ContractCase[];
  /** Contract of rate limits. */
  readonly rateLimits: (harness: StoreHarness<RateLimits>) => readonly ContractCase[];
}

/**
 * Loads the contracts that every task engine and every store must fulfill.
 *
 * @example
 * const contracts = await loadContracts();
 * const cases = contracts.keyValue({ createStore: () => createPostgresStore({ table: createTableName() }) });
 * describe("Postgres store", () => {
 *   for (const { title, run } of cases) test(title, run);
 * });
 */
export async function loadContracts(): Promise<Contracts> {
  const [tasks, stores] = await Promise.all([
    import("../tasks/contract/task-engine-contract.js"),
    import("../stores/contract/store-contracts.js"),
  ]);
  return {
    taskEngine: tasks.taskEngineContract,
    keyValue: stores.keyValueContract,
    sessionRecords: stores.sessionRecordsContract,
    eventLog: stores.eventLogContract,
    bus: stores.busContract,
    rateLimits: stores.rateLimitsContract,
  };
}
