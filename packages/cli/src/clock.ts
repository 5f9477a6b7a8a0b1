/**
 * @fileoverview Time with fractions of milliseconds that processes on one machine can compare.
 * @module cli/clock
 */

/** Returns the time in milliseconds since 1970, with fractions. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Rounds milliseconds to microseconds, so that they are short in JSON. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
