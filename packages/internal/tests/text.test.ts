import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeControls, oneLine, stripControls, trimEndOf } from "../src/text.js";

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

  /** Every control character, and every character that changes the direction of text or ends a line. */
  const HIDDEN = /[^\P{Cc}\n\t]|\p{Bidi_Control}|[\u2028\u2029]/u;

  test("removes marks of the text direction, and keeps line breaks", () => {
    const text = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).join("");
    expect(stripControls(text)).not.toMatch(HIDDEN);
    expect(stripControls("a\r\nb\rc\u2028d\u2029e")).toBe("a\nb\nc\nd\ne");
  });

  test("is escaped in JSON, and the value stays the same", () => {
    const value = {
      key: Array.from({ length: 0xd800 }, (_, code) => String.fromCharCode(code)).join(""),
      "\u202e": 1,
    };
    for (const indent of [0, 2]) {
      const json = escapeControls(JSON.stringify(value, null, indent));
      expect(json).not.toMatch(HIDDEN);
      expect(json).not.toContain("\ufeff");
      expect(JSON.parse(json)).toEqual(value);
    }
    expect(escapeControls('"\u009b2J\u202e"')).toBe('"\\u009b2J\\u202e"');
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
