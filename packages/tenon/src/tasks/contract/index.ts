/**
 * @fileoverview `tenon/testing/tasks`: the contract that every task engine must fulfill, for authors of engines.
 * @module tenon/testing/tasks
 */
export { createTaskRecord } from "./records.js";
export type { ContractCase, ContractClock, ContractLimits, TaskEngineHarness } from "./harness.js";
export { taskEngineContract } from "./task-engine-contract.js";
