import { describe, expect, test } from "vitest";
import { toFileName } from "../src/support/browser.js";
import { classNames } from "../src/support/class-names.js";
import {
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
  formatQuantity,
} from "../src/support/format.js";
import { splitMatches } from "../src/support/highlight.js";
import { safeUrl } from "../src/support/safe-url.js";

describe("formats", () => {
  test.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1 KiB"],
    [1536, "1.5 KiB"],
    [10 * 1024 * 1024, "10 MiB"],
    [-5, "0 B"],
  ])("formats %i bytes", (bytes, expected) => {
    expect(formatBytes(bytes)).toBe(expected);
  });

  test.each([
    [0.42, "0.4 ms"],
    [12.4, "12 ms"],
    [999.4, "999 ms"],
    [999.6, "1 s"],
    [1_250, "1.25 s"],
    [59_940, "59.9 s"],
    [59_960, "1 min"],
    [125_000, "2 min 5 s"],
    [3_600_000, "1 h"],
    [3_720_000, "1 h 2 min"],
  ])("formats %d milliseconds", (milliseconds, expected) => {
    expect(formatDuration(milliseconds)).toBe(expected);
  });

  test("counts have separators and nouns", () => {
    expect([formatCount(12_345), formatQuantity(1, "item"), formatQuantity(2_000, "item")]).toEqual([
      "12,345",
      "1 item",
      "2,000 items",
    ]);
  });

  test("the clock has milliseconds", () => {
    expect(formatClock(new Date(2020, 0, 1, 9, 5, 7, 25).getTime())).toBe("09:05:07.025");
  });
});

describe("safeUrl", () => {
  test.each([
    ["https://example.com/a?b#c", "https://example.com/a?b#c"],
    ["HTTP://EXAMPLE.com", "http://example.com/"],
    ["mailto:a@example.com", "mailto:a@example.com"],
    ["  https://example.com ", "https://example.com/"],
    ["https://exаmple.com", "https://xn--exmple-4nf.com/"],
  ])("allows %s", (text, expected) => {
    expect(safeUrl(text)).toBe(expected);
  });

  test.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " \u0001javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://example.com/x",
    "//example.com",
    "/relative",
    "#hash",
    "",
    `https://example.com/${"x".repeat(10_000)}`,
  ])("rejects %j", (text) => {
    expect(safeUrl(text)).toBeUndefined();
  });
});

describe("splitMatches", () => {
  test.each([
    ["Hello hello", "hello", ["[Hello]", " ", "[hello]"]],
    ["abc", "", ["abc"]],
    ["abc", "x", ["abc"]],
    ["aaa", "aa", ["[aa]", "a"]],
    ["", "a", [""]],
    ["İx", "x", ["İx"]],
  ])("splits %j at each match of %j", (text, query, expected) => {
    const parts = splitMatches(text, query).map((part) => (part.isMatch ? `[${part.text}]` : part.text));
    expect(parts).toEqual(expected);
  });

  test("marks at most 100 occurrences", () => {
    const parts = splitMatches("a".repeat(10_000), "a");
    expect(parts).toHaveLength(101);
    expect(parts.map(({ text }) => text).join("")).toHaveLength(10_000);
  });
});

describe("toFileName", () => {
  test.each([
    ["file:///a/report.pdf", "report.pdf"],
    ["..\\..\\evil.exe", "evil.exe"],
    ["a\u0000b\u202e.txt", "a_b_.txt"],
    ["..", "download"],
    ["", "download"],
    ["a/", "download"],
  ])("makes a file name from %j", (name, expected) => {
    expect(toFileName(name)).toBe(expected);
  });
});

test("classNames skips missing parts", () => {
  expect(classNames("a", undefined, false, "", "b")).toBe("a b");
});
