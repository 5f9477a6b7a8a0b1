/**
 * @fileoverview Options and requests for the task store.
 * @module agent/storage/store-options
 */
import type { Logger } from "tenon";
import type { TaskFilter } from "./list/task-list.js";

/** Options for `TaskStore`. */
export interface TaskStoreOptions {
  /** Storage folder, created for the first task with owner-only permissions. Only one process may use it at a time. */
  readonly folder: string;
  /** Maximum number of stored tasks, including subtasks. @default 10_000 */
  readonly maxTasks?: number | undefined;
  /**
   * Action at the task limit. `"archive"` moves the oldest idle task to the folder `.archive`, `"delete"` deletes it, and
   * `"reject"` rejects the new task. Completed tasks go first, and tasks in use never go.
   * @default "archive"
   */
  readonly whenFull?: "archive" | "delete" | "reject" | undefined;
  /** Maximum size of a task's log in bytes. @default 16 MiB */
  readonly maxTaskBytes?: number | undefined;
  /** Maximum size of a task's stored results in bytes. @default 64 MiB */
  readonly maxResultBytes?: number | undefined;
  /** Returns true if a task is in use, so that it must not be removed to make room. */
  readonly isInUse?: ((taskId: string) => boolean) | undefined;
  /** Called after a task was removed. Called for each subtask, too. */
  readonly onRemoved?: ((taskId: string, how: Removal) => void) | undefined;
  readonly logger?: Logger | undefined;
  readonly now?: (() => number) | undefined;
}

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
