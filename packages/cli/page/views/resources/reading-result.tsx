/**
 * @fileoverview Result of reading a resource.
 * @module cli/page-app/views/resources/reading-result
 */
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { CallSummaryLine } from "../../components/call-summary.js";
import type { ShownCall } from "../../components/hooks.js";
import { Section } from "../../components/list-pane.js";
import { CallOutcomeView } from "../call/outcome.js";

/** Contents of a resource, with a link to the call. */
export function ReadingResult({ shown }: { readonly shown: ShownCall }) {
  const { summary } = shown;
  if (summary === undefined) {
    return (
      <EmptyState title="Not read yet" icon="file">
        <p>Read the resource to see its contents.</p>
      </EmptyState>
    );
  }
  return (
    <Section title="Contents" actions={<CallSummaryLine call={summary} />}>
      <CallOutcomeView {...shown} />
    </Section>
  );
}
