/**
 * @fileoverview Medians with their spread.
 * @module bench/lib/stats
 */

/** A median and the quartiles around it. */
export interface Spread {
  readonly median: number;
  readonly q1: number;
  readonly q3: number;
}

/** The spread of some values. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), q1: quantile(sorted, 0.25), q3: quantile(sorted, 0.75) };
}

/** A quantile of sorted values, between two of them where need be. */
export function quantile(sorted: readonly number[], part: number): number {
  if (sorted.length === 0) return Number.NaN;
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}
