/**
 * @fileoverview Queue that runs work with the same key in sequence.
 * @module agent/conversation/keyed-queue
 */

/** Runs work with the same key in sequence. Work with different keys runs concurrently. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Returns true if work with this key is queued or running. */
  has(key: string): boolean {
    return this.#last.has(key);
  }

  /** Runs the work after all earlier work with the same key, even if that work failed. Returns the result. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const result = before.then(work, work);
    this.#last.set(key, result);
    const forget = () => {
      if (this.#last.get(key) === result) this.#last.delete(key);
    };
    void result.then(forget, forget);
    return result;
  }
}
