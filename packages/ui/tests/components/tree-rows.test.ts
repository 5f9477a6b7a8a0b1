import { describe, expect, test } from "vitest";
import {
  flattenTree,
  toggleNode,
  type TreeNode,
  treeActionOf,
} from "../../src/components/collections/tree-rows.js";

const leaf = (id: string): TreeNode<undefined> => ({ id, label: id, data: undefined });
const branch = (id: string, ...children: readonly TreeNode<undefined>[]): TreeNode<undefined> => ({
  ...leaf(id),
  children,
});
const tree = [branch("a", leaf("a1"), branch("a2", leaf("a2x"))), leaf("b"), branch("c")];
const rowsOf = (...expanded: readonly string[]) => flattenTree(tree, (id) => expanded.includes(id));

describe("flattenTree", () => {
  test("shows only the roots if nothing is expanded", () => {
    expect(rowsOf().map(({ node }) => node.id)).toEqual(["a", "b", "c"]);
  });

  test("shows the children of expanded nodes with their level, position, and parent", () => {
    const facts = rowsOf("a", "a2").map(({ node, level, position, siblings, parent, isExpanded }) => [
      node.id,
      level,
      position,
      siblings,
      parent,
      isExpanded,
    ]);
    expect(facts).toEqual([
      ["a", 1, 1, 3, -1, true],
      ["a1", 2, 1, 2, 0, undefined],
      ["a2", 2, 2, 2, 0, true],
      ["a2x", 3, 1, 1, 2, undefined],
      ["b", 1, 2, 3, -1, undefined],
      ["c", 1, 3, 3, -1, false],
    ]);
  });

  test("does not show children of expanded nodes inside a collapsed one", () => {
    expect(rowsOf("a2")).toHaveLength(3);
  });

  test("a tree with 20,000 levels does not exhaust the stack", () => {
    let node = leaf("deepest");
    for (let level = 0; level < 20_000; level++) node = branch(String(level), node);
    expect(flattenTree([node], () => true)).toHaveLength(20_001);
  });
});

test("toggleNode expands or collapses one node, and does not change the set", () => {
  const expanded = new Set(["a", "b"]);
  expect([...toggleNode(expanded, "a")]).toEqual(["b"]);
  expect([...toggleNode(expanded, "c")]).toEqual(["a", "b", "c"]);
  expect([...expanded]).toEqual(["a", "b"]);
});

describe("treeActionOf", () => {
  test.each([
    ["ArrowRight", false, -1, { type: "expand" }],
    ["ArrowRight", true, -1, { type: "move", index: 6 }],
    ["ArrowRight", undefined, 2, undefined],
    ["ArrowLeft", true, -1, { type: "collapse" }],
    ["ArrowLeft", false, 2, { type: "move", index: 2 }],
    ["ArrowLeft", undefined, 2, { type: "move", index: 2 }],
    ["ArrowLeft", undefined, -1, undefined],
    ["ArrowDown", true, 2, undefined],
  ])("%s on a row with isExpanded=%s and parent=%s", (key, isExpanded, parent, expected) => {
    expect(treeActionOf(key, { isExpanded, parent }, 5)).toEqual(expected);
  });
});
