import { h } from "preact";
import { describe, expect, test } from "vitest";
import { Menu } from "../../src/components/navigation/menu.js";
import { mount } from "../support/small-dom.js";

function show() {
  const items = ["Copy as curl", "Copy as test", "Export", "Repeat"].map((label) => ({
    id: label,
    label,
    onSelect: () => {},
  }));
  const { root } = mount(h(Menu, { label: "Actions", items }));
  const entries = root.byRole("menuitem");
  entries[0]?.focus();
  return {
    /** Presses a key on the focused entry. Returns the entry with the focus, and true if the key was used. */
    press(key: string, facts: Readonly<Record<string, unknown>> = {}) {
      const focused = entries.find((entry) => entry === (document.activeElement as unknown));
      const isUsed = focused?.send("keydown", { key, ...facts }).isPrevented;
      const now = entries.find((entry) => entry === (document.activeElement as unknown));
      return [now?.text, isUsed];
    },
  };
}

describe("keys in a menu", () => {
  test.each([
    ["a letter that finds an entry", "e", ["Export", true]],
    ["the same letter as the focused entry", "c", ["Copy as test", true]],
    ["the down arrow", "ArrowDown", ["Copy as test", true]],
    ["the up arrow", "ArrowUp", ["Repeat", true]],
    ["End", "End", ["Repeat", true]],
  ])("%s moves the focus", (_title, key, expected) => {
    expect(show().press(key)).toEqual(expected);
  });

  test.each([
    ["a letter that finds no entry", "x", {}],
    ["a letter with Control", "e", { ctrlKey: true }],
    ["a letter with Command", "e", { metaKey: true }],
    ["a letter with Alt", "e", { altKey: true }],
    ["Enter", "Enter", {}],
    ["Space", " ", {}],
  ])("%s is left to the browser", (_title, key, facts) => {
    expect(show().press(key, facts)).toEqual(["Copy as curl", false]);
  });
});
