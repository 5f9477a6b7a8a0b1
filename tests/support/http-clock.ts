/**
 * @fileoverview A fake clock that advances only when a test tells it to.
 * @module tests/support/http-clock
 */
import type { Ports } from "@tenon/internal/ports";

/** Fake clock with timers. */
export interface FakeClock {
  readonly ports: Pick<Ports, "now" | "startTimer">;
  /** Number of pending timers. */
  readonly timers: number;
  /** Advances the clock and runs all due timers in order. */
  advance(ms: number): void;
}

/** Creates a clock that starts at 0. */
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
