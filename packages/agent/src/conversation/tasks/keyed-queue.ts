/**
 * @fileoverview Work on one thing waits for the work on the same thing that came before.
 * @module agent/conversation/keyed-queue
 */

/** Runs work one after the other for each key; different keys do not wait for each other. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Whether work with this key is under way. */
  has(key: string): boolean {
    return this.#last.has(key);
  }

  /** Runs the work when all before it with this key is done, and gives what it gives. */
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
