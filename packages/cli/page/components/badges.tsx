/**
 * @fileoverview Badges that views share: outcomes, eras, changes, tokens, and findings.
 * @module cli/page-app/components/badges
 */
import { Badge } from "@tenon/ui/components/controls/badge.js";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { formatCount, formatQuantity } from "@tenon/ui/support/format.js";
import type { Era } from "tenon/protocol";
import type { CallOutcome, Finding } from "../../src/page/protocol.js";
import { ERA_LABELS, OUTCOME_FACTS } from "../state/calls/call-facts.js";
import { countFindings } from "../state/tools/tool-facts.js";

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
