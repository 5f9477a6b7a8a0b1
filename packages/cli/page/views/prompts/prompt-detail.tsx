/**
 * @fileoverview Selected prompt: fields for its arguments, and the messages that it creates.
 * @module cli/page-app/views/prompts/prompt-detail
 */
import { Button } from "@tenon/ui/components/controls/button.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { JsonView } from "@tenon/ui/json/json-view.js";
import { showKeys } from "@tenon/ui/keys.js";
import { useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { ArgumentFields, findMissing, useTexts } from "../../components/argument-fields.js";
import { ChangeBadge } from "../../components/badges.js";
import { CallSummaryLine } from "../../components/call-summary.js";
import { type ShownCall, useCall, useShortcut } from "../../components/hooks.js";
import { DetailHeader, Section } from "../../components/list-pane.js";
import { showCall, shownKey } from "../../components/shown-calls.js";
import type { PromptItem } from "../../state/catalog/definitions.js";
import { toLabel } from "../../state/text.js";
import { CallOutcomeView } from "../call/outcome.js";

const NONE: ReadonlySet<string> = new Set();

/** Selected prompt. */
export function PromptDetail({ item }: { readonly item: PromptItem }) {
  const app = useApp();
  const key = shownKey("prompts", item.key);
  const shown = useCall(app.shownCalls.value.get(key));
  return (
    <div class="p-detail">
      <DetailHeader
        title={item.label}
        subtitle={toLabel(item.name) === item.label ? undefined : toLabel(item.name)}
        badges={<ChangeBadge change={item.change} />}
      >
        {item.description !== "" && <p class="p-description">{toLabel(item.description, 1_000)}</p>}
      </DetailHeader>
      <div class="p-detail__body">
        <PromptForm item={item} onStarted={(id) => showCall(app, key, id)} />
        <PromptResult shown={shown} />
        <details class="p-details">
          <summary>Definition as JSON</summary>
          <JsonView label="Definition" value={item.definition} />
        </details>
      </div>
    </div>
  );
}

interface PromptFormProps {
  readonly item: PromptItem;
  readonly onStarted: (id: string) => void;
}

function PromptForm({ item, onStarted }: PromptFormProps) {
  const { attempt, era, isMac } = useApp();
  const { texts, setText } = useTexts(`prompt:${item.key}`);
  const [isTried, setIsTried] = useState(false);
  const [isStarting, setIsStarting] = useState(false);
  const missing = findMissing(item.arguments, texts);
  const start = async () => {
    setIsTried(true);
    if (missing.size > 0) return;
    setIsStarting(true);
    const names = new Set(item.arguments.map(({ name }) => name));
    const args = Object.fromEntries(
      Object.entries(texts).filter(([name, text]) => text !== "" && names.has(name)),
    );
    const started = await attempt("prompt", { name: item.name, arguments: args, era: era.peek() });
    setIsStarting(false);
    if (started !== undefined) onStarted(started.id);
  };
  useShortcut({ keys: "mod+Enter", title: "Get the prompt", group: "Prompts", run: () => void start() });
  return (
    <form
      aria-label={`Get ${item.label}`}
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <Section title="Arguments">
        {item.arguments.length === 0 && <p class="t-quiet">The prompt has no arguments.</p>}
        <ArgumentFields
          fields={item.arguments}
          texts={texts}
          setText={setText}
          reference={{ type: "prompt", name: item.name }}
          missing={isTried ? missing : NONE}
        />
        <div class="p-call__buttons">
          <Button tone="primary" icon="play" type="submit" isBusy={isStarting}>
            Get prompt
          </Button>
          <kbd class="t-kbd p-wide">{showKeys("mod+Enter", isMac)}</kbd>
        </div>
      </Section>
    </form>
  );
}

function PromptResult({ shown }: { readonly shown: ShownCall }) {
  const { summary } = shown;
  if (summary === undefined) {
    return (
      <EmptyState title="No messages yet" icon="message">
        <p>Get the prompt to see the messages that a model receives.</p>
      </EmptyState>
    );
  }
  return (
    <Section title="Messages" actions={<CallSummaryLine call={summary} />}>
      <CallOutcomeView {...shown} />
    </Section>
  );
}
