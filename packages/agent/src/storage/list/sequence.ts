/**
 * @fileoverview Runs asynchronous work one piece at a time.
 * @module agent/storage/list/sequence
 */

/** Runs work in call order. Each piece starts when the one before it has ended, even if that one failed. */
export class Sequence {
  #last: Promise<unknown> = Promise.resolve();
  #size = 0;

  /** Number of pieces that are waiting or running. */
  get size(): number {
    return this.#size;
  }

  /** Runs the work after all earlier work, and returns its result. */
  run<T>(work: () => Promise<T>): Promise<T> {
    this.#size++;
    const result = this.#last.then(work).finally(() => this.#size--);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
