import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { copyJson } from "../../src/core/wire/copy-json.js";

const overWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("a copy of plain data", () => {
  test("equals the value after JSON, or is left to JSON", () => {
    let copied = 0;
    const value = fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toJSON", "0", "a")),
      fc.anything({ withDate: true, withSparseArray: true, withNullPrototype: true, withTypedArray: true }),
    );
    fc.assert(
      fc.property(value, (given) => {
        const copy = copyJson(given);
        if (copy === undefined) return;
        copied++;
        const expected = overWire(given);
        expect(copy).toStrictEqual(expected);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(expected));
      }),
      { numRuns: 3_000 },
    );
    expect(copied).toBeGreaterThan(100);
  });

  test.each([
    [
      "undefined members and numbers without a JSON form",
      { a: undefined, b: Number.NaN, c: -0, d: [Infinity] },
    ],
    ["nested data", { a: [{ b: [1, "x", null, true] }], "": {} }],
  ])("copies %s", (_, value) => {
    const copy = copyJson(value);
    expect(copy).toStrictEqual(overWire(value));
  });

  test("does not share any part with the value", () => {
    const value = { list: [{ a: 1 }] };
    const copy = copyJson(value);
    value.list[0] = { a: 2 };
    expect(copy).toEqual({ list: [{ a: 1 }] });
  });

  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

  test.each<[string, Record<string, unknown>]>([
    ["a date", { a: new Date(0) }],
    ["a `toJSON` method", { a: { toJSON: () => 1 } }],
    ["a BigInt", { a: 1n }],
    ["a function", { a: () => 1 }],
    ["a class instance", { a: new URLSearchParams() }],
    ["a map", { a: new Map() }],
    ["circular data", circular],
    ["deep data", { a: nested(20) }],
    ["many values", { a: Array.from({ length: 1_000 }, () => 1) }],
    ["a long string", { a: "x".repeat(20_000) }],
    ["a long key", { ["x".repeat(20_000)]: 1 }],
    ["a `__proto__` key", { a: JSON.parse('{"__proto__":{"x":1}}') as unknown }],
    ["a `constructor` key", { a: { constructor: { prototype: {} } } }],
    ["an undefined item", { a: [undefined] }],
  ])("leaves %s to JSON", (_, value) => {
    expect(copyJson(value)).toBeUndefined();
  });

  test("leaves every value to JSON while `Object.prototype` has an enumerable member", () => {
    // oxlint-disable-next-line no-extend-native -- removed below
    Object.defineProperty(Object.prototype, "polluted", { value: 1, enumerable: true, configurable: true });
    let copy: unknown = "not called";
    try {
      copy = copyJson({ a: 1 });
    } finally {
      Reflect.deleteProperty(Object.prototype, "polluted");
    }
    expect(copy).toBeUndefined();
  });
});
