/**
 * @fileoverview Options and requests for the task store.
 * @module agent/storage/store-options
 */
import { defineOptions, type OptionsOf, type ParsedOptions } from "@tenon/internal/options/define-options";
import { callback, custom, integer, oneOf, text } from "@tenon/internal/options/option-rows";
import { systemPorts } from "@tenon/internal/ports";
import type { Logger } from "tenon";
import { MAX_TIMER } from "../shared/max-timer.js";
import type { TaskFilter } from "./list/task-list.js";

/** Limits of stored tasks, which operators set with the conversation options. */
export const TASK_LIMITS = {
  /** Maximum number of stored tasks, including subtasks. @default 10000 */
  maxTasks: integer({ default: 10_000, max: MAX_TIMER }),
  /**
   * Action at `maxTasks`: archive or delete the oldest idle task, or reject the new one. Archived tasks are in the folder
   * `.archive`. Completed tasks go first, and tasks in use never go.
   * @default "archive"
   */
  whenFull: oneOf(["archive", "delete", "reject"], { default: "archive" }),
  /**
   * Maximum size of a task on disk, in bytes. At the limit, new messages are rejected.
   * @default 16777216
   */
  maxTaskBytes: integer({ default: 16_777_216, max: MAX_TIMER }),
} as const;

/** Options for `TaskStore`. */
export const STORE_OPTIONS = /* @__PURE__ */ defineOptions("TaskStore", {
  /** Storage folder, created for the first task with owner-only permissions. Only one process may use it at a time. */
  folder: text({ required: true }),
  ...TASK_LIMITS,
  /** Maximum size of a task's stored results in bytes. @default 67108864 */
  maxResultBytes: integer({ default: 67_108_864 }),
  /** Returns true if a task is in use, so that it must not be removed to make room. */
  isInUse: callback<(taskId: string) => boolean>(),
  /** Called after a task was removed. Called for each subtask, too. */
  onRemoved: callback<(taskId: string, how: Removal) => void>(),
  /** Receives warnings about files that cannot be read or written. */
  logger: custom<Logger>(),
  /** Returns the current time. Replaced in tests. */
  now: callback<() => number>({ default: systemPorts.now }),
});

/** Options for `TaskStore`. */
export type TaskStoreOptions = OptionsOf<typeof STORE_OPTIONS>;

/** Options for `TaskStore`, with all defaults applied. */
export type TaskStoreSettings = ParsedOptions<typeof STORE_OPTIONS>;

/** Way in which a task is removed. */
export type Removal = "archive" | "delete";

/** Request for a page of the task list. */
export interface TaskPageRequest extends TaskFilter {
  /** Maximum number of tasks. */
  readonly limit: number;
  /** Words that the title or a message must contain, in any order and case. */
  readonly search?: string | undefined;
  /** ID of the user who searches. The number of searches per user is limited. */
  readonly requestedBy?: string | undefined;
}
