import { type } from "arktype";
import { describe, expect, test } from "vitest";
import { describeIssues } from "../../src/schema/issues.js";
import type { Issue } from "../../src/schema/schema.js";

describe("issues are formatted in one line", () => {
  test.each<[string, readonly Issue[], string]>([
    ["none", [], ""],
    ["one without a path", [{ message: "must be an object" }], "must be an object"],
    ["one at the root", [{ path: [], message: "must be an object" }], "must be an object"],
    ["one with an undefined path", [{ path: undefined, message: "is wrong" }], "is wrong"],
    ["one at a member", [{ path: ["city"], message: "is required" }], "city: is required"],
    ["one deep inside", [{ path: ["tags", 0, "name"], message: "is empty" }], "tags.0.name: is empty"],
    ["path segments as objects", [{ path: [{ key: "a" }, { key: 1 }], message: "no" }], "a.1: no"],
    ["a symbol in the path", [{ path: [Symbol("s")], message: "no" }], "Symbol(s): no"],
    [
      "several",
      [{ path: ["a"], message: "is required" }, { message: "is wrong" }],
      "a: is required; is wrong",
    ],
  ])("%s", (_name, issues, line) => {
    expect(describeIssues(issues)).toBe(line);
  });
});

describe("the length of a line is bounded", () => {
  const many = (count: number): Issue[] =>
    Array.from({ length: count }, (_, index) => ({ path: [index], message: "no" }));

  test("20 issues are all listed", () => {
    const line = describeIssues(many(20));
    expect(line.split("; ")).toHaveLength(20);
    expect(line.endsWith("19: no")).toBe(true);
  });

  test("further issues are counted", () => {
    const parts = describeIssues(many(1020)).split("; ");
    expect(parts).toHaveLength(21);
    expect(parts.at(-2)).toBe("19: no");
    expect(parts.at(-1)).toBe("and 1000 more");
  });

  test("an issue of 300 characters is shown in full", () => {
    expect(describeIssues([{ message: "x".repeat(300) }])).toBe("x".repeat(300));
  });

  test("a longer issue is truncated in its message or path", () => {
    expect(describeIssues([{ message: "x".repeat(301) }])).toBe(`${"x".repeat(300)}…`);
    expect(describeIssues([{ path: ["k".repeat(10_000)], message: "no" }])).toBe(`${"k".repeat(300)}…`);
  });

  test("the longest possible line has about 6000 characters", () => {
    const issues = Array.from({ length: 100_000 }, () => ({ message: "x".repeat(1000) }));
    expect(describeIssues(issues)).toHaveLength(20 * 301 + 20 * "; ".length + "and 99980 more".length);
  });
});

test("a path that is part of the message is not repeated", () => {
  const checked = type({ city: "string" })["~standard"].validate({ city: 1 });
  if (checked instanceof Promise) throw new Error("arktype checks synchronously");
  expect(describeIssues(checked.issues ?? [])).toBe("city must be a string (was a number)");
});
