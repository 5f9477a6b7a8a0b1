/**
 * @fileoverview Tracks which clients watch which tasks. A client watches a task after it writes to it or loads it.
 * @module agent/conversation/watchers
 */

/** A connected client. */
export interface Client {
  /** Sends bytes. Returns false if the client has disconnected. */
  sendBytes(bytes: Uint8Array): boolean;
}

/** Callbacks of the watchers. */
export interface WatchersParts {
  /** Called when the last watcher of a task leaves. */
  readonly onLeft: (taskId: string) => void;
  readonly isRunning: (taskId: string) => boolean;
}

/** Watchers of every task, and the tasks of every client. */
export class Watchers {
  readonly #byTask = new Map<string, Set<Client>>();
  readonly #byClient = new Map<Client, Set<string>>();
  readonly #parts: WatchersParts;

  constructor(parts: WatchersParts) {
    this.#parts = parts;
  }

  /** Adds a connected client. */
  add(client: Client): void {
    this.#byClient.set(client, new Set());
  }

  /**
   * Adds a watcher to a task. A client that watches too many tasks loses the oldest one that is not running.
   * Returns false if the client has disconnected.
   */
  watch(taskId: string, client: Client): boolean {
    const tasks = this.#byClient.get(client);
    if (tasks === undefined) return false; // it disconnected before its message was answered
    tasks.delete(taskId);
    tasks.add(taskId);
    const clients = this.#byTask.get(taskId) ?? new Set();
    this.#byTask.set(taskId, clients.add(client));
    const oldest = [...tasks].find((task) => task !== taskId && !this.#parts.isRunning(task));
    if (tasks.size > MAX_WATCHED && oldest !== undefined) {
      tasks.delete(oldest);
      this.#leave(oldest, client);
    }
    return true;
  }

  /** Removes a disconnected client. */
  remove(client: Client): void {
    const tasks = this.#byClient.get(client) ?? [];
    this.#byClient.delete(client);
    for (const taskId of tasks) this.#leave(taskId, client);
  }

  /** Checks if a task has a watcher. */
  has(taskId: string): boolean {
    return this.#byTask.has(taskId);
  }

  /** Sends the same bytes to all watchers of a task. */
  send(taskId: string, bytes: Uint8Array): void {
    for (const client of this.#byTask.get(taskId) ?? []) client.sendBytes(bytes);
  }

  #leave(taskId: string, client: Client): void {
    const clients = this.#byTask.get(taskId);
    clients?.delete(client);
    if (clients?.size !== 0) return;
    this.#byTask.delete(taskId);
    this.#parts.onLeft(taskId);
  }
}

const MAX_WATCHED = 64;
