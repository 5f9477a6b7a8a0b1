/**
 * @fileoverview A clock that stands still until a test moves it.
 * @module tests/support/http-clock
 */
import type { Ports } from "@tenon/internal/ports";

/** Time and timers under a test's control. */
export interface FakeClock {
  readonly ports: Pick<Ports, "now" | "startTimer">;
  /** How many timers are set. */
  readonly timers: number;
  /** Lets time pass, and runs what falls due in its order. */
  advance(ms: number): void;
}

/** A clock that starts at nought. */
export function createClock(): FakeClock {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly task: () => void }>();
  return {
    ports: {
      now: () => now,
      startTimer(task, ms) {
        const timer = { at: now + ms, task };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
    get timers() {
      return timers.size;
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.task();
      }
      now = end;
    },
  };
}
