/**
 * @fileoverview Tree of tools with search, tokens, and the choice of a view.
 * @module cli/page-app/views/tools/tool-list
 */
import { Select } from "@tenon/ui/components/fields/select.js";
import { setterOf } from "@tenon/ui/support/events.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { Tree } from "@tenon/ui/components/collections/tree.js";
import type { TreeNode } from "@tenon/ui/components/collections/tree-rows.js";
import { Note } from "@tenon/ui/components/controls/badge.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { formatCount, formatQuantity } from "@tenon/ui/support/format.js";
import { isJsonObject } from "@tenon/internal/json";
import { useMemo } from "preact/hooks";
import type { ServerState, ViewSummary } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { ChangeBadge, FindingBadge, TokenCount } from "../../components/badges.js";
import { useSetting } from "../../components/hooks.js";
import { ListSearch } from "../../components/list-pane.js";
import { searchSetting, TOGGLED_GROUPS, TOOL_VIEW } from "../../state/settings.js";
import { toLabel } from "../../state/text.js";
import type { ToolItem } from "../../state/tools/tool-item.js";
import { actionId, buildToolTree, expandedIds, toolId, type ToolNode } from "../../state/tools/tool-tree.js";

/** Properties of `ToolList`. */
export interface ToolListProps {
  readonly selected: ToolItem | undefined;
}

/** Tree of tools. */
export function ToolList({ selected }: ToolListProps) {
  const { catalog, store } = useApp();
  const query = useSetting(searchSetting("tools"));
  const viewId = useSetting(TOOL_VIEW);
  const views = store.server.value?.views ?? [];
  const view = views.find(({ id }) => id === viewId.value) ?? views[0];
  const isFirst = view === undefined || view === views[0];
  const tools = catalog.tools.value;
  const nodes = useMemo(
    () => buildToolTree(tools, { query: query.value, view: isFirst ? undefined : view }),
    [tools, query.value, isFirst ? undefined : view],
  );
  return (
    <div class="p-list">
      <ListSearch
        noun="tools"
        value={query.value}
        onInput={setterOf(query)}
        status={query.value === "" ? undefined : `${formatQuantity(countTools(nodes), "tool")} found`}
      />
      <ViewTotals views={views} view={view} />
      <Removed />
      <ToolTree nodes={nodes} selected={selected} isSearching={query.value.trim() !== ""} />
    </div>
  );
}

function countTools(nodes: readonly TreeNode<ToolNode>[]): number {
  return nodes.reduce((sum, { data }) => sum + (data.kind === "group" ? data.count : 1), 0);
}

/** Number of tools and tokens of a view, and a choice if there are several views. */
function ViewTotals({
  views,
  view,
}: Pick<ServerState, "views"> & { readonly view?: ViewSummary | undefined }) {
  const { store } = useApp();
  const selected = useSetting(TOOL_VIEW);
  if (view === undefined) return null;
  const tokens = view.tokens === undefined ? "counting tokens…" : formatQuantity(view.tokens, "token");
  const tools = formatQuantity(view.toolCount, "tool");
  const totals = store.launch.value?.countsTokens === false ? tools : `${tools}, ${tokens}`;
  return (
    <div class="p-totals">
      {views.length > 1 && (
        <Select
          label="View of the tools"
          isLabelHidden
          options={views.map(({ id, title, tokens }) => ({
            value: id,
            label: `${toLabel(title, 60)}${tokens === undefined ? "" : ` (${formatCount(tokens)} tokens)`}`,
          }))}
          value={view.id}
          onChange={setterOf(selected)}
        />
      )}
      <p class="p-totals__text" title="Tokens that the definitions cost in the context of a model">
        {totals}
      </p>
    </div>
  );
}

/** Names of tools that the last reload has removed. */
function Removed() {
  const changes = useApp().store.server.value?.changes ?? [];
  const removed = changes.filter(({ sign, noun }) => sign === "-" && noun === "tool");
  if (removed.length === 0) return null;
  const names = removed.slice(0, 5).map(({ name }) => toLabel(name, 60));
  return (
    <Note>
      Removed by the last reload: {names.join(", ")}
      {removed.length > names.length && ` and ${removed.length - names.length} more`}
    </Note>
  );
}

interface ToolTreeProps {
  readonly nodes: readonly TreeNode<ToolNode>[];
  readonly selected: ToolItem | undefined;
  readonly isSearching: boolean;
}

function ToolTree({ nodes, selected, isSearching }: ToolTreeProps) {
  const { router, forms } = useApp();
  const toggled = useSetting(TOGGLED_GROUPS);
  const expanded = useMemo(
    () => expandedIds(nodes, toggled.value, isSearching),
    [nodes, toggled.value, isSearching],
  );
  const action = useSelectedAction(selected);
  const select = ({ data }: TreeNode<ToolNode>) => {
    if (data.kind === "group" || data.kind === "other") return;
    const { key, actions } = data.item;
    if (data.kind === "action" && actions !== undefined)
      forms.get(data.item).set([actions.argument], data.action);
    router.go({ area: "tools", id: key, tab: router.route.peek().tab });
  };
  const selectedId =
    selected === undefined
      ? undefined
      : action === undefined
        ? toolId(selected.key)
        : actionId(selected.key, action);
  return (
    <Tree
      label="Tools"
      class="p-list__rows"
      nodes={nodes}
      expanded={expanded}
      onExpandedChange={(next) => {
        toggled.value = { ...toggled.value, ...changedIds(expanded, next) };
        // Opening a grouped tool selects it too.
        const opened = nodes
          .flatMap((node) => [node, ...(node.children ?? [])])
          .find(({ id }) => next.has(id) && !expanded.has(id));
        if (opened !== undefined) select(opened);
      }}
      selectedId={selectedId}
      onSelect={select}
      renderNode={({ data }) => <NodeLabel node={data} />}
      empty={
        <EmptyState title="No tool matches" icon="search">
          <p>The search looks at names, titles, descriptions, and actions.</p>
        </EmptyState>
      }
    />
  );
}

/** Returns the action of a grouped tool that its form has. */
function useSelectedAction(tool: ToolItem | undefined): string | undefined {
  const { forms } = useApp();
  const argument = tool?.actions?.argument;
  const form = tool === undefined || argument === undefined ? undefined : forms.get(tool);
  const value = form?.value.value;
  const action = argument !== undefined && isJsonObject(value) ? value[argument] : undefined;
  return typeof action === "string" ? action : undefined;
}

function changedIds(
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): Readonly<Record<string, boolean>> {
  const opened = [...after].filter((id) => !before.has(id)).map((id) => [id, true] as const);
  const closed = [...before].filter((id) => !after.has(id)).map((id) => [id, false] as const);
  return Object.fromEntries([...opened, ...closed]);
}

function NodeLabel({ node }: { readonly node: ToolNode }) {
  switch (node.kind) {
    case "group":
      return (
        <>
          <span class="t-row__text p-group">{toLabel(node.prefix)}</span>
          <span class="t-row__end">
            <span class="t-quiet">{node.count}</span>
          </span>
        </>
      );
    case "action":
      return <span class="t-row__text">{toLabel(node.action)}</span>;
    case "other":
      return (
        <>
          <span class="t-row__text t-quiet" title="Clients do not see this tool">
            {node.text}
          </span>
          <span class="t-row__end">
            <TokenCount tokens={node.tokens} />
          </span>
        </>
      );
    case "tool":
      return (
        <>
          <span class="t-row__text" title={node.item.title ?? node.item.label}>
            {node.text}
          </span>
          <span class="t-row__end">
            <ChangeBadge change={node.item.change} />
            <FindingBadge findings={node.item.findings} />
            {node.item.actions !== undefined && (
              <Icon name="list" label={`${node.item.actions.names.length} actions`} />
            )}
            <TokenCount tokens={node.tokens} />
          </span>
        </>
      );
  }
}
