/**
 * @fileoverview Runs tasks when a server closes. An `AbortController` would add half a millisecond to startup time.
 * @module core/closing
 */

/** Tasks that run when a server closes. */
export class Closing {
  readonly #tasks = new Set<() => void>();
  #isClosed = false;

  /** True once `close` has been called. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Number of tasks that have not run yet. */
  get size(): number {
    return this.#tasks.size;
  }

  /** Runs `task` when the server closes, unless the returned function is called first. */
  onClose(task: () => void): () => void {
    this.#tasks.add(task);
    return () => void this.#tasks.delete(task);
  }

  /** Runs all tasks and removes them. */
  close(): void {
    this.#isClosed = true;
    for (const task of this.#tasks) task();
    this.#tasks.clear();
  }
}
