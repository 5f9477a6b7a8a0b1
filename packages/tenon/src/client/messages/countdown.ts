/**
 * @fileoverview Time limit that can be paused, so that it does not include the time a user takes to answer.
 * @module client/messages/countdown
 */
import { systemPorts } from "@tenon/internal/ports";

/** Running time limit. */
export interface Countdown {
  /** Stops the clock until `resume`. */
  pause(): void;
  /** Continues with the remaining time. */
  resume(): void;
  /** Starts again with the whole time. */
  restart(): void;
  /** Ends the countdown without calling `onEnd`. */
  stop(): void;
}

/** Starts a countdown that calls `onEnd` after `ms` milliseconds. */
export function startCountdown(ms: number, onEnd: () => void): Countdown {
  let left = ms;
  let startedAt = 0;
  let stopTimer: (() => void) | undefined;
  const resume = () => {
    if (stopTimer !== undefined) return;
    startedAt = systemPorts.now();
    stopTimer = systemPorts.startTimer(onEnd, Math.min(left, MAX_TIMER_MS));
  };
  const stop = () => {
    stopTimer?.();
    stopTimer = undefined;
  };
  resume();
  return {
    pause() {
      if (stopTimer === undefined) return;
      left = Math.max(0, left - (systemPorts.now() - startedAt));
      stop();
    },
    resume,
    restart() {
      left = ms;
      // A paused countdown continues later, with the whole time.
      if (stopTimer === undefined) return;
      stop();
      resume();
    },
    stop,
  };
}

/** Longest time that a timer supports, in milliseconds (25 days). */
const MAX_TIMER_MS = 2_147_483_647;
