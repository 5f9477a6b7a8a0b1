import { h } from "preact";
import { expect, test } from "vitest";
import { CodeBlock } from "../../src/components/data/code-block.js";
import { mount } from "../support/small-dom.js";

test("the text of a code block is a named group that can be focused", () => {
  const { root } = mount(h(CodeBlock, { text: "let a;", label: "Example", language: "TypeScript" }));
  const [group, ...others] = root.byRole("group");
  expect(others).toEqual([]);
  expect([group?.localName, group?.text]).toEqual(["pre", "let a;"]);
  expect([group?.attributes.get("aria-label"), group?.attributes.get("tabIndex")]).toEqual(["Example", "0"]);
});

test("a long text is cut until the user wants to see it", async () => {
  const text = "x".repeat(30_000);
  const { root, settle } = mount(h(CodeBlock, { text }));
  const shown = () => root.byRole("group")[0]?.text.length;
  expect([shown(), root.text.includes("20,000 of 30,000 characters")]).toEqual([20_000, true]);
  const button = root.all(({ localName, text: label }) => localName === "button" && label === "Show all")[0];
  button?.send("click");
  await settle();
  expect(shown()).toBe(30_000);
});
