/**
 * @fileoverview In-memory list of all tasks in a storage folder, with pages that are stable while tasks change.
 * @module agent/storage/list/task-list
 */
import { findDescendants, groupByParent, type TaskFamily } from "../disk/remove-task.js";
import type { FoundTask } from "../disk/scan-tasks.js";
import { StorageError } from "../storage-error.js";
import type { TaskHeader } from "../task-entry.js";
import { isTaskId } from "../task-id.js";

/** Summary of a task for lists. */
export interface TaskSummary {
  readonly taskId: string;
  readonly title: string;
  /** Time of the last change, in milliseconds since the epoch. */
  readonly updatedAt: number;
  /** ID of the user who owns the task. */
  readonly owner?: string | undefined;
}

/** Task in the list. */
export interface KnownTask extends TaskSummary {
  /** ID of the parent task, for a subtask. */
  readonly parentTaskId?: string | undefined;
}

/** Restricts a list of tasks. */
export interface TaskFilter {
  /** Cursor of the previous page. The list continues with older tasks. */
  readonly cursor?: string | undefined;
  /** User whose tasks are listed. Without it, the tasks of all users and tasks without an owner are listed. */
  readonly owner?: string | undefined;
  /** Returns true for tasks that are listed. @default every task */
  readonly isVisible?: TaskVisibility | undefined;
}

/** Returns true if a task is visible to the user who asks for a list. */
export type TaskVisibility = (task: TaskSummary) => boolean;

/** List of all tasks, including subtasks. */
export class TaskList {
  #tasks = new Map<string, KnownTask>();
  #lastTouch = 0;

  /** Number of tasks, including subtasks. */
  get size(): number {
    return this.#tasks.size;
  }

  /** Returns a task, or `undefined` if it is not in the list. */
  get(taskId: string): KnownTask | undefined {
    return this.#tasks.get(taskId);
  }

  /** Returns the owner of the most tasks. `undefined` if most tasks have no owner. */
  largestOwner(): string | undefined {
    const counts = new Map<string | undefined, number>();
    for (const { owner } of this.#tasks.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
  }

  /** Adds a changed task, or moves it to the start of the list. */
  touch({ taskId, title, parentTaskId, owner }: TaskHeader, now: number): void {
    // Each change has its own time, so that changes in the same millisecond keep their order.
    this.#lastTouch = Math.max(now, this.#lastTouch + 1);
    this.#tasks.set(taskId, { taskId, title, updatedAt: this.#lastTouch, parentTaskId, owner });
  }

  /** Changes a title. The task keeps its place in the list. */
  rename(taskId: string, title: string): void {
    const task = this.#tasks.get(taskId);
    if (task !== undefined) this.#tasks.set(taskId, { ...task, title });
  }

  /** Removes a task. */
  delete(taskId: string): void {
    this.#tasks.delete(taskId);
  }

  /** Adds scanned tasks. Tasks that changed during the scan keep their newer state. */
  learn(found: readonly FoundTask[]): void {
    const scanned = found.map(({ header, updatedAt }) => [header.taskId, { ...header, updatedAt }] as const);
    this.#tasks = new Map([...scanned, ...this.#tasks]);
  }

  /** Lists a task's subtasks, their subtasks, and so on. */
  descendantsOf(taskId: string): readonly string[] {
    return findDescendants(taskId, groupByParent(this.#tasks.values()));
  }

  /**
   * Lists tasks without subtasks, newest first.
   *
   * @throws {StorageError} if the cursor is invalid
   */
  newest({ cursor, owner, isVisible = () => true }: TaskFilter = {}): readonly TaskSummary[] {
    const last = cursor === undefined ? undefined : readCursor(cursor);
    return [...this.#tasks.values()]
      .filter(({ parentTaskId }) => parentTaskId === undefined)
      .filter((task) => owner === undefined || task.owner === owner)
      .filter(isVisible)
      .filter((task) => last === undefined || byAge(last, task) < 0)
      .sort(byAge);
  }

  /** Lists all tasks with their subtasks, oldest first. A subtask whose parent does not exist counts as a task. */
  *families(): Generator<TaskFamily> {
    const tasks = [...this.#tasks.values()];
    const children = groupByParent(tasks);
    const roots = tasks
      .filter(({ parentTaskId }) => parentTaskId === undefined || !this.#tasks.has(parentTaskId))
      .sort((one, other) => byAge(other, one));
    for (const { taskId } of roots) yield { taskId, subtasks: findDescendants(taskId, children) };
  }
}

/** Returns the cursor for the tasks after this one. */
export function toCursor({ updatedAt, taskId }: TaskSummary): string {
  return `${updatedAt}-${taskId}`;
}

/** Orders tasks from the newest to the oldest. The ID decides between tasks with the same time. */
function byAge(one: Position, other: Position): number {
  return (
    other.updatedAt - one.updatedAt || (one.taskId < other.taskId ? 1 : one.taskId > other.taskId ? -1 : 0)
  );
}

/** Place of a task in the list. It does not depend on other tasks, so pages are stable while other tasks change. */
type Position = Pick<TaskSummary, "taskId" | "updatedAt">;

function readCursor(cursor: string): Position {
  const [, time = "", taskId] = /^(\d{1,15})-(.{1,128})$/.exec(cursor) ?? [];
  if (!isTaskId(taskId)) throw new StorageError("The cursor is invalid. Request the first page again.");
  return { updatedAt: Number(time), taskId };
}
