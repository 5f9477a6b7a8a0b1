/**
 * @fileoverview Time limit that can be paused, so that it does not include the time a user takes to answer.
 * @module cli/client/countdown
 */

/** Running time limit. */
export interface Countdown {
  /** Stops the clock until `resume`. */
  pause(): void;
  /** Continues with the remaining time. */
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
