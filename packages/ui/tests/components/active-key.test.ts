import { describe, expect, test } from "vitest";
import { activeIndexOf } from "../../src/components/collections/use-active-key.js";

describe("activeIndexOf", () => {
  const rows = ["a", "b", "c"];
  const indexOf = (key: string) => rows.indexOf(key);

  test.each([
    ["the row to which the user has moved", { key: "b", selected: "a" }, "a", 1],
    ["a row that was selected later", { key: "b", selected: "a" }, "c", 2],
    ["the last row if the selected one is hidden", { key: "b", selected: "a" }, "hidden", 1],
    ["the selected row if the last one is gone", { key: "gone", selected: "a" }, "a", 0],
    ["the last row if nothing is selected anymore", { key: "b", selected: "a" }, undefined, 1],
    ["no row at first", { key: undefined, selected: undefined }, undefined, -1],
  ])("is %s", (_title, active, selected, expected) => {
    expect(activeIndexOf(active, selected, indexOf)).toBe(expected);
  });
});
