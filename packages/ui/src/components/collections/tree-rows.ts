/**
 * @fileoverview Turns a tree into the rows that are visible, and keys into changes of the tree.
 * @module ui/components/collections/tree-rows
 */

/** Node of a tree. */
export interface TreeNode<T> {
  /** Unique in the whole tree. */
  readonly id: string;
  /** Text that the user can type to find the node. */
  readonly label: string;
  readonly data: T;
  /** Absent for leaves. */
  readonly children?: readonly TreeNode<T>[] | undefined;
}

/** Place of a visible row in a tree. */
export interface TreePlace {
  /** Level, from 1. */
  readonly level: number;
  /** Position among its siblings, from 1. */
  readonly position: number;
  readonly siblings: number;
  /** Index of the parent's row, or -1. */
  readonly parent: number;
  /** Absent for leaves. */
  readonly isExpanded: boolean | undefined;
}

/** Visible row of a tree. */
export interface TreeRow<T> extends TreePlace {
  readonly node: TreeNode<T>;
}

/** Returns the attributes of a row that tell its place. */
export function treeAttributes({ level, position, siblings, isExpanded }: TreePlace) {
  return {
    "aria-level": level,
    "aria-setsize": siblings,
    "aria-posinset": position,
    "aria-expanded": isExpanded,
  };
}

/** Returns the visible rows: the roots, and the children of every expanded node. */
export function flattenTree<T>(
  roots: readonly TreeNode<T>[],
  isExpanded: (id: string) => boolean,
): readonly TreeRow<T>[] {
  const rows: TreeRow<T>[] = [];
  const open = [{ nodes: roots, next: 0, level: 1, parent: -1 }];
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const node = frame.nodes[frame.next++];
    if (node === undefined) {
      open.pop();
      continue;
    }
    const isOpen = node.children === undefined ? undefined : isExpanded(node.id);
    rows.push({
      node,
      level: frame.level,
      position: frame.next,
      siblings: frame.nodes.length,
      parent: frame.parent,
      isExpanded: isOpen,
    });
    if (isOpen === true && node.children !== undefined) {
      open.push({ nodes: node.children, next: 0, level: frame.level + 1, parent: rows.length - 1 });
    }
  }
  return rows;
}

/** Returns the expanded nodes after a node was expanded or collapsed. */
export function toggleNode(expanded: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(expanded);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Effect of an arrow key on a tree. */
export type TreeAction =
  { readonly type: "move"; readonly index: number } | { readonly type: "expand" | "collapse" };

/** Returns the effect of the left or right arrow key on a row, or `undefined`. */
export function treeActionOf(
  key: string,
  row: Pick<TreePlace, "parent" | "isExpanded">,
  index: number,
): TreeAction | undefined {
  if (key === "ArrowRight") {
    if (row.isExpanded === false) return { type: "expand" };
    return row.isExpanded === true ? { type: "move", index: index + 1 } : undefined;
  }
  if (key !== "ArrowLeft") return undefined;
  if (row.isExpanded === true) return { type: "collapse" };
  return row.parent >= 0 ? { type: "move", index: row.parent } : undefined;
}
