import { describe, expect, test } from "vitest";
import { createTypeAhead, moveByKey } from "../../src/components/collections/navigation-keys.js";

describe("moveByKey", () => {
  test.each([
    ["ArrowDown", -1, 0],
    ["ArrowDown", 3, 4],
    ["ArrowDown", 9, 9],
    ["ArrowUp", -1, 9],
    ["ArrowUp", 0, 0],
    ["ArrowUp", 5, 4],
    ["PageDown", 2, 7],
    ["PageDown", 8, 9],
    ["PageUp", 7, 2],
    ["PageUp", 1, 0],
    ["Home", 5, 0],
    ["End", 5, 9],
    ["x", 5, undefined],
  ])("%s moves from %i to %s", (key, index, expected) => {
    expect(moveByKey(key, { index, count: 10, page: 5 })).toBe(expected);
  });

  test("continues at the other end of a circular list", () => {
    expect(moveByKey("ArrowDown", { index: 2, count: 3, isCircular: true })).toBe(0);
    expect(moveByKey("ArrowUp", { index: 0, count: 3, isCircular: true })).toBe(2);
  });

  test("does not move in an empty list", () => {
    expect(moveByKey("ArrowDown", { index: -1, count: 0 })).toBeUndefined();
  });
});

describe("type-ahead", () => {
  const names = ["add", "alert", "beta", "Alpine"];
  const press = (find: ReturnType<typeof createTypeAhead>["find"], key: string, at: number, index: number) =>
    find({ key, at, index, count: names.length, textAt: (position) => names[position] ?? "" });

  test("goes to the next row with a letter", () => {
    const { find } = createTypeAhead();
    expect(press(find, "a", 0, 0)).toBe(1);
    expect(press(find, "a", 100, 1)).toBe(3);
    expect(press(find, "a", 200, 3)).toBe(0);
  });

  test("searches for several letters", () => {
    const { find } = createTypeAhead();
    expect(press(find, "a", 0, -1)).toBe(0);
    expect(press(find, "l", 100, 0)).toBe(1);
    expect(press(find, "p", 200, 1)).toBe(3);
  });

  test("starts again after a pause", () => {
    const { find } = createTypeAhead();
    press(find, "a", 0, -1);
    expect(press(find, "b", 2_000, 0)).toBe(2);
  });

  test("a space belongs to the search only while the user types", () => {
    const { find } = createTypeAhead();
    const rows = ["new call", "new tool"];
    const type = (key: string, at: number, index: number) =>
      find({ key, at, index, count: rows.length, textAt: (position) => rows[position] ?? "" });
    for (const [at, key] of ["n", "e", "w"].entries()) type(key, at, 0);
    expect(type(" ", 10, 0)).toBe(0);
    expect(type("t", 20, 0)).toBe(1);
    expect(type(" ", 5_000, 1)).toBeUndefined();
  });

  test.each(["Enter", "F2", " "])("ignores the key %j", (key) => {
    expect(press(createTypeAhead().find, key, 0, 0)).toBeUndefined();
  });
});
