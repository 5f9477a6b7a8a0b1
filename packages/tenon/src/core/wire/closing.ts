/**
 * @fileoverview Tasks to run when a server closes. An `AbortController` would add half a millisecond to startup.
 * @module core/closing
 */

/** Runs tasks when a server closes. */
export class Closing {
  readonly #tasks = new Set<() => void>();
  #isClosed = false;

  /** True after `close`. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Number of waiting tasks. */
  get size(): number {
    return this.#tasks.size;
  }

  /** Runs `task` on close, unless the returned function is called first. */
  onClose(task: () => void): () => void {
    this.#tasks.add(task);
    return () => void this.#tasks.delete(task);
  }

  /** Runs all tasks. */
  close(): void {
    this.#isClosed = true;
    for (const task of this.#tasks) task();
    this.#tasks.clear();
  }
}
