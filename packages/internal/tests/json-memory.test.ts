import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { memoryOf } from "../src/json-memory.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const objects = (count: number, toText: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => toText(at)).join(",");
const members = (count: number, toKey: (at: number) => string) =>
  `{${objects(count, (at) => `"${toKey(at)}":1`)}}`;

describe("the estimated memory of parsed JSON", () => {
  test.each<[string, string]>([
    ["empty objects", `[${"{},".repeat(200_000)}0]`],
    ["empty arrays", `[${"[],".repeat(200_000)}0]`],
    ["small objects", `[${'{"type":"string","x":1},'.repeat(100_000)}0]`],
    ["numbers", `[${"1.5,".repeat(500_000)}0]`],
    ["a long text", JSON.stringify("x".repeat(8_000_000))],
    ["a long text of two bytes per character", JSON.stringify("ж".repeat(4_000_000))],
    ["short texts", `[${Array.from({ length: 100_000 }, (_, at) => `"a text ${at}"`).join(",")}]`],
    ["an object with many members", members(100_000, (at) => `k${at}`)],
    [
      "objects with different members",
      `[${objects(1_500, (at) => members(60, (member) => `k${at}_${member}`))}]`,
    ],
    ["objects with one member each", `[${objects(20_000, (at) => `{"k${at}":1}`)}]`],
    ["a long key of two bytes per character", `{"${"ж".repeat(4_000_000)}":1}`],
    ["nested arrays", `[${`${"[".repeat(100)}${"]".repeat(100)},`.repeat(2_000)}0]`],
  ])("of %s is close to the real one", (_title, text) => {
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const value: unknown = JSON.parse(text);
    collectGarbage();
    const real = process.memoryUsage().heapUsed - before;
    const estimate = memoryOf(value);
    expect(estimate).toBeGreaterThan(real / 2);
    expect(estimate).toBeLessThan(real * 6 + 1_000_000);
  });

  test("covers every kind of value", () => {
    expect(memoryOf(null)).toBe(0);
    expect(memoryOf("abc")).toBe(27);
    expect(memoryOf({ ab: [1, true] })).toBe(56 + 18 + 48 + 16 + 8);
  });
});
