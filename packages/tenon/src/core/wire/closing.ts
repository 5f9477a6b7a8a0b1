/**
 * @fileoverview The end of a server, for whatever is to end with it. A list of tasks does, and is there at once: an
 * `AbortController` takes a start-up half a millisecond.
 * @module core/closing
 */

/** Runs what waits for the end of a server. */
export class Closing {
  readonly #tasks = new Set<() => void>();
  #isClosed = false;

  /** Whether the end has come. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** How many tasks wait. */
  get size(): number {
    return this.#tasks.size;
  }

  /** Runs `task` at the end, unless the function returned is called before. */
  onClose(task: () => void): () => void {
    this.#tasks.add(task);
    return () => void this.#tasks.delete(task);
  }

  /** The end. */
  close(): void {
    this.#isClosed = true;
    for (const task of this.#tasks) task();
    this.#tasks.clear();
  }
}
