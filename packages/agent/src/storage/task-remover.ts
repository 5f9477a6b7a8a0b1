/**
 * @fileoverview Removes tasks with their subtasks: on request, and at the task limit to make room for a new task.
 * @module agent/storage/task-remover
 */
import { archiveTask, deleteTask, type TaskFamily } from "./disk/remove-task.js";
import { Sequence } from "./list/sequence.js";
import type { TaskList } from "./list/task-list.js";
import type { OpenLogs } from "./open-logs.js";
import { peekStatus } from "./read-log.js";
import { orStorageError, StorageError } from "./storage-error.js";
import type { Removal, TaskStoreSettings } from "./store-options.js";
import type { TaskLocks } from "./task-locks.js";

/** Dependencies for `TaskRemover`. */
export interface TaskRemoverParts {
  readonly options: TaskStoreSettings;
  readonly tasks: TaskList;
  readonly logs: OpenLogs;
  readonly locks: TaskLocks;
  readonly warn: (text: string) => void;
}

/** Removes tasks and enforces the task limit. The list of tasks must be complete before the first call. */
export class TaskRemover {
  readonly #parts: TaskRemoverParts;
  /** Removed tasks whose files could not be removed. */
  readonly #unfinished = new Set<string>();
  readonly #admissions = new Sequence();
  #beingMade = 0;

  constructor(parts: TaskRemoverParts) {
    this.#parts = parts;
  }

  /** Returns true if a task was removed, but files remain. Its ID must not be used before the next start. */
  isUnfinished(taskId: string): boolean {
    return this.#unfinished.has(taskId);
  }

  /** Adds tasks that were removed before the last start, but whose files remain. */
  learn(unfinished: readonly string[]): void {
    for (const taskId of unfinished) this.#leave(taskId, "delete");
  }

  /**
   * Creates a task when there is room for it. At the limit, old tasks are removed first.
   *
   * @throws {StorageError} if there is no room
   */
  async admit<T>(make: () => Promise<T>): Promise<T> {
    await this.#admissions.run(async () => {
      while (this.#parts.tasks.size + this.#beingMade >= this.#parts.options.maxTasks) await this.#makeRoom();
      this.#beingMade++;
    });
    try {
      return await make();
    } finally {
      this.#beingMade--;
    }
  }

  /**
   * Deletes a task and its subtasks. All of them are locked before this function returns.
   *
   * @param exists tells whether the task exists. Called when the task is locked
   * @returns false if the task does not exist
   * @throws {StorageError} if the task could not be deleted
   */
  delete(taskId: string, exists: () => Promise<boolean>): Promise<boolean> {
    return this.#lockFamily(taskId, async (family) => {
      if (!(await exists())) return false;
      await this.#remove(family, "delete");
      return true;
    });
  }

  /** Locks a task with its subtasks. A subtask that was created while this work waited is locked, too. */
  #lockFamily<T>(
    taskId: string,
    work: (family: TaskFamily) => Promise<T>,
    locked: ReadonlySet<string> = new Set(),
  ): Promise<T> {
    const subtasks = this.#parts.tasks.descendantsOf(taskId);
    const more = [taskId, ...subtasks].filter((id) => !locked.has(id));
    if (more.length === 0) return work({ taskId, subtasks });
    return this.#parts.locks.run(more, () => this.#lockFamily(taskId, work, new Set([...locked, ...more])));
  }

  async #makeRoom(): Promise<void> {
    const { options, locks, warn } = this.#parts;
    const { whenFull, isInUse, maxTasks } = options;
    const limit = `Too many tasks (limit: ${maxTasks})`;
    if (whenFull === "reject") {
      throw new StorageError(`${limit}. Delete old tasks, or ask the operator to raise \`maxTasks\`.`);
    }
    const isFree = ({ taskId, subtasks }: TaskFamily) =>
      ![taskId, ...subtasks].some((id) => locks.isHeld(id) || isInUse?.(id) === true);
    const family = await this.#findRemovable(isFree);
    if (family === undefined) {
      throw new StorageError(
        `${limit}, and all of them are in use. Try again later, or ask the operator to raise \`maxTasks\`.`,
      );
    }
    // The task may be in use by now. The caller then looks for another one.
    if (!isFree(family)) return;
    const { taskId, subtasks } = family;
    await locks.run([taskId, ...subtasks], () => this.#remove(family, whenFull));
    warn(`task "${taskId}" was ${REMOVED[whenFull]} because of the task limit (${maxTasks}).`);
  }

  /**
   * Finds the task to remove among the 64 oldest tasks that are not in use: the oldest completed one, or else the oldest
   * one that does not wait for an approval, or else the oldest one. Returns `undefined` if every task is in use.
   *
   * Only the tasks of the user who has the most are examined, so that one user cannot make the tasks of others disappear.
   */
  async #findRemovable(isFree: (family: TaskFamily) => boolean): Promise<TaskFamily | undefined> {
    const { options, tasks, logs } = this.#parts;
    const crowded = tasks.largestOwner();
    const oldest: TaskFamily[] = [];
    for (const family of tasks.families()) {
      if (oldest.length === MAX_EXAMINED) break;
      if (tasks.get(family.taskId)?.owner === crowded && isFree(family)) oldest.push(family);
    }
    let idle: TaskFamily | undefined;
    for (const family of oldest) {
      const readStatus = async (id: string) => (await logs.get(id))?.status ?? peekStatus(options.folder, id);
      const status = await readStatus(family.taskId).catch(() => undefined);
      if (status === "completed") return family;
      if (status !== "waiting") idle ??= family;
    }
    return idle ?? oldest[0];
  }

  /** Removes locked tasks. @throws {StorageError} if the task could not be removed */
  async #remove(family: TaskFamily, how: Removal): Promise<void> {
    const { options, tasks, logs } = this.#parts;
    const all = [family.taskId, ...family.subtasks];
    const reason = new StorageError(`The task was ${REMOVED[how]}.`);
    await Promise.all(all.map((id) => logs.end(id, reason)));
    const remove = how === "delete" ? deleteTask : archiveTask;
    const isFinished = await orStorageError(`Could not ${how} the task`, remove(options.folder, family));
    for (const id of all) tasks.delete(id);
    if (!isFinished) for (const id of all) this.#leave(id, how);
    // Called while the tasks are locked, so that it cannot refer to new tasks with the same IDs.
    for (const id of all) options.onRemoved?.(id, how);
  }

  #leave(taskId: string, how: Removal): void {
    this.#unfinished.add(taskId);
    this.#parts.warn(`task "${taskId}" was ${REMOVED[how]}, but some of its files remain.`);
  }
}

const MAX_EXAMINED = 64;
const REMOVED = { archive: "archived", delete: "deleted" } as const;
