/**
 * @fileoverview Interface between the contract suite and the author of an engine.
 * @module tenon/tasks/contract/harness
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { TaskEngine } from "../engine/task-engine.js";

/** Limits that some cases set. They have the meaning of the embedded engine's options with the same names. */
export interface ContractLimits {
  readonly concurrency?: number;
  readonly concurrencyPerPrincipal?: number;
  readonly maxTasks?: number;
  readonly maxTasksPerPrincipal?: number;
  readonly maxTotalBytes?: number;
}

/** Times of a contract suite. */
export interface ContractTimes {
  /**
   * Clock of the engines or stores.
   * @default the system clock; cases about time then wait, for up to a few seconds
   */
  readonly clock?: ContractClock;
  /**
   * Maximum time in milliseconds to wait for an expected event, such as the run of a task or the delivery of a message.
   * @default 10000
   */
  readonly timeoutMs?: number;
  /**
   * Time in milliseconds to wait for events that must not happen.
   * @default 50
   */
  readonly quietMs?: number;
}

/** Functions that create the engines under test. The suite closes all engines at the end of each case. */
export interface TaskEngineHarness extends ContractTimes {
  /** Creates an engine without tasks. */
  readonly createEngine: (limits: ContractLimits) => MaybePromise<TaskEngine>;
  /** Creates an engine with the same tasks, as on a second node. Omit it if tasks belong to one process. */
  readonly createPeer?: (engine: TaskEngine) => MaybePromise<TaskEngine>;
  /**
   * Ends an engine as if its process was killed, and creates a new one with the same tasks. The old engine must not
   * run or change tasks from then on. Omit it if tasks are lost with the process.
   */
  readonly reopen?: (engine: TaskEngine) => MaybePromise<TaskEngine>;
  /**
   * Limits that `createEngine` applies. Cases for other limits are left out.
   * @default none
   */
  readonly limits?: readonly (keyof ContractLimits)[];
}

/** Clock that the suite can move. */
export interface ContractClock {
  /** Returns the time in milliseconds since the epoch. */
  now(): number;
  advance(ms: number): MaybePromise<void>;
}

/** One case of the contract. `run` rejects with an `Error` if the engine fails it. */
export interface ContractCase {
  readonly title: string;
  readonly run: () => Promise<void>;
}
