import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  canonicalJson,
  exceedsDepth,
  findExcess,
  hasMoreValues,
  isJsonObject,
  readJson,
} from "../src/json.js";

describe("isJsonObject", () => {
  test.each([
    ["an object", {}, true],
    ["an array", [], false],
    ["null", null, false],
    ["undefined", undefined, false],
    ["text", "{}", false],
    ["a number", 1, false],
    ["a boolean", true, false],
  ])("of %s: %s → %s", (_case, value, expected) => {
    expect(isJsonObject(value)).toBe(expected);
  });
});

describe("readJson", () => {
  test("returns what JSON.parse returns", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), (text) => {
        fc.pre(!/__proto__|constructor|\\u/.test(text));
        expect(readJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("returns null for null", () => {
    expect(readJson("null")).toBeNull();
  });

  test.each(["", "{", "undefined", "NaN", "{'a':1}", "[1,]", "{}{}", "\u{feff}{}"])(
    "returns undefined for %j, which is not JSON",
    (text) => {
      expect(readJson(text)).toBeUndefined();
    },
  );
});

describe("keys that could pollute a prototype", () => {
  test.each([
    ["__proto__", '{"__proto__":{"polluted":true},"a":1}', { a: 1 }],
    ["__proto__ with escapes", '{"\\u005f_proto_\\u005f":{"polluted":true},"a":1}', { a: 1 }],
    ["__proto__ with every character escaped", `{"${escaped("__proto__")}":1}`, {}],
    ["__proto__ at depth", '{"a":[{"b":{"__proto__":{"polluted":true}}}]}', { a: [{ b: {} }] }],
    ["__proto__ with a scalar", '{"__proto__":null}', {}],
    ["constructor.prototype", '{"constructor":{"prototype":{"polluted":true}},"a":1}', { a: 1 }],
    [
      "constructor.prototype with escapes",
      '{"c\\u006fnstructor":{"pr\\u006ftotype":{"polluted":true}},"a":1}',
      { a: 1 },
    ],
    ["constructor.prototype in an array", '[{"constructor":{"prototype":{}}}]', [{}]],
    ["__proto__ inside constructor", '{"constructor":{"__proto__":{},"b":1}}', { constructor: { b: 1 } }],
  ])("%s is removed from a short text and a long one", (_case, text, expected) => {
    for (const padded of [text, text + " ".repeat(5_000)]) {
      expect(JSON.stringify(readJson(padded))).toBe(JSON.stringify(expected));
    }
  });

  test.each([
    ["a member named constructor that holds text", '{"constructor":"Gaudí"}'],
    ["a member named constructor without a prototype", '{"constructor":{"name":"Gaudí"}}'],
    ["a member named prototype", '{"prototype":{"a":1}}'],
    ["text that contains them", '{"text":"__proto__ constructor prototype \\\\u005f"}'],
  ])("%s is kept", (_case, text) => {
    expect(JSON.stringify(readJson(text))).toBe(text);
  });

  test("parsed data never pollutes an object that it is merged into", () => {
    const hostile = readJson(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"x":{"\\u005f\\u005fproto__":{"polluted":3}}}',
    );
    merge({ x: {} }, hostile);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("a wide and deep text is scrubbed without exhausting the stack", () => {
    const text = `${'{"a":'.repeat(3000)}{"__proto__":1}${"}".repeat(3000)}`;
    expect(JSON.stringify(readJson(text))).toBe(`${'{"a":'.repeat(3000)}{}${"}".repeat(3000)}`);
  });
});

describe("exceedsDepth", () => {
  test.each([
    ["a scalar", "1", 0, false],
    ["an empty array at the limit", "[]", 1, false],
    ["an empty array over the limit", "[]", 0, true],
    ["three levels with a limit of three", '[{"a":[1]}]', 3, false],
    ["three levels with a limit of two", '[{"a":[1]}]', 2, true],
    ["siblings, which are not added up", "[[],[],[],{},{}]", 2, false],
    ["brackets in a string", '["[[[[{{{{"]', 1, false],
    ["brackets after an escaped quote", String.raw`["\"[[[["]`, 1, false],
    ["brackets after an escaped backslash and the end of the string", String.raw`["\\",[[1]]]`, 2, true],
    ["brackets after three backslashes and a quote", String.raw`["\\\"[[[["]`, 1, false],
    ["brackets in a key", '{"[[[":1}', 1, false],
    ["a string that never ends", '["[[[[', 1, false],
    ["a bomb", "[".repeat(1_000_000), 64, true],
  ])("%s", (_case, text, limit, expected) => {
    expect(exceedsDepth(text, limit)).toBe(expected);
  });

  test("agrees with a count on the value, with any layout of the text", () => {
    const tricky = fc.constantFrom('"', "\\", "[", "]", "{", "}", "a", "\n", "\u{0}", "é");
    const value = fc.jsonValue({ stringUnit: tricky, maxDepth: 6, depthSize: "large" });
    fc.assert(
      fc.property(value, fc.nat(8), fc.nat(3), (data, limit, indent) => {
        expect(exceedsDepth(JSON.stringify(data, null, indent), limit)).toBe(depthOf(data) > limit);
      }),
      { numRuns: 500 },
    );
  });

  test("finishes on a text of quotes and backslashes", () => {
    expect(exceedsDepth(`["${"\\\\".repeat(500_000)}"]`, 1)).toBe(false);
    expect(exceedsDepth(`["${'\\"'.repeat(500_000)}"]`, 1)).toBe(false);
    expect(exceedsDepth('""'.repeat(500_000), 1)).toBe(false);
  });
});

describe("findExcess", () => {
  const find = (text: string, maxValues: number) => findExcess(text, 1_000, maxValues);

  test.each([
    ["a scalar", "1", 1, undefined],
    ["an empty list", "[]", 1, undefined],
    ["a list at the limit", "[1,2]", 3, undefined],
    ["a list over the limit", "[1,2]", 2, "values"],
    ["an object over the limit", '{"a":1,"b":2}', 2, "values"],
    ["an empty list that contains white space", "[[ \n ],[\t]]", 3, undefined],
    ["commas in strings", '["a,b,c,d","e,f,g"]', 3, undefined],
    ["commas after an escaped quote", String.raw`["\",,,,"]`, 2, undefined],
    ["a string that never ends", '["a,b', 2, undefined],
    ["a bomb of commas", ",".repeat(1_000_000), 1_000, "values"],
  ])("%s", (_case, text, limit, expected) => {
    expect(find(text, limit)).toBe(expected);
  });

  test("reports the depth if the text exceeds it before it has too many values", () => {
    expect(findExcess("[[[[1,2,3,4,5,6]]]]", 3, 5)).toBe("depth");
    expect(findExcess("[1,2,3,4,5,6,[[[[1]]]]]", 3, 5)).toBe("values");
  });

  test("agrees with a count on the value, with any layout of the text", () => {
    const tricky = fc.constantFrom('"', "\\", "[", "]", "{", "}", ",", "a", "\n", "\u{0}", "é");
    const value = fc.jsonValue({ stringUnit: tricky, maxDepth: 6, depthSize: "large" });
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 12 }), fc.nat(3), (data, limit, indent) => {
        const expected = countValues(data) > limit ? "values" : undefined;
        expect(find(JSON.stringify(data, null, indent), limit)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("finishes on a text of brackets and white space", () => {
    expect(find(`[${" ".repeat(1_000_000)}]`, 10)).toBeUndefined();
    expect(find(`[${" ".repeat(1_000_000)}`, 10)).toBeUndefined();
    expect(find("[ ".repeat(500_000), 10)).toBe("values");
  });
});

describe("hasMoreValues", () => {
  test("counts elements and members at every depth, and stops at the limit", () => {
    const value = { a: [1, 2, { b: null }], c: "text" };
    expect(hasMoreValues(value, 6)).toBe(false);
    expect(hasMoreValues(value, 5)).toBe(true);
    expect(hasMoreValues(7, 0)).toBe(false);
    expect(hasMoreValues({ huge: Array.from({ length: 1_000_000 }) }, 100)).toBe(true);
  });

  test("agrees with a count", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(12), (data, limit) => {
        expect(hasMoreValues(data, limit)).toBe(countValues(data) - 1 > limit);
      }),
    );
  });
});

function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, member) => sum + countValues(member), 1);
}

describe("canonicalJson", () => {
  test.each([
    [{ b: 1, a: [{ d: 2, c: 3 }] }, '{"a":[{"c":3,"d":2}],"b":1}'],
    [{ 10: "ten", 9: "nine" }, '{"10":"ten","9":"nine"}'],
    [{ a: undefined, b: null }, '{"b":null}'],
    [[undefined, 1], "[null,1]"],
    [undefined, "null"],
    ['quote " and \n', String.raw`"quote \" and \n"`],
    [{ 'k"': 1 }, String.raw`{"k\"":1}`],
  ])("%j becomes %s", (value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  test("does not depend on the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(keysReversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  test("parses back to the same value, so different values have different text", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

function escaped(text: string): string {
  return Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

/** A naive deep merge, as an application may have. */
function merge(target: Record<string, unknown>, source: unknown): void {
  for (const [key, value] of Object.entries(source ?? {})) {
    const inner = target[key];
    if (typeof inner === "object" && inner !== null) merge(inner as Record<string, unknown>, value);
    else target[key] = value;
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function keysReversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keysReversed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, keysReversed(member)]),
  );
}
