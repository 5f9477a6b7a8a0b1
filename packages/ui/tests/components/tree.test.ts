import { h } from "preact";
import { describe, expect, test, vi } from "vitest";
import { Tree, type TreeProps } from "../../src/components/collections/tree.js";
import type { TreeNode } from "../../src/components/collections/tree-rows.js";
import { mount, type SmallElement } from "../support/small-dom.js";

const leaf = (id: string): TreeNode<undefined> => ({ id, label: id, data: undefined });
const nodes = [{ ...leaf("orders"), children: [leaf("orders_add"), leaf("orders_list")] }, leaf("users")];

function show(options: Partial<TreeProps<undefined>> = {}) {
  const onSelect = vi.fn<(node: TreeNode<undefined>) => void>();
  const onExpandedChange = vi.fn<(expanded: ReadonlySet<string>) => void>();
  const content = (more: Partial<TreeProps<undefined>> = {}) =>
    h(Tree<undefined>, {
      label: "Tools",
      nodes,
      expanded: new Set<string>(),
      renderNode: ({ label }) => label,
      onSelect,
      onExpandedChange,
      ...options,
      ...more,
    });
  const page = mount(content());
  const rows = () => page.root.byRole("treeitem");
  return {
    ...page,
    rows,
    onSelect,
    onExpandedChange,
    update: (more: Partial<TreeProps<undefined>>) => page.update(content(more)),
    active: () => rows().find(({ attributes }) => attributes.get("data-active") === "true")?.text,
    tree: () => only(page.root.byRole("tree")),
    selected: () => onSelect.mock.calls.map(([{ id }]) => id),
    toggled: () => onExpandedChange.mock.calls.map(([expanded]) => [...expanded]),
  };
}

function only(elements: readonly SmallElement[]): SmallElement {
  const [first] = elements;
  if (first === undefined || elements.length > 1)
    throw new Error(`Expected one element; got ${elements.length}.`);
  return first;
}

describe("a node with children", () => {
  test("is selected and expanded by a click", () => {
    const page = show();
    page.rows()[0]?.send("click");
    expect([page.selected(), page.toggled()]).toEqual([["orders"], [["orders"]]]);
  });

  test("is selected and collapsed by Enter", () => {
    const page = show({ expanded: new Set(["orders"]), selectedId: "orders" });
    page.tree().send("keydown", { key: "Enter" });
    expect([page.selected(), page.toggled()]).toEqual([["orders"], [[]]]);
  });

  test("is only expanded by a click on its arrow, or by the right arrow key", () => {
    const page = show({ selectedId: "orders" });
    page
      .rows()[0]
      ?.all(({ attributes }) => attributes.get("class") === "t-indent")[0]
      ?.send("click");
    page.tree().send("keydown", { key: "ArrowRight" });
    expect([page.selected(), page.toggled()]).toEqual([[], [["orders"], ["orders"]]]);
  });

  test("is marked if it is selected", () => {
    const { rows } = show({ selectedId: "orders" });
    expect(rows().map(({ attributes }) => attributes.get("aria-selected"))).toEqual(["true", "false"]);
  });
});

test("a leaf is selected without changing the expanded nodes", () => {
  const page = show({ expanded: new Set(["orders"]) });
  page.rows()[1]?.send("click");
  expect([page.selected(), page.toggled()]).toEqual([["orders_add"], []]);
});

describe("keys in a tree", () => {
  test("a letter that finds a row is used", async () => {
    const page = show();
    expect(page.tree().send("keydown", { key: "u" }).isPrevented).toBe(true);
    await page.settle();
    expect(page.active()).toBe("users");
  });

  test.each([
    ["a letter that finds no row", { key: "x" }],
    ["a question mark", { key: "?" }],
    ["a letter with Control", { key: "u", ctrlKey: true }],
    ["Tab", { key: "Tab" }],
    ["Escape", { key: "Escape" }],
  ])("%s is left to the page", async (_title, facts) => {
    const page = show({ selectedId: "orders" });
    expect(page.tree().send("keydown", facts).isPrevented).toBe(false);
    await page.settle();
    expect(page.active()).toBe("orders");
  });

  test("arrow keys move the active row without selecting it", async () => {
    const page = show({ selectedId: "orders" });
    expect(page.tree().send("keydown", { key: "ArrowDown" }).isPrevented).toBe(true);
    await page.settle();
    expect([page.active(), page.selected()]).toEqual(["users", []]);
  });
});

describe("the active row", () => {
  test("follows a selection from elsewhere", async () => {
    const page = show({ selectedId: "orders" });
    page.tree().send("keydown", { key: "ArrowDown" });
    await page.settle();
    page.update({ expanded: new Set(["orders"]), selectedId: "orders_list" });
    expect(page.active()).toBe("orders_list");
  });

  test("stays if the selected row is hidden", async () => {
    const page = show({ selectedId: "orders" });
    page.tree().send("keydown", { key: "ArrowDown" });
    await page.settle();
    page.update({ selectedId: "orders_list" });
    expect(page.active()).toBe("users");
  });
});

test("only the visible rows of 1,000 are rendered", () => {
  const many = Array.from({ length: 1_000 }, (_, index) => leaf(`tool_${index}`));
  const { rows } = show({ nodes: many });
  expect(rows().length).toBeGreaterThan(10);
  expect(rows().length).toBeLessThan(60);
  expect(rows()[0]?.attributes.get("aria-setsize")).toBe("1000");
});
