/**
 * @fileoverview Sizes of a split pane.
 * @module ui/components/layout/split-size
 */

/** Limits of the first pane, in pixels. */
export interface SplitLimits {
  readonly min: number;
  readonly max: number;
}

/** Pixels by key. */
const STEPS: ReadonlyMap<string, number> = new Map([
  ["ArrowLeft", -16],
  ["ArrowUp", -16],
  ["ArrowRight", 16],
  ["ArrowDown", 16],
  ["PageUp", -96],
  ["PageDown", 96],
]);

/** Returns the size of the first pane after a key press, or `undefined` if the key does not change it. */
export function resizeByKey(key: string, size: number, limits: SplitLimits): number | undefined {
  if (key === "Home") return limits.min;
  if (key === "End") return limits.max;
  const step = STEPS.get(key);
  return step === undefined ? undefined : clampSize(size + step, limits);
}

/** Limits a size. If the limits contradict each other, the minimum wins. */
export function clampSize(size: number, { min, max }: SplitLimits): number {
  return Math.round(Math.max(min, Math.min(max, size)));
}
