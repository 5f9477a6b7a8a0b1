/**
 * @fileoverview Timer of the browser, or of a test.
 * @module ui/support/timer
 */

/** Calls functions later. */
export interface Timer {
  /** Calls a function after some time. Returns a function that cancels the call. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
}

/** Timer of the browser. */
export const browserTimer: Timer = {
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
