/**
 * @fileoverview Area with the prompts: a list, and the selected prompt with its arguments and messages.
 * @module cli/page-app/views/prompts/prompts-view
 */
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { useApp } from "../../app-context.js";
import { ChangeBadge } from "../../components/badges.js";
import { CatalogList } from "../call/catalog-entry.js";
import { AreaSplit } from "../../components/list-pane.js";
import type { PromptItem } from "../../state/catalog/definitions.js";
import { toLabel } from "../../state/text.js";
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
      list={
        <CatalogList
          area="prompts"
          label="Prompts"
          noun="prompt"
          items={items}
          selected={selected?.key}
          renderItem={(item) => <PromptRow item={item} />}
        />
      }
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
