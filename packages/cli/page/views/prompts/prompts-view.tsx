/**
 * @fileoverview Area with the prompts: a list, and the selected prompt with its arguments and messages.
 * @module cli/page-app/views/prompts/prompts-view
 */
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { useApp } from "../../app-context.js";
import { ChangeBadge } from "../../components/badges.js";
import {
  CatalogArea,
  type EntryCall,
  EntryDetail,
  EntryResult,
  useEntryCall,
} from "../call/catalog-entry.js";
import { Section } from "../../components/list-pane.js";
import type { PromptItem } from "../../state/catalog/definitions.js";
import { toLabel } from "../../state/text.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { showKeys } from "@tenon/ui/keys.js";
import { insteadOfDefault } from "@tenon/ui/support/events.js";
import { ArgumentFields, useArguments } from "../../components/argument-fields.js";
import { useShortcut } from "../../components/hooks.js";

/** Area with the prompts. */
export function PromptsView() {
  const items = useApp().catalog.prompts.value;
  if (items.length === 0) {
    return (
      <EmptyState title="The server has no prompts" icon="message">
        <p>Prompts are messages that a user can start a conversation with.</p>
      </EmptyState>
    );
  }
  return (
    <CatalogArea
      noun="prompt"
      label="Prompts"
      items={items}
      renderItem={(item) => <PromptRow item={item} />}
      renderDetail={(item) =>
        item === undefined ? (
          <EmptyState title="The server does not have this prompt" icon="message">
            <p>Select another one from the list.</p>
          </EmptyState>
        ) : (
          <PromptDetail key={item.key} item={item} />
        )
      }
    />
  );
}

/** Title of a prompt. The second line is its name, or its description if the name is already in the first line. */
function PromptRow({ item }: { readonly item: PromptItem }) {
  const name = toLabel(item.name);
  const description = item.description === "" ? "" : toLabel(item.description);
  return (
    <>
      <span class="p-two-lines">
        <span class="t-row__text">{item.label}</span>
        {name === item.label ? (
          <span class="t-row__text t-quiet">{description}</span>
        ) : (
          <span class="t-row__text t-quiet t-mono">{name}</span>
        )}
      </span>
      <span class="t-row__end">
        <ChangeBadge change={item.change} />
      </span>
    </>
  );
}

/** Selected prompt. */
function PromptDetail({ item }: { readonly item: PromptItem }) {
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
