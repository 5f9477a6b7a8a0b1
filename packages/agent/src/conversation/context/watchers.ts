/**
 * @fileoverview Who watches which task: every client that wrote in it or loaded it.
 * @module agent/conversation/watchers
 */

/** A client that can be sent something. */
export interface Client {
  /** False where it is gone. */
  sendBytes(bytes: Uint8Array): boolean;
}

/** What watching is about. */
export interface WatchersParts {
  /** Hears of a task that nobody watches any more. */
  readonly onLeft: (taskId: string) => void;
  readonly isRunning: (taskId: string) => boolean;
}

/** The clients of every task, and the tasks of every client. */
export class Watchers {
  readonly #byTask = new Map<string, Set<Client>>();
  readonly #byClient = new Map<Client, Set<string>>();
  readonly #parts: WatchersParts;

  constructor(parts: WatchersParts) {
    this.#parts = parts;
  }

  /** A client is there, which may watch. */
  add(client: Client): void {
    this.#byClient.set(client, new Set());
  }

  /**
   * From now on the client hears of the task. When the tasks of one client are too many, the oldest that does not run is
   * dropped. False where the client has left.
   */
  watch(taskId: string, client: Client): boolean {
    const tasks = this.#byClient.get(client);
    if (tasks === undefined) return false; // it left while its message was being answered
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

  /** The client is gone. */
  remove(client: Client): void {
    const tasks = this.#byClient.get(client) ?? [];
    this.#byClient.delete(client);
    for (const taskId of tasks) this.#leave(taskId, client);
  }

  /** Whether anybody watches the task. */
  has(taskId: string): boolean {
    return this.#byTask.has(taskId);
  }

  /** Sends the same bytes to all who watch the task. */
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
