/**
 * @fileoverview Bar with the parts of a duration.
 * @module ui/components/data/waterfall
 */
import { formatDuration } from "../../support/format.js";
import { barPart, type Span } from "./chart-math.js";

/** Part of a duration, in milliseconds. */
export interface WaterfallSegment extends Span {
  readonly label: string;
  /** Color. Segments also differ by their label. */
  readonly series: 1 | 2 | 3 | 4 | 5 | 6;
}

/** Properties of `WaterfallBar`. */
export interface WaterfallBarProps {
  /** Name for screen readers. */
  readonly label: string;
  readonly segments: readonly WaterfallSegment[];
  /** Period that the whole width shows. Several bars with the same period can be compared. */
  readonly period: Span;
  /** True if the last segment has not ended. */
  readonly isRunning?: boolean | undefined;
}

/** Bar with the parts of a duration at their times. Screen readers get them as a sentence. */
export function WaterfallBar({ label, segments, period, isRunning = false }: WaterfallBarProps) {
  const parts = segments.map((segment) => `${segment.label} ${formatDuration(segment.end - segment.start)}`);
  const text = `${label}: ${parts.join(", ")}${isRunning ? ", running" : ""}`;
  return (
    <div class="t-waterfall" data-running={isRunning} role="img" aria-label={text} title={parts.join("\n")}>
      {segments.map((segment, index) => {
        const { left, width } = barPart(segment, period);
        return (
          <span
            key={index}
            class="t-waterfall__segment"
            data-series={segment.series}
            style={{ left: `${left}%`, width: `${width}%` }}
          />
        );
      })}
    </div>
  );
}

/** Table of the parts of a duration, with a bar for each. */
export function WaterfallDetail({ segments, period }: Pick<WaterfallBarProps, "segments" | "period">) {
  return (
    <ul class="t-waterfall-detail">
      {segments.map((segment, index) => (
        <li key={index}>
          <span class="t-waterfall-detail__label" data-series={segment.series}>
            {segment.label}
          </span>
          <WaterfallBar label={segment.label} segments={[segment]} period={period} />
          <span class="t-waterfall-detail__time">{formatDuration(segment.end - segment.start)}</span>
        </li>
      ))}
    </ul>
  );
}
