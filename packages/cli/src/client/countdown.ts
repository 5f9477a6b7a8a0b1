/**
 * @fileoverview A time limit that can be paused, so that the time a user needs to answer does not count.
 * @module cli/client/countdown
 */

/** A running time limit. */
export interface Countdown {
  /** Stops the clock until `resume`. */
  pause(): void;
  /** Continues with the time that is left. */
  resume(): void;
  /** Ends the countdown without calling `onEnd`. */
  stop(): void;
}

/** Starts a countdown that calls `onEnd` after `ms` milliseconds. */
export function startCountdown(ms: number, onEnd: () => void): Countdown {
  let left = ms;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const resume = () => {
    if (timer !== undefined) return;
    startedAt = performance.now();
    timer = setTimeout(onEnd, left);
  };
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  resume();
  return {
    pause() {
      if (timer === undefined) return;
      left = Math.max(0, left - (performance.now() - startedAt));
      stop();
    },
    resume,
    stop,
  };
}
