/**
 * @fileoverview Row of the list of calls.
 * @module cli/page-app/views/calls/call-row
 */
import { WaterfallBar } from "@tenon/ui/components/data/waterfall.js";
import { formatClock, formatDuration } from "@tenon/ui/support/format.js";
import type { CallSummary } from "../../../src/page/protocol.js";
import { OutcomeIcon } from "../../components/badges.js";
import { barOf, durationOf, type WaterfallFrame } from "../../state/calls/call-bars.js";
import { callLabel, ERA_LABELS } from "../../state/calls/call-facts.js";
import { toLabel } from "../../state/text.js";

/** Properties of `CallRow`. */
export interface CallRowProps {
  readonly call: CallSummary;
  readonly frame: WaterfallFrame;
  readonly now: number;
}

/** Row of a call: its name, its client, and its bar. */
export function CallRow({ call, frame, now }: CallRowProps) {
  const isRunning = call.outcome === "running";
  const time = Math.max(now, call.at);
  const { segments, period } = barOf(call, frame, time);
  return (
    <div class="p-call-row">
      <OutcomeIcon outcome={call.outcome} />
      <span class="p-call-row__name">{callLabel(call)}</span>
      <span class="p-call-row__time">{formatDuration(durationOf(call, time))}</span>
      <span class="p-call-row__facts">
        {formatClock(call.at).slice(0, 8)} · {toLabel(call.client.name, 40)} · {ERA_LABELS[call.era]} ·{" "}
        {toLabel(call.method, 40)}
      </span>
      <div class="p-call-row__bar">
        <WaterfallBar label="Phases" segments={segments} period={period} isRunning={isRunning} />
      </div>
    </div>
  );
}
