/**
 * @fileoverview Positions in small charts.
 * @module ui/components/data/chart-math
 */

/** Area and range of a sparkline. */
export interface SparklineArea {
  readonly width: number;
  readonly height: number;
  /** Lowest value. @default 0, or the smallest value if it is negative */
  readonly min?: number | undefined;
  /** Highest value. @default the largest value */
  readonly max?: number | undefined;
}

/** Returns the points of a sparkline, as the `points` attribute of a polyline. Values that are not finite are skipped. */
export function sparklinePoints(values: readonly number[], area: SparklineArea): string {
  const { width, height } = area;
  const known = values.filter((value) => Number.isFinite(value));
  const min = area.min ?? known.reduce((a, b) => Math.min(a, b), 0);
  const max = area.max ?? known.reduce((a, b) => Math.max(a, b), min);
  const range = max - min;
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values
    .map((value, index) => {
      const share = range === 0 ? 0 : Math.min(1, Math.max(0, (value - min) / range));
      return Number.isFinite(value) ? `${round(index * step)},${round(height - share * height)}` : "";
    })
    .filter((point) => point !== "")
    .join(" ");
}

/** Part of a period. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Smallest width in percent, so that short parts stay visible. */
const MIN_WIDTH = 0.5;

/** Returns the position of a part in a bar that shows a longer period, in percent. Parts outside the period are moved to its edge. */
export function barPart({ start, end }: Span, period: Span) {
  const length = period.end - period.start;
  if (!(length > 0)) return { left: 0, width: 100 };
  const toPercent = (at: number) => Math.min(100, Math.max(0, ((at - period.start) / length) * 100));
  const width = Math.max(MIN_WIDTH, toPercent(end) - toPercent(start));
  return { left: round(Math.min(toPercent(start), 100 - width)), width: round(width) };
}

/** Share of a limit that is used, from 0 to 1. Returns `undefined` if there is no limit. */
export function shareOf(value: number, max: number | undefined): number | undefined {
  return max === undefined || !(max > 0) ? undefined : Math.min(1, Math.max(0, value / max));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
