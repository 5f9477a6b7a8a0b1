import { expect, test } from "vitest";
import { parseFragment, parsePointer, valueAt } from "../src/schema/json-pointer.js";

test("parsePointer unescapes each key once", () => {
  expect(parsePointer("")).toEqual([]);
  expect(parsePointer("/")).toEqual([""]);
  expect(parsePointer("/a~1b/~01/0/%20")).toEqual(["a/b", "~1", "0", "%20"]);
});

test("parseFragment also decodes percent-encoded characters", () => {
  expect(parseFragment("/a%20b/c%2Fd/~1")).toEqual(["a b", "c/d", "/"]);
  expect(parseFragment("/a/%E0%A4%A")).toBeUndefined();
});

test("valueAt reads own members of objects and arrays", () => {
  const root = { list: [{ name: "a" }], text: "b" };
  expect(valueAt(root, [])).toBe(root);
  expect(valueAt(root, ["list", "0", "name"])).toBe("a");
  for (const keys of [["list", "1"], ["list", "00"], ["list", "length"], ["toString"], ["text", "0"]]) {
    expect(valueAt(root, keys)).toBeUndefined();
  }
});
