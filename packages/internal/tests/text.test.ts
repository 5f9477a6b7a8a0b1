import { describe, expect, test } from "vitest";
import { trimEndOf } from "../src/text.js";

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
