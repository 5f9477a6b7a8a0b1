/**
 * @fileoverview Locks for tasks that are being created, renamed, or removed.
 * @module agent/storage/task-locks
 */

/** Locks by task ID. Work that shares a task runs in call order. */
export class TaskLocks {
  /** End of the last work that was given, by task ID. Never rejects. */
  readonly #ends = new Map<string, Promise<unknown>>();

  /** Returns true if work on a task is running or waiting. */
  isHeld(taskId: string): boolean {
    return this.#ends.has(taskId);
  }

  /** Waits for the work that was given so far. More work may be running afterwards, so the caller checks `isHeld`. */
  async settle(taskId: string): Promise<void> {
    await this.#ends.get(taskId);
  }

  /**
   * Runs work that needs the given tasks for itself. All tasks are locked before this function returns, so that work
   * with several tasks cannot block itself. Locked work that locks more tasks may lock only tasks whose work never
   * waits for the tasks that it has.
   */
  async run<T>(taskIds: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = Promise.all(taskIds.flatMap((taskId) => this.#ends.get(taskId) ?? []));
    const result = before.then(work);
    const end = result.catch(() => undefined);
    for (const taskId of taskIds) this.#ends.set(taskId, end);
    try {
      return await result;
    } finally {
      for (const taskId of taskIds) if (this.#ends.get(taskId) === end) this.#ends.delete(taskId);
    }
  }
}
