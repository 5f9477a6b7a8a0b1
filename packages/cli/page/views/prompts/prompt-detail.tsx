/**
 * @fileoverview Selected prompt: fields for its arguments, and the messages that it creates.
 * @module cli/page-app/views/prompts/prompt-detail
 */
import { Button } from "@tenon/ui/components/controls/button.js";
import { showKeys } from "@tenon/ui/keys.js";
import { insteadOfDefault } from "@tenon/ui/support/events.js";
import { useApp } from "../../app-context.js";
import { ArgumentFields, useArguments } from "../../components/argument-fields.js";
import { ChangeBadge } from "../../components/badges.js";
import { type EntryCall, EntryDetail, EntryResult, useEntryCall } from "../call/catalog-entry.js";
import { useShortcut } from "../../components/hooks.js";
import { Section } from "../../components/list-pane.js";
import type { PromptItem } from "../../state/catalog/definitions.js";
import { toLabel } from "../../state/text.js";

/** Selected prompt. */
export function PromptDetail({ item }: { readonly item: PromptItem }) {
  const call = useEntryCall("prompts", item.key);
  return (
    <EntryDetail
      item={item}
      title={item.label}
      subtitle={toLabel(item.name) === item.label ? undefined : toLabel(item.name)}
      badges={<ChangeBadge change={item.change} />}
    >
      <PromptForm item={item} call={call} />
      <EntryResult
        shown={call.shown}
        title="Messages"
        icon="message"
        emptyTitle="No messages yet"
        emptyText="Get the prompt to see the messages that a model receives."
      />
    </EntryDetail>
  );
}

function PromptForm({ item, call }: { readonly item: PromptItem; readonly call: EntryCall }) {
  const { era, isMac } = useApp();
  const { values, attempt, ...fields } = useArguments(`prompt:${item.key}`, item.arguments);
  const start = () =>
    attempt(() => void call.start("prompt", { name: item.name, arguments: values, era: era.peek() }));
  useShortcut({ keys: "mod+Enter", title: "Get the prompt", group: "Prompts", run: start });
  return (
    <form aria-label={`Get ${item.label}`} onSubmit={insteadOfDefault(start)}>
      <Section title="Arguments">
        {item.arguments.length === 0 && <p class="t-quiet">The prompt has no arguments.</p>}
        <ArgumentFields {...fields} reference={{ type: "prompt", name: item.name }} />
        <div class="p-call__buttons">
          <Button tone="primary" icon="play" type="submit" isBusy={call.isStarting}>
            Get prompt
          </Button>
          <kbd class="t-kbd p-wide">{showKeys("mod+Enter", isMac)}</kbd>
        </div>
      </Section>
    </form>
  );
}
