/**
 * @fileoverview Calls listeners when a server closes. An `AbortController` would add half a millisecond to startup time.
 * @module tenon/core/wire/closing
 */

/** Listeners that are called when a server closes. */
export class Closing {
  readonly #listeners = new Set<() => void>();
  #isClosed = false;

  /** True once `close` has been called. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Number of listeners that have not been called yet. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Calls `listener` when the server closes, unless the returned function is called first. */
  onClose(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls all listeners and removes them. */
  close(): void {
    this.#isClosed = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}
