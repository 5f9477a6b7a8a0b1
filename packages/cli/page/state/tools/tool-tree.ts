/**
 * @fileoverview Tree of tools: groups of tools with the same prefix, and the actions of grouped tools.
 * @module cli/page-app/state/tools/tool-tree
 */
import type { TreeNode } from "@tenon/ui/components/collections/tree-rows.js";
import type { ViewSummary } from "../../../src/page/protocol.js";
import { matchesQuery, toLabel, toSearchText } from "../text.js";
import type { ToolItem } from "./tool-item.js";

/** Node of the tool tree. */
export type ToolNode =
  | { readonly kind: "action"; readonly item: ToolItem; readonly action: string }
  | (CountedNode & { readonly tokens: number | undefined });

type CountedNode =
  /** Tools whose names start with the same word. */
  | { readonly kind: "group"; readonly prefix: string; readonly count: number }
  | { readonly kind: "tool"; readonly item: ToolItem; readonly text: string }
  /** Tool of a view that clients do not see. */
  | { readonly kind: "other"; readonly name: string; readonly text: string };

/** Options of `buildToolTree`. */
export interface ToolTreeOptions {
  /** Search text. Nodes without a match are left out. */
  readonly query: string;
  /** View to show. The tools of the server if it is absent. */
  readonly view?: ViewSummary | undefined;
}

interface Leaf {
  readonly name: string;
  readonly searchText: string;
  readonly tokens: number | undefined;
  readonly item: ToolItem | undefined;
}

/** Builds the tree of tools. */
export function buildToolTree(
  items: readonly ToolItem[],
  { query, view }: ToolTreeOptions,
): readonly TreeNode<ToolNode>[] {
  const all = view === undefined ? items.map(toLeaf) : leavesOf(items, view);
  const prefixes = findPrefixes(all.map(({ name }) => name));
  const shown = query.trim() === "" ? all : all.filter((leaf) => matchesQuery(leaf.searchText, query.trim()));
  const roots: TreeNode<ToolNode>[] = [];
  const groups = new Map<string, Leaf[]>();
  for (const leaf of shown) {
    const prefix = prefixes.get(leaf.name);
    const group = prefix === undefined ? undefined : groups.get(prefix);
    if (prefix === undefined) roots.push(toNode(leaf, ""));
    else if (group !== undefined) group.push(leaf);
    else {
      const members = [leaf];
      groups.set(prefix, members);
      // The children are read when the node is built below, after all members are known.
      roots.push({
        id: groupId(prefix),
        label: prefix,
        data: { kind: "group", prefix, count: 0, tokens: 0 },
      });
    }
  }
  return roots.map((node) => {
    const { data } = node;
    return data.kind === "group" ? toGroup(data.prefix, groups.get(data.prefix) ?? []) : node;
  });
}

/** Returns the ID of a tool's node. */
export function toolId(key: string): string {
  return `tool:${key}`;
}

/** Returns the ID of an action's node. */
export function actionId(key: string, action: string): string {
  return `action:${key}\n${action}`;
}

/** Returns the IDs of the nodes that are expanded. Groups are expanded at first, and grouped tools are not. */
export function expandedIds(
  nodes: readonly TreeNode<ToolNode>[],
  toggled: Readonly<Record<string, boolean>>,
  isSearching: boolean,
): ReadonlySet<string> {
  const expanded = new Set<string>();
  const visit = (node: TreeNode<ToolNode>) => {
    if (node.children === undefined) return;
    const isOpen = Object.hasOwn(toggled, node.id) ? toggled[node.id] : node.data.kind === "group";
    if (isOpen === true || (isSearching && node.data.kind === "group")) expanded.add(node.id);
    node.children.forEach(visit);
  };
  nodes.forEach(visit);
  return expanded;
}

function groupId(prefix: string): string {
  return `group:${prefix}`;
}

function toLeaf(item: ToolItem): Leaf {
  const { name, searchText, tokens } = item;
  return { name, searchText, tokens, item };
}

/** Returns the tools of a view. Those that clients see are the tools of the server. */
function leavesOf(items: readonly ToolItem[], view: ViewSummary): readonly Leaf[] {
  const byName = new Map(items.map((item) => [item.name, item]));
  return Object.entries(view.tools).map(([name, tokens]) => {
    const item = byName.get(name);
    return { name, searchText: item?.searchText ?? toSearchText(name), tokens, item };
  });
}

function toGroup(prefix: string, leaves: readonly Leaf[]): TreeNode<ToolNode> {
  const counts = leaves.map(({ tokens }) => tokens);
  const tokens = counts.includes(undefined)
    ? undefined
    : counts.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  return {
    id: groupId(prefix),
    label: toLabel(prefix),
    data: { kind: "group", prefix, count: leaves.length, tokens },
    children: leaves.map((leaf) => toNode(leaf, prefix)),
  };
}

function toNode({ name, tokens, item }: Leaf, prefix: string): TreeNode<ToolNode> {
  const text = toLabel(name.slice(prefix.length));
  if (item === undefined)
    return { id: `other:${name}`, label: text, data: { kind: "other", name, text, tokens } };
  const data = { kind: "tool", item, text, tokens } as const;
  if (item.actions === undefined) return { id: toolId(item.key), label: text, data };
  const children = item.actions.names.map((action) => ({
    id: actionId(item.key, action),
    label: toLabel(action),
    data: { kind: "action", item, action } as const,
  }));
  return { id: toolId(item.key), label: text, data, children };
}

/** Tools in a list that is short enough to be read without groups. */
const MAX_FLAT = 8;
const MIN_GROUP = 3;

/**
 * Finds the prefix of each name that has one: the part up to the first separator. A prefix that all names have is
 * skipped, and so is one that only a few names have.
 */
export function findPrefixes(names: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (names.length <= MAX_FLAT) return found;
  const common = commonPrefix(names);
  const counts = new Map<string, number>();
  for (const name of names) {
    const prefix = prefixOf(name, common);
    if (prefix === undefined) continue;
    found.set(name, prefix);
    counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
  }
  for (const [name, prefix] of found) if ((counts.get(prefix) ?? 0) < MIN_GROUP) found.delete(name);
  return found;
}

const SEPARATOR = /[._/:-]+/g;

/** Returns the part of a name up to the first separator after `from`, or `undefined`. */
function prefixOf(name: string, from: number): string | undefined {
  SEPARATOR.lastIndex = from;
  const match = SEPARATOR.exec(name);
  if (match === null || match.index === from) return undefined;
  const end = match.index + match[0].length;
  return end < name.length ? name.slice(0, end) : undefined;
}

/** Returns the length of the prefix that all names share, up to and including a separator. */
function commonPrefix(names: readonly string[]): number {
  const [first = ""] = names;
  let length = 0;
  for (;;) {
    const next = prefixOf(first, length);
    if (next === undefined || !names.every((name) => name.startsWith(next) && name.length > next.length))
      return length;
    length = next.length;
  }
}
