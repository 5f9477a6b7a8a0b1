import { describe, expect, test } from "vitest";
import { initialExpansion, jsonRows, MAX_ROWS, pathOfRow } from "../../src/json/json-rows.js";
import { searchJson } from "../../src/json/json-search.js";
import { isLongString, jsonKindOf, showPath, summaryOf, toJsonText } from "../../src/json/json-value.js";

const all = () => true;

describe("jsonRows", () => {
  const value = { a: [1, { b: null }], "c/d~": "x", empty: [] };

  test("shows only the root if nothing is expanded", () => {
    expect(jsonRows(value, () => false)).toMatchObject([
      { key: "", level: 1, isExpanded: false, kind: "object" },
    ]);
  });

  test("shows the members of expanded values", () => {
    const rows = jsonRows(value, all).map(({ key, name, level, position, siblings, parent, isExpanded }) => [
      key,
      name,
      level,
      position,
      siblings,
      parent,
      isExpanded,
    ]);
    expect(rows).toEqual([
      ["", undefined, 1, 1, 1, -1, true],
      ["/a", "a", 2, 1, 3, 0, true],
      ["/a/0", 0, 3, 1, 2, 1, undefined],
      ["/a/1", 1, 3, 2, 2, 1, true],
      ["/a/1/b", "b", 4, 1, 1, 3, undefined],
      ["/c~1d~0", "c/d~", 2, 2, 3, 0, undefined],
      ["/empty", "empty", 2, 3, 3, 0, undefined],
    ]);
  });

  test("a row has the path to its value", () => {
    const rows = jsonRows(value, all);
    expect(pathOfRow(rows, 4)).toEqual(["a", 1, "b"]);
    expect(pathOfRow(rows, 0)).toEqual([]);
  });

  test("100,000 values do not freeze the page, and deep values do not exhaust the stack", () => {
    const wide = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    expect(jsonRows(wide, (key) => key === "")).toHaveLength(100_001);
    let deep: unknown = 1;
    for (let level = 0; level < 5_000; level++) deep = [deep];
    expect(jsonRows(deep, all)).toHaveLength(5_001);
  });
});

test("jsonRows stops at its limit", () => {
  const value = Array.from({ length: MAX_ROWS + 10 }, () => 0);
  expect(jsonRows(value, all)).toHaveLength(MAX_ROWS);
});

test("members with inherited names are rows like any other", () => {
  const value: unknown = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}');
  expect(jsonRows(value, all).map(({ key, kind }) => [key, kind])).toEqual([
    ["", "object"],
    ["/__proto__", "object"],
    ["/__proto__/a", "number"],
    ["/constructor", "number"],
  ]);
});

describe("initialExpansion", () => {
  test("expands level by level", () => {
    const value = { a: { b: { c: 1 } }, d: [1] };
    expect([...initialExpansion(value, { levels: 2, maxRows: 100 })]).toEqual(["", "/a", "/d"]);
  });

  test("values that would exceed the limit stay collapsed", () => {
    const value = { large: Array.from({ length: 1_000 }, () => 0), small: [1] };
    expect([...initialExpansion(value, { levels: 3, maxRows: 50 })]).toEqual(["", "/small"]);
  });

  test("the root is expanded even if it is large", () => {
    const expanded = initialExpansion(
      Array.from({ length: 1_000 }, () => [1]),
      { levels: 2, maxRows: 50 },
    );
    expect([...expanded]).toEqual([""]);
  });
});

describe("searchJson", () => {
  const value = { Name: "Ada", list: [{ name: "other" }, "adaptive", 42, null, true] };

  test.each([
    ["name", ["/Name", "/list/0/name"]],
    ["ADA", ["/Name", "/list/1"]],
    ["42", ["/list/2"]],
    ["null", ["/list/3"]],
    ["tru", ["/list/4"]],
    ["missing", []],
    ["", []],
  ])("finds %j", (query, expected) => {
    expect(searchJson(value, query).keys).toEqual(expected);
  });

  test("expands the ancestors of matches", () => {
    expect([...searchJson(value, "other").ancestors].toSorted()).toEqual(["", "/list", "/list/0"]);
  });

  test("stops after 1,000 matches", () => {
    const result = searchJson(
      Array.from({ length: 5_000 }, () => "x"),
      "x",
    );
    expect([result.keys.length, result.isCut]).toEqual([1_000, true]);
  });

  test("stops after a million values, and searches only the start of a long string", () => {
    const many = Array.from({ length: 1_000_001 }, () => 0);
    expect(searchJson(many, "x")).toMatchObject({ keys: [], isCut: true });
    expect(searchJson([`${"a".repeat(20_000)}x`, "x"], "x").keys).toEqual(["/1"]);
  });

  test("deep values do not exhaust the stack", () => {
    let deep: unknown = "needle";
    for (let level = 0; level < 5_000; level++) deep = [deep];
    expect(searchJson(deep, "needle").ancestors.size).toBe(5_000);
  });
});

describe("values", () => {
  test.each([
    [null, "null", "null"],
    ["a\n", "string", '"a\\n"'],
    [1, "number", "1"],
    [false, "boolean", "false"],
    [[1], "array", "[1 item]"],
    [{ a: 1, b: 2 }, "object", "{2 members}"],
    [undefined, "other", "undefined"],
  ])("%j is of the kind %s, and is shown as %s", (value, kind, summary) => {
    expect([jsonKindOf(value), summaryOf(value)]).toEqual([kind, summary]);
  });

  test("long strings are cut", () => {
    const text = "x".repeat(5_000);
    expect(summaryOf(text)).toHaveLength(202);
    expect([isLongString(text), isLongString("x")]).toEqual([true, false]);
  });

  test.each([
    [[], ""],
    [["items", 2, "name"], "items[2].name"],
    [["a b", "c"], '["a b"].c'],
    [[0, "$x"], "[0].$x"],
  ])("the path %j is shown as %j", (path, expected) => {
    expect(showPath(path)).toBe(expected);
  });

  test("toJsonText never throws", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect([toJsonText({ a: 1 }), toJsonText(cycle), toJsonText(undefined)]).toEqual([
      '{\n  "a": 1\n}',
      "",
      "",
    ]);
  });
});
