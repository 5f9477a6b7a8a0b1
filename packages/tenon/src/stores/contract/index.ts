/**
 * @fileoverview `tenon/testing/stores`: the contracts that every store must fulfill, for authors of stores.
 * @module tenon/testing/stores
 */
export type { ContractCase, ContractClock } from "../../tasks/contract/harness.js";
export type { StoreHarness } from "./harness.js";
export type { SessionRecordLimits } from "./session-record-cases.js";
export {
  busContract,
  eventLogContract,
  keyValueContract,
  rateLimitsContract,
  sessionRecordsContract,
} from "./store-contracts.js";
