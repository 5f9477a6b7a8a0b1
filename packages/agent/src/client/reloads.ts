/**
 * @fileoverview Loads open tasks again, one at a time. Many histories at once would exceed the server's limit for a
 * connection, which it would then close.
 * @module agent/client/reloads
 */

/** Dependencies for `Reloads`. */
export interface ReloadsParts {
  /** Returns the IDs of the open tasks, the most recently used last. */
  readonly openTasks: () => readonly string[];
  /** Returns true while the client is connected. */
  readonly isConnected: () => boolean;
  /** Loads a task. Never rejects. */
  readonly load: (taskId: string) => Promise<void>;
}

/** Open tasks that must be loaded again. */
export class Reloads {
  readonly #parts: ReloadsParts;
  readonly #waiting = new Set<string>();
  #isActive = false;

  constructor(parts: ReloadsParts) {
    this.#parts = parts;
  }

  /** Loads tasks again, the most recently used first. */
  add(taskIds: readonly string[]): void {
    for (const taskId of taskIds) this.#waiting.add(taskId);
    if (!this.#isActive) void this.#run();
  }

  /** Forgets the tasks. After a reconnect, all open tasks are added again. */
  clear(): void {
    this.#waiting.clear();
  }

  async #run(): Promise<void> {
    this.#isActive = true;
    for (let taskId = this.#next(); taskId !== undefined; taskId = this.#next()) {
      this.#waiting.delete(taskId);
      await this.#parts.load(taskId);
    }
    this.#waiting.clear();
    this.#isActive = false;
  }

  #next(): string | undefined {
    const { isConnected, openTasks } = this.#parts;
    return isConnected() ? openTasks().findLast((taskId) => this.#waiting.has(taskId)) : undefined;
  }
}
