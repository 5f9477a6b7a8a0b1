import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  getAt,
  isInside,
  moveItem,
  pathKey,
  removeAt,
  renameMember,
  setAt,
} from "../../src/form/model/path.js";

const paths = fc.array(
  fc.oneof(fc.nat(3), fc.constantFrom("a", "b/c", "~", "", "__proto__", "constructor")),
  {
    maxLength: 5,
  },
);

describe("paths", () => {
  test.each([
    [[], ""],
    [["a", 0, "b"], "/a/0/b"],
    [["a/b", "c~d"], "/a~1b/c~0d"],
    [[""], "/"],
  ])("the path %j has the key %j", (path, expected) => {
    expect(pathKey(path)).toBe(expected);
  });

  test("isInside compares whole keys", () => {
    expect([isInside("/a/b", "/a"), isInside("/ab", "/a"), isInside("/a", "/a"), isInside("/a", "")]).toEqual(
      [true, false, true, true],
    );
  });

  test("a value that was set is found, and nothing else changes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), paths, fc.string(), (root, path, value) => {
        const before = JSON.stringify(root);
        expect(getAt(setAt(root, path, value), path)).toBe(value);
        expect(JSON.stringify(root)).toBe(before);
      }),
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("inherited members do not exist", () => {
    expect(getAt({}, ["constructor"])).toBeUndefined();
    expect(getAt([1], ["length"])).toBeUndefined();
    expect(getAt("text", ["length"])).toBeUndefined();
  });

  test("a member named `__proto__` is an own member", () => {
    const value = setAt({}, ["__proto__", "polluted"], true);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("unchanged parts are shared", () => {
    const root = { a: { b: 1 }, c: [1] };
    const next = setAt(root, ["a", "b"], 2) as typeof root;
    expect(next.c).toBe(root.c);
  });

  test("removes members and elements", () => {
    const root = { a: [1, 2, 3], b: 1 };
    expect(removeAt(root, ["a", 1])).toEqual({ a: [1, 3], b: 1 });
    expect(removeAt(root, ["b"])).toEqual({ a: [1, 2, 3] });
    expect(removeAt(root, ["missing", "x"])).toBe(root);
    expect(removeAt(root, [])).toBe(root);
  });

  test.each([
    [0, 2, [2, 3, 1]],
    [2, 0, [3, 1, 2]],
    [0, 5, [1, 2, 3]],
    [-1, 0, [1, 2, 3]],
  ])("moves element %i to %i", (from, to, expected) => {
    expect(moveItem([1, 2, 3], [], { from, to })).toEqual(expected);
  });

  test("renames a member in place, but not to the name of another one", () => {
    const root = { m: { a: 1, b: 2, c: 3 } };
    expect(JSON.stringify(renameMember(root, ["m", "b"], "x"))).toBe('{"m":{"a":1,"x":2,"c":3}}');
    expect(renameMember(root, ["m", "b"], "c")).toBe(root);
  });
});
