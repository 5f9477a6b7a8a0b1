/**
 * @fileoverview Medians and quartiles.
 * @module bench/lib/stats
 */

/** A median and its quartiles. */
export interface Spread {
  readonly median: number;
  readonly q1: number;
  readonly q3: number;
}

/** Computes the spread of values. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), q1: quantile(sorted, 0.25), q3: quantile(sorted, 0.75) };
}

/** Computes a quantile of sorted values, by interpolation. */
export function quantile(sorted: readonly number[], part: number): number {
  if (sorted.length === 0) return Number.NaN;
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}
