/**
 * @fileoverview Error for a task that an engine has no room for. All engines use the same texts.
 * @module tenon/tasks/engine/full-error
 */
import type { EngineLimits } from "./engine-options.js";
import { TaskEngineError } from "./task-engine.js";

/**
 * Limit that a task exceeds: the number of one caller's tasks, the number or memory of all tasks, or the share that one
 * caller has of them.
 */
export type ExceededLimit = "owned" | "entries" | "bytes" | "entries-share" | "bytes-share";

/** Creates the error for a limit. Clients see its message. */
export function createFullError(exceeded: ExceededLimit, limits: EngineLimits): TaskEngineError {
  return new TaskEngineError("full", describe(exceeded, limits));
}

function describe(
  exceeded: ExceededLimit,
  { maxTasks, maxTasksPerPrincipal, maxTotalBytes }: EngineLimits,
): string {
  switch (exceeded) {
    case "owned":
      return `Too many tasks for this caller (limit: ${maxTasksPerPrincipal}).`;
    case "entries":
      return `Too many tasks on this server (limit: ${maxTasks}).`;
    case "bytes":
      return `The tasks on this server use too much memory (limit: ${maxTotalBytes} bytes).`;
    case "entries-share":
      return `Too many tasks for this caller: the remaining places are for others (limit for all: ${maxTasks}).`;
    case "bytes-share":
      return `The tasks of this caller use too much memory: the rest is for others (limit for all: ${maxTotalBytes} bytes).`;
  }
}
