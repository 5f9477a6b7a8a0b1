/**
 * @fileoverview Limits restarts after crashes, so that a server that crashes at once does not use up the processor.
 * @module cli/dev/generation/restart-limit
 */

/** Maximum number of restarts, and the time in milliseconds in which they count. */
export const RESTART_LIMIT = { count: 5, windowMs: 10_000 } as const;

/** Counts restarts. */
export class RestartLimit {
  readonly #now: () => number;
  #times: number[] = [];

  /** @param now returns the time in milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Counts a restart. Returns false if there were too many, so that the server must not be started again. */
  admit(): boolean {
    const now = this.#now();
    this.#times = this.#times.filter((time) => now - time < RESTART_LIMIT.windowMs);
    if (this.#times.length >= RESTART_LIMIT.count) return false;
    this.#times.push(now);
    return true;
  }

  /** Forgets earlier restarts, because the code has changed. */
  reset(): void {
    this.#times = [];
  }
}
