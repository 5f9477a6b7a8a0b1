/**
 * @fileoverview Bars of the waterfall: the phases of a call, and the period that the bars of a list share.
 * @module cli/page-app/state/calls/call-bars
 */
import type { WaterfallSegment } from "@tenon/ui/components/data/waterfall.js";
import type { Span } from "@tenon/ui/components/data/chart-math.js";
import type { CallSummary, Phase } from "../../../src/page/protocol.js";

/** Phases with their titles and colors, in the order of the legend. */
export const PHASES: Readonly<
  Record<
    Phase["name"],
    { readonly title: string; readonly series: WaterfallSegment["series"]; readonly meaning: string }
  >
> = {
  queue: { title: "Queue", series: 1, meaning: "Waiting for the server" },
  validate: { title: "Validate", series: 2, meaning: "Checking the arguments" },
  handler: { title: "Handler", series: 3, meaning: "Running your code" },
  serialize: { title: "Serialize", series: 4, meaning: "Writing the result" },
  network: { title: "Network", series: 5, meaning: "Between the page and the server" },
  user: { title: "User", series: 6, meaning: "Waiting for an answer" },
};

/**
 * Scale of the waterfall. With `duration`, bars start together, and their length is the square root of the duration, so
 * that short calls stay visible next to long ones. With `timeline`, bars start at the time of their call.
 */
export type WaterfallScale = "duration" | "timeline";

/** Values that the bars of a list share. */
export interface WaterfallFrame {
  readonly scale: WaterfallScale;
  /** Start of the first call, in milliseconds since 1970. */
  readonly origin: number;
  /** Time between the start of the first call and the end of the last one, in milliseconds. */
  readonly length: number;
  /** Duration of the longest call, in milliseconds. */
  readonly longest: number;
}

/** Returns the segments of a call in order, in milliseconds since its start. A running call has a segment up to now. */
export function segmentsOf(call: CallSummary, now: number): readonly WaterfallSegment[] {
  const known = call.phases
    .map(({ name, start, end }) => ({ label: PHASES[name].title, series: PHASES[name].series, start, end }))
    .toSorted((a, b) => a.start - b.start);
  const end = durationOf(call, now);
  if (known.length === 0)
    return [{ label: call.ms === undefined ? "Running" : "Call", series: 3, start: 0, end }];
  const last = known.reduce((latest, segment) => Math.max(latest, segment.end), 0);
  return call.ms === undefined && end > last
    ? [...known, { label: "Running", series: 3, start: last, end }]
    : known;
}

/** Returns the duration of a call in milliseconds, up to now if it runs. */
export function durationOf({ at, ms }: CallSummary, now: number): number {
  return ms ?? Math.max(0, now - at);
}

/** Returns the values that the bars of a list share. */
export function frameOf(calls: readonly CallSummary[], scale: WaterfallScale, now: number): WaterfallFrame {
  const last = calls.reduce((end, call) => Math.max(end, call.at + durationOf(call, now)), 0);
  const origin = calls.reduce((start, { at }) => Math.min(start, at), last);
  const longest = calls.reduce((max, call) => Math.max(max, durationOf(call, now)), 0);
  return { scale, origin, length: last - origin, longest };
}

/** Bar of a call: its segments, and the period that the whole width shows. */
export interface CallBar {
  readonly segments: readonly WaterfallSegment[];
  readonly period: Span;
}

/** Returns the bar of a call in a list. */
export function barOf(call: CallSummary, frame: WaterfallFrame, now: number): CallBar {
  const segments = segmentsOf(call, now);
  if (frame.scale === "timeline") {
    const offset = call.at - frame.origin;
    const moved = segments.map((one) => ({ ...one, start: one.start + offset, end: one.end + offset }));
    return { segments: moved, period: { start: 0, end: Math.max(1, frame.length) } };
  }
  const end = Math.sqrt(durationOf(call, now) * frame.longest);
  return { segments, period: { start: 0, end: Math.max(0.001, end) } };
}
