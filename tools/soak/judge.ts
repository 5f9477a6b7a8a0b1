/**
 * @fileoverview Turns the measurements of the soak test into figures with limits.
 * @module tools/soak/judge
 */
import type { Figure } from "../figures.js";
import type { Reading } from "./probe.js";
import { ACTIVITIES, type Activity, type Tally } from "./tally.js";

/** Measurement at a time in minutes since the start. */
export interface Sample {
  readonly minute: number;
  readonly reading: Reading;
}

/** Measurements of one process at rest: after the warm-up, and after each period of load. */
export interface ProcessSamples {
  readonly name: string;
  readonly baseline: Reading;
  readonly samples: readonly Sample[];
}

/** Growth of a value with time: the slope of the least-squares line, and its 95% confidence margin. */
export interface Slope {
  readonly perMinute: number;
  readonly margin: number;
}

/** Limit of the heap slope in kilobytes per minute. */
export const MAX_SLOPE_KB = 50;

/**
 * Limit in kilobytes of the heap's growth during a run that is too short for a slope. A leak of some kilobytes per
 * connection exceeds it.
 */
export const MAX_GROWTH_KB = 3_000;

/** Number of samples from which the slope is judged. */
export const MIN_SAMPLES = 10;

/** Fits a line to points by least squares. The margin is infinite for fewer than three points. */
export function fitSlope(points: readonly (readonly [x: number, y: number])[]): Slope {
  const count = points.length;
  const mean = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / count;
  const [meanX, meanY] = [mean(0), mean(1)];
  const sumXx = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const sumXy = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const perMinute = sumXy / sumXx;
  const residuals = points.map(([x, y]) => y - meanY - perMinute * (x - meanX));
  const variance = residuals.reduce((sum, residual) => sum + residual ** 2, 0) / (count - 2);
  const margin = count < 3 ? Infinity : studentQuantile(count - 2) * Math.sqrt(variance / sumXx);
  return { perMinute, margin };
}

/** Returns the two-sided 95% quantile of Student's t distribution, by an expansion around the normal quantile. */
function studentQuantile(freedom: number): number {
  const z = 1.959964;
  const first = (z ** 3 + z) / (4 * freedom);
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * freedom ** 3);
  return z + first + second + third;
}

/** Returns the number of objects of a kind that each process has more than after the warm-up, or an empty text. */
function describeLeft(processes: readonly ProcessSamples[], kind: string): string {
  return processes
    .map(({ name, baseline, samples }) => {
      const last = samples.at(-1)?.reading ?? baseline;
      return { name, more: (last.counts[kind] ?? 0) - (baseline.counts[kind] ?? 0) };
    })
    .filter(({ more }) => more > 0)
    .map(({ name, more }) => `${name} ${more}`)
    .join(", ");
}

/** Returns one figure for each kind of object that must not become more. */
export function judgeCounts(processes: readonly ProcessSamples[]): readonly Figure[] {
  const kinds = new Set(processes.flatMap(({ baseline }) => Object.keys(baseline.counts)));
  return [...kinds].map((kind) => {
    const left = describeLeft(processes, kind);
    return {
      scenario: "all",
      name: `${kind} left`,
      value: left === "" ? "0" : left,
      limit: "0",
      holds: left === "",
    };
  });
}

/**
 * Judges the heap after garbage collections. A long run must have a slope that is below the limit with 95% confidence.
 * A short one must not grow by more than a fixed size.
 */
export function judgeHeap({ name, baseline, samples }: ProcessSamples): Figure {
  const kilobytes = ({ heapBytes, externalBytes }: Reading) => (heapBytes + externalBytes) / 1_000;
  if (samples.length >= MIN_SAMPLES) {
    const points = samples.map(({ minute, reading }) => [minute, kilobytes(reading)] as const);
    const { perMinute, margin } = fitSlope(points);
    return {
      scenario: name,
      name: "heap slope",
      value: `${perMinute.toFixed(1)} ± ${margin.toFixed(1)} KB/min`,
      limit: `< ${MAX_SLOPE_KB} KB/min`,
      holds: perMinute + margin < MAX_SLOPE_KB,
    };
  }
  const growth = kilobytes(samples.at(-1)?.reading ?? baseline) - kilobytes(baseline);
  return {
    scenario: name,
    name: "heap growth",
    value: `${Math.round(growth)} KB`,
    limit: `≤ ${MAX_GROWTH_KB} KB`,
    holds: growth <= MAX_GROWTH_KB,
  };
}

/** Returns the figures of all clients. Every activity of the chosen transports must have happened. */
export function judgeClients(tally: Tally, expected: ReadonlySet<Activity>): readonly Figure[] {
  const format = (value: number) => value.toLocaleString("en-US");
  const activities = ACTIVITIES.filter((activity) => expected.has(activity)).map((activity) => ({
    scenario: "clients",
    name: activity,
    value: format(tally.count(activity)),
    limit: "≥ 1",
    holds: tally.count(activity) > 0,
  }));
  const failed = {
    scenario: "clients",
    name: "lost or wrong responses, and other errors",
    value: format(tally.failed),
    limit: "0",
    holds: tally.failed === 0,
  };
  return [...activities, failed];
}
