import { describe, expect, test } from "vitest";
import {
  cellText,
  columnsOf,
  nextOrder,
  sortRows,
  toTableRows,
} from "../../src/components/collections/table-model.js";

describe("toTableRows", () => {
  test.each([
    ["an array of objects", [{ a: 1 }, {}], true],
    ["an empty array", [], false],
    ["empty objects", [{}, {}], false],
    ["an array with other values", [{ a: 1 }, 2], false],
    ["an object", { a: 1 }, false],
    ["null", null, false],
  ])("decides if %s is a table", (_title, value, isTable) => {
    expect(toTableRows(value) !== undefined).toBe(isTable);
  });
});

describe("columnsOf", () => {
  test("has a column for each name, in the order of appearance", () => {
    const columns = columnsOf([
      { id: 1, name: "a" },
      { id: 20, extra: null },
    ]);
    expect(columns.map(({ name, isNumeric }) => [name, isNumeric])).toEqual([
      ["id", true],
      ["name", false],
      ["extra", true],
    ]);
  });

  test("limits the width and the number of columns", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`c${index}`, "x".repeat(500)]),
    );
    const columns = columnsOf([wide]);
    expect(columns).toHaveLength(50);
    expect(columns[0]?.width).toBe(48);
  });

  test("a member named `__proto__` is a column like any other", () => {
    const rows = JSON.parse('[{"__proto__": 1}]') as readonly Record<string, unknown>[];
    expect(columnsOf(rows).map(({ name }) => name)).toEqual(["__proto__"]);
  });
});

describe("cellText", () => {
  test.each([
    [undefined, ""],
    [null, "null"],
    ["a", "a"],
    [1.5, "1.5"],
    [{ a: [1] }, '{"a":[1]}'],
    ["x".repeat(400), `${"x".repeat(300)}…`],
    [Array.from({ length: 21 }, () => 0), "[21 items]"],
  ])("shows %j as a short text", (value, expected) => {
    expect(cellText(value)).toBe(expected);
  });

  test("a cell with a huge value stays short", () => {
    const value = {
      list: Array.from({ length: 10_000 }, () => "x".repeat(100)),
      text: "y".repeat(1_000_000),
    };
    expect(cellText(value).length).toBeLessThan(400);
  });
});

describe("sortRows", () => {
  const rows = [{ v: "b10" }, { v: 2 }, {}, { v: "B9" }, { v: null }, { v: 10 }];
  const values = (isDescending: boolean) =>
    sortRows(rows, { column: "v", isDescending }).map((row) => ("v" in row ? row.v : "missing"));

  test("sorts numbers before texts, texts by their numbers, and missing values last", () => {
    expect(values(false)).toEqual([2, 10, "B9", "b10", "missing", null]);
    expect(values(true)).toEqual(["b10", "B9", 10, 2, "missing", null]);
  });

  test.each(["constructor", "toString", "__proto__"])("rows without a member %s are last", (column) => {
    const named = JSON.parse(`[{"id": 1}, {"id": 2, "${column}": "z"}]`) as readonly Record<
      string,
      unknown
    >[];
    expect(sortRows(named, { column, isDescending: false }).map(({ id }) => id)).toEqual([2, 1]);
  });

  test("keeps the order without a column", () => {
    expect(sortRows(rows, undefined)).toBe(rows);
  });

  test("a click sorts ascending, then descending, then not at all", () => {
    const first = nextOrder(undefined, "a");
    const second = nextOrder(first, "a");
    expect([first, second, nextOrder(second, "a"), nextOrder(second, "b")]).toEqual([
      { column: "a", isDescending: false },
      { column: "a", isDescending: true },
      undefined,
      { column: "b", isDescending: false },
    ]);
  });
});
