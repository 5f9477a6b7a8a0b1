import { PassThrough } from "node:stream";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasColors, oneLine, stripControls, twoColumns } from "../src/command-line/text.js";

describe("text for a terminal", () => {
  test("removes every control character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(stripControls(text)).not.toMatch(/[^\P{Cc}\n\t]/u);
        expect(oneLine(text)).not.toMatch(/\p{Cc}/u);
        expect(oneLine(text, 10).length).toBeLessThanOrEqual(10);
      }),
    );
  });

  test("fits columns into the width", () => {
    expect(
      twoColumns(
        [
          ["a", "x".repeat(90)],
          ["long", ""],
        ],
        40,
      ),
    ).toEqual([`  a     ${"x".repeat(31)}…`, "  long"]);
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
