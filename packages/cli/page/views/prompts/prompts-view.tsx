/**
 * @fileoverview Area with the prompts: a list, and the selected prompt with its arguments and messages.
 * @module cli/page-app/views/prompts/prompts-view
 */
import { List } from "@tenon/ui/components/collections/list.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { formatQuantity } from "@tenon/ui/support/format.js";
import { useMemo } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { ChangeBadge } from "../../components/badges.js";
import { useSetting } from "../../components/hooks.js";
import { AreaSplit, ListSearch } from "../../components/list-pane.js";
import type { PromptItem } from "../../state/catalog/definitions.js";
import { searchSetting } from "../../state/settings.js";
import { matchesQuery, toLabel } from "../../state/text.js";
import { PromptDetail } from "./prompt-detail.js";

/** Area with the prompts. */
export function PromptsView() {
  const { catalog, router } = useApp();
  const items = catalog.prompts.value;
  const { id } = router.route.value;
  const selected = id === undefined ? items[0] : items.find(({ key }) => key === id);
  if (items.length === 0) {
    return (
      <EmptyState title="The server has no prompts" icon="message">
        <p>Prompts are messages that a user can start a conversation with.</p>
      </EmptyState>
    );
  }
  return (
    <AreaSplit
      area="prompts"
      noun="prompts"
      list={<PromptList items={items} selected={selected?.key} />}
      detail={
        selected === undefined ? (
          <EmptyState title="The server does not have this prompt" icon="message">
            <p>Select another one from the list.</p>
          </EmptyState>
        ) : (
          <PromptDetail key={selected.key} item={selected} />
        )
      }
    />
  );
}

function PromptList({
  items,
  selected,
}: {
  readonly items: readonly PromptItem[];
  readonly selected: string | undefined;
}) {
  const { router } = useApp();
  const query = useSetting(searchSetting("prompts"));
  const shown = useMemo(
    () => items.filter(({ searchText }) => matchesQuery(searchText, query.value.trim())),
    [items, query.value],
  );
  return (
    <div class="p-list">
      <ListSearch
        noun="prompts"
        value={query.value}
        onInput={(next) => {
          query.value = next;
        }}
        status={query.value === "" ? undefined : `${formatQuantity(shown.length, "prompt")} found`}
      />
      <List
        label="Prompts"
        class="p-list__rows"
        items={shown}
        keyOf={({ key }) => key}
        textOf={({ label }) => label}
        rowHeight={44}
        selectedKey={selected}
        onSelect={({ key }) => router.go({ area: "prompts", id: key })}
        renderItem={(item) => (
          <>
            <span class="p-two-lines">
              <span class="t-row__text">{item.label}</span>
              <PromptNote item={item} />
            </span>
            <span class="t-row__end">
              <ChangeBadge change={item.change} />
            </span>
          </>
        )}
        empty={<EmptyState title="No prompt matches" icon="search" />}
      />
    </div>
  );
}

/** Second line of a prompt: its name, or its description if the name is already in the first line. */
function PromptNote({ item }: { readonly item: PromptItem }) {
  const name = toLabel(item.name);
  return name === item.label ? (
    <span class="t-row__text t-quiet">{item.description === "" ? "" : toLabel(item.description)}</span>
  ) : (
    <span class="t-row__text t-quiet t-mono">{name}</span>
  );
}
