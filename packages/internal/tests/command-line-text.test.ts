import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { formatColumns, hasColors, wrapText } from "../src/command-line/text.js";

describe("text for a terminal", () => {
  test("aligns columns, and wraps the last one to fit the width", () => {
    const rows = [
      ["a", "one two three four five six seven eight"],
      ["long", ""],
    ];
    expect(formatColumns(rows, { width: 40, indent: 2 })).toEqual([
      "  a     one two three four five six",
      "        seven eight",
      "  long",
    ]);
    expect(formatColumns(rows, { width: 10_000, indent: 2 })).toEqual([
      "  a     one two three four five six seven eight",
      "  long",
    ]);
  });

  test("moves the last column down if there is little room", () => {
    expect(formatColumns([["a-rather-long-name", "number", "one two"]], { width: 40, indent: 2 })).toEqual([
      "  a-rather-long-name  number",
      "      one two",
    ]);
  });

  test("keeps line breaks and indentation when it wraps", () => {
    expect(wrapText("one two\n  three four five", 12)).toEqual(["one two", "  three four", "  five"]);
  });

  test.each<[boolean | undefined, Readonly<Record<string, string>>, boolean]>([
    [true, {}, true],
    [true, { NO_COLOR: "" }, true],
    [true, { NO_COLOR: "0" }, false],
    [true, { TERM: "dumb" }, false],
    [undefined, {}, false],
  ])("a stream with isTTY %j and %j has colors: %j", (isTTY, env, expected) => {
    expect(hasColors(Object.assign(new PassThrough(), { isTTY }), env)).toBe(expected);
  });
});
