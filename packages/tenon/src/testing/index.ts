/**
 * @fileoverview `tenon/testing`: the typed client for tests, and contracts for your own task engines and stores.
 * @module tenon/testing
 */
export type { Client } from "../client/client.js";
export { createClient } from "../client/create-client.js";
export type { StoreHarness } from "../stores/contract/harness.js";
export type { SessionRecordLimits } from "../stores/contract/session-record-cases.js";
export type {
  ContractCase,
  ContractClock,
  ContractLimits,
  TaskEngineHarness,
} from "../tasks/contract/harness.js";
export { createTaskRecord } from "../tasks/contract/records.js";
export { type Contracts, loadContracts } from "./load-contracts.js";
export type { CallResult } from "../client/client-types.js";
export type { TaskHandle } from "../client/task-handle.js";
