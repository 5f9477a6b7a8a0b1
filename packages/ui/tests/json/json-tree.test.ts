import { h } from "preact";
import { expect, test } from "vitest";
import { searchJson } from "../../src/json/json-search.js";
import { JsonTree } from "../../src/json/json-tree.js";
import { mount } from "../support/small-dom.js";

const value = { list: [{ name: "needle" }], other: "x".repeat(500) };

function show() {
  const content = (query: string) => {
    const matches = searchJson(value, query);
    return h(JsonTree, { label: "Result", value, query, matches, currentMatch: matches.keys[0] });
  };
  const page = mount(content(""));
  const rows = () => page.root.byRole("treeitem").map((row) => row.text);
  return { ...page, rows, search: (query: string) => page.update(content(query)) };
}

test("a search shows matches inside values that the user has collapsed", async () => {
  const { root, rows, search, settle } = show();
  root.byRole("treeitem")[1]?.send("click");
  await settle();
  expect(rows().filter((text) => text.includes("{1 member}"))).toEqual([]);
  search("needle");
  await expect.poll(() => rows().filter((text) => text.includes("needle"))).toHaveLength(1);
  expect(root.all(({ localName }) => localName === "mark").map(({ text }) => text)).toEqual(["needle"]);
});

test("a long string is cut until the user wants to see it", async () => {
  const { root, settle } = show();
  expect(root.text).not.toContain("x".repeat(300));
  root.all(({ localName, text }) => localName === "button" && text.startsWith("Show all"))[0]?.send("click");
  await settle();
  expect(root.text).toContain("x".repeat(500));
});

test("letters that copy a row are used, and others are left to the page", () => {
  const tree = show().root.byRole("tree")[0];
  const pressed = ["c", "P", "x", "?"].map((key) => tree?.send("keydown", { key }).isPrevented);
  expect(pressed).toEqual([true, true, false, false]);
});
