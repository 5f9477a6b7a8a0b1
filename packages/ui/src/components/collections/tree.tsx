/**
 * @fileoverview Windowed tree with one selected node.
 * @module ui/components/collections/tree
 */
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { Icon } from "../../icons/icon.js";
import { Rows } from "./rows.js";
import {
  flattenTree,
  toggleNode,
  treeActionOf,
  treeAttributes,
  type TreeNode,
  type TreeRow,
} from "./tree-rows.js";
import { useActiveKey } from "./use-active-key.js";

/** Properties of `Tree`. */
export interface TreeProps<T> {
  readonly label: string;
  readonly nodes: readonly TreeNode<T>[];
  readonly renderNode: (node: TreeNode<T>) => ComponentChildren;
  /** IDs of the expanded nodes. */
  readonly expanded: ReadonlySet<string>;
  readonly onExpandedChange: (expanded: ReadonlySet<string>) => void;
  readonly selectedId?: string | undefined;
  /** Called for Enter, Space, and clicks. They also expand or collapse a node with children. Its arrow does only that. */
  readonly onSelect: (node: TreeNode<T>) => void;
  /** Shown if there are no nodes. */
  readonly empty?: ComponentChildren;
  readonly class?: string | undefined;
}

/** Tree of thousands of nodes, of which only the visible ones are rendered. */
export function Tree<T>({ nodes, expanded, onExpandedChange, selectedId, ...props }: TreeProps<T>) {
  const active = useActiveKey(selectedId);
  const rows = useMemo(() => flattenTree(nodes, (id) => expanded.has(id)), [nodes, expanded]);
  if (rows.length === 0 && props.empty !== undefined) return <>{props.empty}</>;
  const toggle = ({ node }: TreeRow<T>) => {
    active.activate(node.id);
    onExpandedChange(toggleNode(expanded, node.id));
  };
  const activate = (index: number) => active.activate(rows[index]?.node.id);
  return (
    <Rows
      kind="tree"
      label={props.label}
      class={props.class}
      rows={rows}
      rowHeight={28}
      keyOf={(row) => row.node.id}
      textOf={(row) => row.node.label}
      activeIndex={active.indexIn((id) => rows.findIndex((row) => row.node.id === id))}
      onActiveChange={activate}
      onActivate={(row) => {
        if (row.isExpanded !== undefined) toggle(row);
        props.onSelect(row.node);
      }}
      onKey={(event, row, index) => {
        const action = treeActionOf(event.key, row, index);
        if (action === undefined) return false;
        if (action.type === "move") activate(action.index);
        else toggle(row);
        return true;
      }}
      attributesOf={(row) => ({
        ...treeAttributes(row),
        "aria-selected": row.node.id === selectedId,
      })}
      renderRow={(row) => (
        <>
          <Indent level={row.level} isExpanded={row.isExpanded} onToggle={() => toggle(row)} />
          {props.renderNode(row.node)}
        </>
      )}
    />
  );
}

/** Properties of `Indent`. */
export interface IndentProps {
  readonly level: number;
  /** Absent for leaves. */
  readonly isExpanded: boolean | undefined;
  /** Called for clicks on the arrow. Without it, they are clicks on the row. */
  readonly onToggle?: (() => void) | undefined;
}

/** Levels that are indented. Deeper levels have the indentation of the last one, so that their text stays visible. */
const MAX_INDENT = 24;

/** Indentation of a row, and the arrow that shows if it is expanded. */
export function Indent({ level, isExpanded, onToggle }: IndentProps) {
  const onClick = (event: MouseEvent) => {
    if (onToggle === undefined || isExpanded === undefined) return;
    event.stopPropagation();
    onToggle();
  };
  return (
    <span
      class="t-indent"
      style={{ paddingLeft: `${Math.min(level - 1, MAX_INDENT) * 14}px` }}
      onClick={onClick}
    >
      {isExpanded !== undefined && <Icon name={isExpanded ? "chevron-down" : "chevron-right"} />}
    </span>
  );
}
