/**
 * @fileoverview Times and sizes of a call.
 * @module cli/page-app/views/calls/call-timing
 */
import { KeyValueList } from "@tenon/ui/components/data/key-value.js";
import { WaterfallBar, WaterfallDetail } from "@tenon/ui/components/data/waterfall.js";
import { formatBytes, formatClock, formatDuration } from "@tenon/ui/support/format.js";
import type { CallSummary } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { Section } from "../../components/list-pane.js";
import { durationOf, segmentsOf } from "../../state/calls/call-bars.js";

/** Phases of a call, and the facts about it. */
export function CallTiming({ call }: { readonly call: CallSummary }) {
  const { store } = useApp();
  const isRunning = call.outcome === "running";
  const now = isRunning ? Math.max(store.now.value, call.at) : 0;
  const segments = segmentsOf(call, now);
  const duration = durationOf(call, now);
  const period = { start: 0, end: Math.max(duration, ...segments.map(({ end }) => end), 0.001) };
  return (
    <>
      <Section title="Phases">
        <WaterfallBar label="Phases of the call" segments={segments} period={period} isRunning={isRunning} />
        <WaterfallDetail segments={segments} period={period} />
      </Section>
      <Section title="Facts">
        <KeyValueList
          entries={[
            { name: "Started", value: formatClock(call.at) },
            {
              name: "Duration",
              value: isRunning ? `${formatDuration(duration)}, running` : formatDuration(duration),
            },
            { name: "Request", value: sizeText(call.requestBytes) },
            { name: "Response", value: sizeText(call.responseBytes) },
            { name: "Revision", value: call.revision ?? "Unknown" },
          ]}
        />
      </Section>
    </>
  );
}

function sizeText(bytes: number | undefined): string {
  return bytes === undefined ? "Not recorded" : formatBytes(bytes);
}
