/**
 * @fileoverview Short summary of a call next to its result.
 * @module cli/page-app/components/call-summary
 */
import { formatDuration } from "@tenon/ui/support/format.js";
import type { CallSummary } from "../../src/page/protocol.js";
import { EraBadge, OutcomeBadge } from "./badges.js";
import { RouteLink } from "./links.js";

/** Outcome, duration, and era of a call, with links to its details and its messages. */
export function CallSummaryLine({ call }: { readonly call: CallSummary }) {
  return (
    <span class="p-badges">
      <OutcomeBadge outcome={call.outcome} />
      {call.ms !== undefined && <span class="t-quiet">{formatDuration(call.ms)}</span>}
      <EraBadge era={call.era} revision={call.revision} />
      <RouteLink to={{ area: "calls", id: call.id }}>Details</RouteLink>
      <RouteLink to={{ area: "calls", id: call.id, tab: "wire" }}>Wire</RouteLink>
    </span>
  );
}
