/**
 * @fileoverview Tracks which clients watch which tasks. A client watches a task once it has loaded the task or
 * sent it a message.
 * @module agent/conversation/context/watchers
 */

import { encodeUtf8 } from "@tenon/internal/utf8";
import { type Frame, toFrame } from "../../messages/frames.js";
import type { AgentUser } from "../../users/user.js";

/** Connected client that conversations send frames to. */
export interface Client {
  /** User of the client. `undefined` if the server does not identify users. */
  readonly user?: AgentUser | undefined;
  /** Sends an encoded frame. Returns false if the client has disconnected. */
  sendBytes(bytes: Uint8Array): boolean;
}

/** Callbacks for `Watchers`. */
export interface WatchersParts {
  /** Called when the last client stops watching a task. */
  readonly onLeft: (taskId: string) => void;
  /** Returns true if a task is running. Running tasks are never unwatched to make room. */
  readonly isRunning: (taskId: string) => boolean;
}

/** Index of watched tasks, by task and by client. */
export class Watchers {
  readonly #byTask = new Map<string, Set<Client>>();
  readonly #byClient = new Map<Client, Set<string>>();
  readonly #parts: WatchersParts;

  constructor(parts: WatchersParts) {
    this.#parts = parts;
  }

  /** Adds a connected client, which does not watch any task yet. */
  add(client: Client): void {
    this.#byClient.set(client, new Set());
  }

  /**
   * Makes a client watch a task. A client that watches more than 64 tasks stops watching the oldest task that is not
   * running. Returns false if the client has disconnected.
   */
  watch(taskId: string, client: Client): boolean {
    const tasks = this.#byClient.get(client);
    if (tasks === undefined) return false; // the client disconnected before its message was handled
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

  /** Removes a disconnected client from all tasks. */
  remove(client: Client): void {
    const tasks = this.#byClient.get(client) ?? [];
    this.#byClient.delete(client);
    for (const taskId of tasks) this.#leave(taskId, client);
  }

  /** Returns true if any client watches a task. */
  has(taskId: string): boolean {
    return this.#byTask.has(taskId);
  }

  /** Sends a message to every client that watches a task. @throws if the data cannot be serialized as JSON */
  send(taskId: string, message: Frame): void {
    const clients = this.#byTask.get(taskId);
    if (clients === undefined) return;
    const bytes = encodeUtf8(toFrame(message));
    for (const client of clients) client.sendBytes(bytes);
  }

  /** Makes all clients stop watching a task that was removed. */
  forget(taskId: string): void {
    for (const client of this.#byTask.get(taskId) ?? []) this.#byClient.get(client)?.delete(taskId);
    this.#byTask.delete(taskId);
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
