/**
 * @fileoverview Badges that views share: outcomes, eras, changes, tokens, findings, and a call in one line.
 * @module cli/page-app/components/badges
 */
import { Badge } from "@tenon/ui/components/controls/badge.js";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { formatCount, formatDuration, formatQuantity } from "@tenon/ui/support/format.js";
import type { Era } from "tenon/protocol";
import type { CallOutcome, CallSummary, Finding } from "../../src/page/protocol.js";
import { ERA_LABELS, OUTCOME_FACTS } from "../state/calls/call-facts.js";
import { countFindings } from "../state/tools/tool-facts.js";
import { RouteLink, UntrustedLink } from "./links.js";
import { toLabel } from "../state/text.js";

/** Outcome of a call. */
export function OutcomeBadge({ outcome }: { readonly outcome: CallOutcome }) {
  const { label, tone, icon } = OUTCOME_FACTS[outcome];
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  );
}

/** Icon of a call's outcome. A running call has a spinner. */
export function OutcomeIcon({ outcome }: { readonly outcome: CallOutcome }) {
  const { label, tone, icon } = OUTCOME_FACTS[outcome];
  return (
    <span class="p-outcome" data-tone={tone}>
      {outcome === "running" ? <Spinner label={label} /> : <Icon name={icon} label={label} />}
    </span>
  );
}

/** Era of a call, and its revision as a tooltip. */
export function EraBadge({ era, revision }: { readonly era: Era; readonly revision?: string | undefined }) {
  return <Badge title={revision === undefined ? undefined : `Revision ${revision}`}>{ERA_LABELS[era]}</Badge>;
}

/** Change by the last reload. */
export function ChangeBadge({ change }: { readonly change: "+" | "~" | undefined }) {
  if (change === undefined) return null;
  return (
    <Badge tone="accent" title="Since the last reload">
      {change === "+" ? "new" : "changed"}
    </Badge>
  );
}

/** Tokens that a definition costs a model. */
export function TokenCount({ tokens }: { readonly tokens: number | undefined }) {
  if (tokens === undefined) return null;
  return (
    <span class="p-tokens" title={`${formatQuantity(tokens, "token")} in the context of a model`}>
      {formatCount(tokens)}
      <span class="t-hidden"> tokens</span>
    </span>
  );
}

/** Number of findings, with the color of the most severe one. */
export function FindingBadge({ findings }: { readonly findings: readonly Finding[] }) {
  const counts = countFindings(findings);
  if (counts === undefined) return null;
  return (
    <Badge
      tone={counts.worst === "error" ? "danger" : "warning"}
      icon
      title={`${formatQuantity(counts.count, "finding")} of tenon doctor`}
    >
      {counts.count}
      <span class="t-hidden">{counts.count === 1 ? " finding" : " findings"}</span>
    </Badge>
  );
}

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

const ICONS = { error: "error", warning: "warning", info: "info" } as const;
const TONES = { error: "danger", warning: "warning", info: "info" } as const;
const LABELS = { error: "Error", warning: "Warning", info: "Hint" } as const;

/** Lists findings with their fixes. */
export function FindingList({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return <p class="t-quiet">No findings</p>;
  return (
    <ul class="p-checks">
      {findings.map(({ rule, severity, place, message, fix, url }, index) => (
        <li key={index} class="p-check" data-tone={TONES[severity]}>
          <Icon name={ICONS[severity]} label={LABELS[severity]} />
          <div>
            <p>
              {toLabel(message, 1_000)}{" "}
              {url === undefined ? <code>{rule}</code> : <UntrustedLink url={url}>{rule}</UntrustedLink>}
            </p>
            {fix !== undefined && <p class="t-quiet">{toLabel(fix, 1_000)}</p>}
            <p class="t-quiet t-mono p-wrap">{toLabel(place, 300)}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
