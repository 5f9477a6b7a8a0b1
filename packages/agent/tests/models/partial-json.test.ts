import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { completeJson } from "../../src/models/partial-json.js";
import { isJsonObject, readJson } from "@tenon/internal/json";

describe("parsing incomplete JSON", () => {
  test.each<[string, unknown]>([
    ["", undefined],
    [" \n\t", undefined],
    ["{", {}],
    ['{"', {}],
    ['{"ci', {}],
    ['{"city"', {}],
    ['{"city":', {}],
    ['{"city": "', { city: "" }],
    ['{"city": "Par', { city: "Par" }],
    ['{"city": "Paris"', { city: "Paris" }],
    ['{"city": "Paris",', { city: "Paris" }],
    ['{"city": "Paris", "da', { city: "Paris" }],
    ['{"city": "Paris", "days": 1', { city: "Paris" }],
    ['{"city": "Paris", "days": 12,', { city: "Paris", days: 12 }],
    ['{"city": "Paris", "days": 12}', { city: "Paris", days: 12 }],
    ['{"a": {"b": [1, {"c": "d', { a: { b: [1, { c: "d" }] } }],
    ["[", []],
    ["[1", []],
    ["[1,", [1]],
    ["[1 ", [1]],
    ["[-", []],
    ["[1.5e", []],
    ["[1.5e3]", [1500]],
    ["[tru", []],
    ["[true", [true]],
    ["[nul", []],
    ["[null, fals", [null]],
    ["[[], [[", [[], [[]]]],
    ['"a\\', "a"],
    ['"a\\n', "a\n"],
    ['"a\\u00e', "a"],
    ['"a\\u00e9', "aé"],
    ['"a\\ud83d', "a"],
    ['"a\\ud83d\\ude0', "a"],
    ['"a\\ud83d\\ude00', "a😀"],
    ['"a\ud83d', "a"],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
    ['"a\nb', "a\nb"],
    ["12", 12],
    ["-", undefined],
    ["1.", undefined],
    ["true", true],
    ["t", undefined],
    ["null", null],
  ])("%j is %j", (text, value) => {
    expect(completeJson(text)).toEqual(value);
  });

  test.each<[string, unknown]>([
    ["hello", undefined],
    ['{"a":1,}', { a: 1 }],
    ['{"a":1 "b":2}', { a: 1 }],
    ["{a:1}", {}],
    ['{"a" 1}', {}],
    ["[1,,2]", [1]],
    ["[1}", [1]],
    ["[01,2]", []],
    ["[1..2,3]", []],
    ['["a\\x", 2]', ["a"]],
    ['["a\\u12xy", 2]', ["a"]],
    ["[truer]", [true]],
    ['{"a":1} and more', { a: 1 }],
    ["]", undefined],
  ])("%j is not JSON and returns the value before the error: %j", (text, value) => {
    expect(completeJson(text)).toEqual(value);
  });

  test("keys that could pollute a prototype are dropped", () => {
    const text = '{"__proto__":{"a":1},"constructor":{"prototype":{"b":1}},"\\u005f_proto__":2,"c":3}';
    const value = completeJson(text);
    expect(value).toEqual({ c: 3 });
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(completeJson('{"constructor":"Eiffel"}')).toEqual({ constructor: "Eiffel" });
  });

  test("64 levels are parsed, and parsing stops at level 65", () => {
    const nest = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(completeJson(nest(64))).toEqual(JSON.parse(nest(64)));
    expect(completeJson(nest(65))).toEqual(JSON.parse(nest(64)));
    expect(completeJson(`{"a":1,"b":${"[".repeat(1_000_000)}`)).toMatchObject({ a: 1 });
  });

  test.each([
    ["escapes", '"' + "\\n".repeat(1_000_000)],
    ["letters", '{"a":"' + "x".repeat(2_000_000)],
    ["halves of surrogate pairs", '"' + "\ud83d".repeat(1_000_000)],
    ["digits", "1".repeat(2_000_000)],
    ["spaces", "[" + " ".repeat(2_000_000)],
    ["numbers", "[" + "1,".repeat(1_000_000)],
    ["members", "{" + '"a":{},'.repeat(300_000)],
  ])("millions of %s are parsed in linear time", (_title, text) => {
    const started = performance.now();
    completeJson(text);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe("for any JSON", () => {
  const written = fc
    .tuple(fc.jsonValue({ maxDepth: 6, stringUnit: "binary" }), fc.constantFrom(undefined, 1, "\t"))
    .map(([value, indent]) => JSON.stringify(value, undefined, indent));

  test("the complete text returns the value", () => {
    fc.assert(
      fc.property(written, (text) => {
        expect(completeJson(text)).toEqual(readJson(text));
      }),
      { numRuns: 500 },
    );
  });

  test("every prefix returns the beginning of the value", () => {
    fc.assert(
      fc.property(written, (text) => {
        const value = readJson(text);
        // A top-level number cannot be distinguished from its first digits.
        if (typeof value === "number") return;
        for (let cut = 0; cut < text.length; cut++) {
          const part = completeJson(text.slice(0, cut));
          if (!isBeginning(part, value)) expect([cut, part]).toEqual([cut, value]);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("never throws", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      ":",
      ",",
      "\\",
      "u",
      "0",
      "1",
      "-",
      ".",
      "e",
      "t",
      "null",
      "a",
      " ",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), fc.string(), (parts, rest) => {
        completeJson(parts.join(""));
        completeJson(rest);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Checks if one value is the beginning of another: only the last member at each level may be incomplete. */
function isBeginning(part: unknown, whole: unknown): boolean {
  if (part === undefined) return true;
  if (typeof part === "string") return typeof whole === "string" && whole.startsWith(part);
  if (Array.isArray(part)) return Array.isArray(whole) && areBeginnings([...part.entries()], whole);
  if (isJsonObject(part)) return isJsonObject(whole) && areBeginnings(Object.entries(part), whole);
  return Object.is(part, whole);
}

function areBeginnings(members: readonly (readonly [PropertyKey, unknown])[], whole: object): boolean {
  const unfinished = members.filter(([key, value]) => {
    const known: unknown = Object.hasOwn(whole, key) ? Reflect.get(whole, key) : undefined;
    return JSON.stringify(value) !== JSON.stringify(known);
  });
  return (
    unfinished.length <= 1 &&
    unfinished.every(
      ([key, value]) => Object.hasOwn(whole, key) && isBeginning(value, Reflect.get(whole, key)),
    )
  );
}
