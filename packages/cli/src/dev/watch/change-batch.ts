/**
 * @fileoverview Combines changes that follow each other closely, such as those of an editor that writes a file in
 * several steps.
 * @module cli/dev/watch/change-batch
 */

/** Time in milliseconds without a change after which a batch ends, and the maximum duration of a batch. */
const QUIET_MS = 10;
const MAX_MS = 100;

/** Collects changes. */
export class ChangeBatch {
  readonly #onBatch: (since: number) => void;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param onBatch called when a batch ends, with the time of its first change on the clock of `performance` */
  constructor(onBatch: (since: number) => void) {
    this.#onBatch = onBatch;
  }

  /** Adds a change. */
  add(): void {
    const now = performance.now();
    this.#since ??= now;
    clearTimeout(this.#timer);
    const left = this.#since + MAX_MS - now;
    this.#timer = setTimeout(() => this.#end(), Math.max(0, Math.min(QUIET_MS, left)));
  }

  /** Drops the changes so far. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#since = undefined;
  }

  #end(): void {
    const since = this.#since;
    this.#since = undefined;
    if (since !== undefined) this.#onBatch(since);
  }
}
