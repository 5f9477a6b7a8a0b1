import { describe, expect, test } from "vitest";
import { frozenCopy } from "../src/deep-freeze.js";

describe("frozenCopy", () => {
  const original = { name: "a", list: [{ deep: [1, null] }], nothing: null, none: undefined };

  test("equals the original and shares nothing with it", () => {
    const copy = frozenCopy(original);
    expect(copy).toStrictEqual(original);
    expect(copy).not.toBe(original);
    expect(copy.list).not.toBe(original.list);
    expect(copy.list[0]).not.toBe(original.list[0]);
  });

  test("freezes at every depth", () => {
    const copy = frozenCopy(original);
    for (const part of [copy, copy.list, copy.list[0], copy.list[0]?.deep]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(() => copy.list.push({ deep: [] })).toThrow(TypeError);
  });

  test("does not change the original", () => {
    const mine = { list: [1] };
    frozenCopy(mine);
    mine.list.push(2);
    expect(mine).toEqual({ list: [1, 2] });
  });

  test.each([["text"], [7], [true], [null], [undefined]])("returns %s itself", (value) => {
    expect(frozenCopy(value)).toBe(value);
  });

  test("keeps a key named __proto__ as a plain member", () => {
    const copy = frozenCopy(JSON.parse('{"__proto__":{"polluted":true}}') as object);
    expect(Object.keys(copy)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect("polluted" in copy).toBe(false);
  });
});
