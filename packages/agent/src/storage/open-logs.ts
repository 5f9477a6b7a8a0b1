/**
 * @fileoverview Open logs of tasks. Concurrent users of a task share one log.
 * @module agent/storage/open-logs
 */
import type { StorageError } from "./storage-error.js";
import type { TaskLog } from "./task-log.js";

/** Open logs by task ID, with the number of their users. */
export class OpenLogs {
  readonly #held = new Map<string, Held>();

  /** Returns the log of a task if it is open. Never rejects. */
  async get(taskId: string): Promise<TaskLog | undefined> {
    return this.#held.get(taskId)?.log.catch(() => undefined);
  }

  /** Adds the log of a new task, with one user. */
  add(log: TaskLog): void {
    this.#held.set(log.taskId, { users: 1, log: Promise.resolve(log) });
  }

  /** Adds a user to the log of a task. Reads the log if it is not open. Returns `undefined` if there is none. */
  async open(taskId: string, read: () => Promise<TaskLog | undefined>): Promise<TaskLog | undefined> {
    let held = this.#held.get(taskId);
    if (held === undefined) this.#held.set(taskId, (held = { users: 0, log: read() }));
    held.users++;
    try {
      const log = await held.log;
      if (log === undefined) this.#forget(taskId, held);
      return log;
    } catch (error) {
      this.#forget(taskId, held);
      throw error;
    }
  }

  /** Removes a user of a log. The last release closes the file and removes the log from memory. */
  async release(log: TaskLog): Promise<void> {
    const held = this.#held.get(log.taskId);
    const current = await held?.log.catch(() => undefined);
    if (held === undefined || current !== log || held.users === 0) return;
    held.users--;
    if (held.users > 0) return;
    await log.close();
    if (held.users === 0) this.#forget(log.taskId, held);
  }

  /** Makes the log of a task reject further entries, and removes it from memory. The next `open` reads it again. */
  async end(taskId: string, reason: StorageError): Promise<void> {
    const held = this.#held.get(taskId);
    if (held === undefined) return;
    const log = await held.log.catch(() => undefined);
    await log?.end(reason);
    this.#forget(taskId, held);
  }

  /** Waits for pending writes and closes all files. */
  async close(): Promise<void> {
    await Promise.all([...this.#held.keys()].map(async (taskId) => (await this.get(taskId))?.close()));
  }

  #forget(taskId: string, held: Held): void {
    if (this.#held.get(taskId) === held) this.#held.delete(taskId);
  }
}

interface Held {
  users: number;
  readonly log: Promise<TaskLog | undefined>;
}
