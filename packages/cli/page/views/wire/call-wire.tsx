/**
 * @fileoverview Messages and checks of one call, or of the same call in both eras.
 * @module cli/page-app/views/wire/call-wire
 */
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { Note } from "@tenon/ui/components/controls/badge.js";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { formatDuration } from "@tenon/ui/support/format.js";
import type { Era } from "tenon/protocol";
import type { Comparison } from "../../app-context.js";
import { OutcomeBadge } from "../../components/badges.js";
import { useCall } from "../../components/hooks.js";
import { RouteLink } from "../../components/links.js";
import { Section } from "../../components/list-pane.js";
import { ERA_LABELS } from "../../state/calls/call-facts.js";
import { CheckList } from "./checks.js";
import { WireMessages } from "./wire-messages.js";

/** Messages and checks of a call. */
export function CallWire({ id }: { readonly id: string }) {
  const { detail, message } = useCall(id);
  if (detail === undefined) {
    return message === undefined ? <Spinner label="Loading" /> : <Note tone="danger">{message}</Note>;
  }
  return (
    <>
      <Section title="Checks">
        <CheckList checks={detail.checks} />
      </Section>
      <Section title="Messages">
        <WireMessages wire={detail.wire} era={detail.summary.era} />
      </Section>
    </>
  );
}

/** The same call in both eras, side by side. */
export function WireComparison({ comparison }: { readonly comparison: Comparison }) {
  return (
    <div class="p-compare">
      <EraColumn era="legacy" id={comparison.legacy} />
      <EraColumn era="modern" id={comparison.modern} />
    </div>
  );
}

function EraColumn({ era, id }: { readonly era: Era; readonly id: string | undefined }) {
  const { summary } = useCall(id);
  return (
    <section class="p-compare__column" aria-label={`${ERA_LABELS[era]} era`}>
      <div class="p-compare__head">
        <h3>{ERA_LABELS[era]} era</h3>
        {summary?.revision !== undefined && <span class="t-quiet">{summary.revision}</span>}
        {summary !== undefined && <OutcomeBadge outcome={summary.outcome} />}
        {summary?.ms !== undefined && <span class="t-quiet">{formatDuration(summary.ms)}</span>}
        {id !== undefined && <RouteLink to={{ area: "calls", id }}>Open the call</RouteLink>}
      </div>
      {id === undefined ? (
        <EmptyState title={`The server does not support the ${era} era.`} icon="plug" />
      ) : (
        <CallWire id={id} />
      )}
    </section>
  );
}
