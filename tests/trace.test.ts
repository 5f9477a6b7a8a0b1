import { describe, expect, test } from "vitest";
import { readProject, traceRequirements } from "../scripts/trace.js";
import { checkResult } from "./support/wire-schemas.js";

const requirements = `
- **F901** A thing.
- **F902** Another thing.
- **T901** A habit. (kept by review: CONTRIBUTING.md, Names)
`;

describe("the trace", () => {
  test("lists requirements without a test, and requirements that are verified by review", () => {
    const tests = [
      'test("F901: works", () => {}); // F902 in a comment does not count',
      'expect("F902").toBe("F902")',
    ];
    expect(traceRequirements(requirements, tests)).toEqual({
      untested: ["F902 Another thing."],
      reviewed: ["T901 A habit. (kept by review: CONTRIBUTING.md, Names)"],
      total: 3,
    });
  });

  test.each([
    'test.each([[1], [2]])("F901, F902: %s", () => {});',
    "describe(`F901`, () => it('F902 is so', () => {}));",
    'test.each(\n  list.map(({ a }) => [a]),\n)(\n  "F901 and F902",\n  () => {},\n);',
  ])("finds the requirement IDs in %j", (source) => {
    expect(traceRequirements(requirements, [source]).untested).toEqual([]);
  });

  test("covers every line in the five documents", () => {
    expect(readProject().total).toBe(71 + 49 + 57 + 40 + 44);
  });

  test("every protocol core requirement has a test", () => {
    expect(readProject().untested.filter((line) => line.startsWith("R"))).toEqual([]);
  });
});

describe("validation of every response", () => {
  test("finds results that do not match their revision's schema", () => {
    expect(checkResult("2025-06-18", "tools/list", { tools: [] })).toBeUndefined();
    expect(checkResult("2025-06-18", "tools/list", { tools: [{}] })).toContain("2025-06-18 ListToolsResult");
    expect(checkResult("2026-07-28", "tools/list", { tools: [] })).toContain("2026-07-28 ListToolsResult");
    expect(
      checkResult("2024-11-05", "tools/call", { content: [{ type: "audio", data: "", mimeType: "a/b" }] }),
    ).toBeDefined();
  });
});
