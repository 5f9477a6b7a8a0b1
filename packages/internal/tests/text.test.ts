import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { oneLine, stripControls, trimEndOf } from "../src/text.js";

describe("text of other programs", () => {
  test("removes every control character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(stripControls(text)).not.toMatch(/[^\P{Cc}\n\t]/u);
        expect(oneLine(text)).not.toMatch(/\p{Cc}/u);
        expect(oneLine(text, 10).length).toBeLessThanOrEqual(10);
      }),
    );
  });
});

describe("trimEndOf", () => {
  test.each([
    ["", "/", ""],
    ["a", "/", "a"],
    ["a//", "/", "a"],
    ["//a/b", "/", "//a/b"],
    ["///", "/", ""],
    ["a \t \t", " \t", "a"],
    ["a. .b. .", ". ", "a. .b"],
    ["a", "", "a"],
  ])("%j without %j at its end is %j", (text, characters, expected) => {
    expect(trimEndOf(text, characters)).toBe(expected);
  });

  test("takes linear time for many characters before the end", () => {
    const text = `${" ".repeat(1_000_000)}x`;
    const start = performance.now();
    for (let time = 0; time < 10; time++) expect(trimEndOf(text, " ")).toBe(text);
    // The pattern / +$/ takes minutes.
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
