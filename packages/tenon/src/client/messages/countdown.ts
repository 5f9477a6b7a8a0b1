/**
 * @fileoverview Time limit that can be paused, so that it does not include the time a user takes to answer.
 * @module tenon/client/messages/countdown
 */
import { systemPorts } from "@tenon/internal/ports";

/** Times in milliseconds. */
export interface CountdownTimes {
  /** Time after the start, and after each restart, without pauses. */
  readonly ms: number;
  /** Time in total, with all restarts and pauses. */
  readonly maxMs: number;
}

/** Running time limit. */
export interface Countdown {
  /** Stops the clock until `resume`. The total time continues. */
  pause(): void;
  /** Continues with the remaining time. */
  resume(): void;
  /** Starts again with the whole time. */
  restart(): void;
  /** Ends the countdown without calling `onEnd`. */
  stop(): void;
}

/** Starts a countdown that calls `onEnd` when a time is over. `isTotal` is true if it was the total time. */
export function startCountdown({ ms, maxMs }: CountdownTimes, onEnd: (isTotal: boolean) => void): Countdown {
  const endsAt = systemPorts.now() + maxMs;
  let left = ms;
  let startedAt = 0;
  let isPaused = true;
  let stopTimer: (() => void) | undefined;
  const startTimer = (after: number) => {
    const total = Math.max(0, endsAt - systemPorts.now());
    stopTimer?.();
    if (after === Infinity && total === Infinity) return;
    stopTimer = systemPorts.startTimer(() => onEnd(total < after), Math.min(after, total, MAX_TIMER_MS));
  };
  const resume = () => {
    if (!isPaused) return;
    isPaused = false;
    startedAt = systemPorts.now();
    startTimer(left);
  };
  resume();
  return {
    pause() {
      if (isPaused) return;
      isPaused = true;
      left = Math.max(0, left - (systemPorts.now() - startedAt));
      // A server that always waits for an answer would otherwise pause the countdown forever.
      startTimer(Infinity);
    },
    resume,
    restart() {
      left = ms;
      if (isPaused) return;
      startedAt = systemPorts.now();
      startTimer(left);
    },
    stop() {
      stopTimer?.();
    },
  };
}

/** Longest time that a timer supports, in milliseconds (25 days). */
const MAX_TIMER_MS = 2_147_483_647;
