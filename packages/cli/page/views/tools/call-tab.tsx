/**
 * @fileoverview Tab with the form of a tool, its result, and its last calls.
 * @module cli/page-app/views/tools/call-tab
 */
import { Note } from "@tenon/ui/components/controls/badge.js";
import { insteadOfDefault } from "@tenon/ui/support/events.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { SchemaForm } from "@tenon/ui/form/schema-form.js";
import { showKeys } from "@tenon/ui/keys.js";
import { formatClock, formatDuration } from "@tenon/ui/support/format.js";
import { useMemo } from "preact/hooks";
import type { CallSummary } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { CallSummaryLine, OutcomeIcon } from "../../components/badges.js";
import { showCall, shownKey, useCall, useShortcut } from "../../components/hooks.js";
import { Section } from "../../components/list-pane.js";
import { ERA_LABELS } from "../../state/calls/call-facts.js";
import type { ToolItem } from "../../state/tools/tool-item.js";
import { CallOutcomeView } from "../call/outcome.js";
import { type ToolProps, useToolCall } from "./use-tool-call.js";

/** Tab with the form and the result. */
export function CallTab({ tool }: ToolProps) {
  return (
    <div class="p-call">
      <CallForm tool={tool} />
      <CallResult tool={tool} />
    </div>
  );
}

function CallForm({ tool }: ToolProps) {
  const { isMac, eras, era } = useApp();
  const { form, isStarting, hasProblems, start, startAnyway } = useToolCall(tool);
  useShortcut({ keys: "mod+Enter", title: "Call the tool", group: "Tools", run: start });
  const isConnected = eras.value.length > 0;
  return (
    <form class="p-call__form" aria-label={`Call ${tool.label}`} onSubmit={insteadOfDefault(start)}>
      <Section title="Arguments">
        <SchemaForm store={form} label={`Arguments of ${tool.label}`} />
      </Section>
      <div class="p-call__buttons">
        <Button tone="primary" icon="play" type="submit" isBusy={isStarting} isDisabled={!isConnected}>
          Call tool
        </Button>
        <kbd class="t-kbd p-wide">{showKeys("mod+Enter", isMac)}</kbd>
        {hasProblems && <Button onClick={startAnyway}>Call anyway</Button>}
        <Button tone="quiet" onClick={() => form.reset()}>
          Reset
        </Button>
        {eras.value.length > 1 && (
          <span class="t-quiet">in the {ERA_LABELS[era.value].toLowerCase()} era</span>
        )}
      </div>
      {form.isIncomplete.value && <Note tone="warning">Correct the marked values before the call.</Note>}
    </form>
  );
}

function CallResult({ tool }: ToolProps) {
  const { store, shownCalls } = useApp();
  const history = useToolHistory(tool, store.calls.value);
  const shownId =
    shownCalls.value.get(shownKey("tools", tool.key)) ??
    history.find(({ client }) => client.kind === "page")?.id;
  const shown = useCall(shownId);
  const { summary } = shown;
  return (
    <div class="p-call__result">
      <Section title="Result" actions={summary !== undefined && <CallSummaryLine call={summary} />}>
        {summary === undefined ? (
          <EmptyState title="Not called yet" icon="play">
            <p>Enter the arguments and call the tool. The result appears here.</p>
          </EmptyState>
        ) : (
          <CallOutcomeView {...shown} />
        )}
      </Section>
      {history.length > 0 && <History tool={tool} calls={history} shownId={summary?.id} />}
    </div>
  );
}

const MAX_HISTORY = 20;

/** Returns the last calls of a tool, newest first. */
function useToolHistory({ name }: ToolItem, calls: ReadonlyMap<string, CallSummary>): readonly CallSummary[] {
  return useMemo(
    () =>
      [...calls.values()]
        .filter((call) => call.method === "tools/call" && call.name === name)
        .slice(-MAX_HISTORY)
        .toReversed(),
    [calls, name],
  );
}

interface HistoryProps extends ToolProps {
  readonly calls: readonly CallSummary[];
  readonly shownId: string | undefined;
}

function History({ tool, calls, shownId }: HistoryProps) {
  const app = useApp();
  return (
    <Section title="Last calls of this tool">
      <ul class="p-history">
        {calls.map((call) => (
          <li key={call.id}>
            <button
              type="button"
              class="p-history__item"
              aria-current={call.id === shownId ? "true" : undefined}
              onClick={() => showCall(app, shownKey("tools", tool.key), call.id)}
            >
              <OutcomeIcon outcome={call.outcome} />
              <span>{formatClock(call.at).slice(0, 8)}</span>
              <span class="t-quiet">{call.client.kind === "page" ? "This page" : call.client.name}</span>
              <span class="p-history__time">
                {call.ms === undefined ? "running" : formatDuration(call.ms)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
