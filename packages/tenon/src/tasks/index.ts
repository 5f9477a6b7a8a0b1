/**
 * @fileoverview `tenon/tasks`: tools that run as tasks, which outlive their request.
 * @module tenon/tasks
 */
export { tasks } from "./extension.js";
export { createTaskEngine } from "./engine/create-engine.js";
export type { EngineLimits, EngineOptions } from "./engine/engine-options.js";
export type { TaskEngineContext, TaskEngineSource } from "./engine/engine-source.js";
export {
  type StoredTask,
  type TaskEngine,
  TaskEngineError,
  type TaskWorker,
  type TaskWrite,
} from "./engine/task-engine.js";
export type { TaskOrigin, TasksOptions } from "./options.js";
export type { TaskRecord } from "./state/record.js";
