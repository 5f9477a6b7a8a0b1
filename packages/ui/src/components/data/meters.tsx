/**
 * @fileoverview Progress bar, meter, and sparkline.
 * @module ui/components/data/meters
 */
import type { ComponentChildren } from "preact";
import { shareOf, sparklinePoints } from "./chart-math.js";

/** Properties of `ProgressBar`. */
export interface ProgressBarProps {
  readonly label: string;
  readonly value: number;
  /** Value at the end. Absent if it is not known. */
  readonly total?: number | undefined;
  /** Text after the bar. @default the percentage */
  readonly text?: string | undefined;
}

/** Progress of something that runs. */
export function ProgressBar({ label, value, total, text }: ProgressBarProps) {
  const share = shareOf(value, total);
  const percent = share === undefined ? undefined : Math.round(share * 100);
  return (
    <div class="t-progress">
      <div
        class="t-progress__track"
        data-indeterminate={percent === undefined}
        role="progressbar"
        aria-label={label}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={text}
      >
        <div class="t-progress__bar" style={percent === undefined ? {} : { width: `${percent}%` }} />
      </div>
      <span class="t-progress__text">{text ?? (percent === undefined ? String(value) : `${percent}%`)}</span>
    </div>
  );
}

/** Properties of `Meter`. */
export interface MeterProps {
  readonly label: string;
  readonly value: number;
  /** Limit. Absent if there is none. */
  readonly max?: number | undefined;
  /** Formats the value and the limit. */
  readonly format?: ((value: number) => string) | undefined;
  /** Chart or other content below the bar. */
  readonly children?: ComponentChildren;
}

const WARNING_SHARE = 0.8;

/** Figure with an optional limit. A text marks values close to the limit. */
export function Meter({ label, value, max, format = String, children }: MeterProps) {
  const share = shareOf(value, max);
  const level = share === undefined || share < WARNING_SHARE ? "normal" : share < 1 ? "near" : "full";
  const note = { normal: "", near: "near the limit", full: "limit reached" }[level];
  const text = max === undefined ? format(value) : `${format(value)} of ${format(max)}`;
  return (
    <div class="t-meter" data-level={level}>
      <div class="t-meter__head">
        <span class="t-meter__label">{label}</span>
        <span class="t-meter__value">{text}</span>
      </div>
      {share !== undefined && (
        <div
          class="t-meter__track"
          role="meter"
          aria-label={label}
          aria-valuenow={value}
          aria-valuemin={0}
          aria-valuemax={max}
          aria-valuetext={note === "" ? text : `${text}, ${note}`}
        >
          <div class="t-meter__bar" style={{ width: `${Math.round(share * 1000) / 10}%` }} />
        </div>
      )}
      {note !== "" && <span class="t-meter__note">{note}</span>}
      {children}
    </div>
  );
}

/** Properties of `Sparkline`. */
export interface SparklineProps {
  /** Description for screen readers, such as "Calls per second, now 12". */
  readonly label: string;
  /** Values at equal distances, oldest first. */
  readonly values: readonly number[];
}

const WIDTH = 120;
const HEIGHT = 24;

/** Small chart of the last values. */
export function Sparkline({ label, values }: SparklineProps) {
  const points = sparklinePoints(values, { width: WIDTH, height: HEIGHT - 2 });
  return (
    <svg
      class="t-sparkline"
      data-series={3}
      viewBox={`0 -1 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polyline points={points} vector-effect="non-scaling-stroke" />
    </svg>
  );
}
