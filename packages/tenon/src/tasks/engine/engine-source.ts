/**
 * @fileoverview Interface for stores that provide a task engine. With such a store, the tasks of a server run on all of
 * its nodes.
 * @module tenon/tasks/engine/engine-source
 */
import type { RecordSealer } from "../../core/wire/cluster-link.js";
import type { EngineLimits } from "./engine-options.js";
import type { TaskEngine } from "./task-engine.js";

/** Parts that an engine needs from its server. */
export interface TaskEngineContext {
  /** Name of the server. Nodes whose servers have the same name share their tasks, and others do not see them. */
  readonly server: string;
  /** Encrypts records. The backend must not see arguments, answers, results, or identities. */
  readonly sealer: RecordSealer;
  /** Limits from the options of `tasks()`. `concurrency` applies to each node, the others to all nodes together. */
  readonly limits: EngineLimits;
}

/** Provides task engines. */
export interface TaskEngineSource {
  /** Creates the engine for a server's tasks. The server closes it. */
  createTaskEngine(context: TaskEngineContext): TaskEngine;
}

/** Returns true if a store provides task engines. */
export function isEngineSource(store: object): store is TaskEngineSource {
  return "createTaskEngine" in store && typeof store.createTaskEngine === "function";
}
