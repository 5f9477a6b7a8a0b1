import { describe, expect, test } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import { loadJsonSchema } from "../../src/schema/json-schema/index.js";

const compile = await loadJsonSchema();
const text = { type: "string" };

describe("an internal reference is resolved", () => {
  const member = (reference: string, rest: JsonObject): JsonObject => ({
    properties: { a: { $ref: reference } },
    ...rest,
  });

  test.each<[string, JsonObject]>([
    ["a pointer", member("#/$defs/t", { $defs: { t: text } })],
    ["a pointer through definitions", member("#/definitions/t", { definitions: { t: text } })],
    ["a pointer with escapes", member("#/$defs/a~1b~0c%25d", { $defs: { "a/b~c%d": text } })],
    ["a pointer into a list", member("#/$defs/t/allOf/0", { $defs: { t: { allOf: [text] } } })],
    ["a pointer to a property", { properties: { t: text, a: { $ref: "#/properties/t" } } }],
    ["a pointer into an unknown keyword", member("#/x-types/t", { "x-types": { t: text } })],

    ["an anchor", member("#t", { $defs: { t: { ...text, $anchor: "t" } } })],
    ["a dynamic anchor", member("#t", { $defs: { t: { ...text, $dynamicAnchor: "t" } } })],
    ["a relative $id", member("t.json", { $defs: { t: { ...text, $id: "t.json" } } })],
    ["a rooted $id", member("/t.json", { $defs: { t: { ...text, $id: "/t.json" } } })],
    [
      "an absolute $id",
      member("https://a.example/t", { $defs: { t: { ...text, $id: "https://a.example/t" } } }),
    ],
    [
      "a URN",
      member("urn:example:t", { $id: "urn:example:root", $defs: { t: { ...text, $id: "urn:example:t" } } }),
    ],
    [
      "an $id relative to the root's",
      member("t.json", { $id: "https://a.example/root.json", $defs: { t: { ...text, $id: "t.json" } } }),
    ],
    [
      "an $id with a parent path",
      member("/t.json", { $id: "https://a.example/b/c", $defs: { t: { ...text, $id: "../t.json" } } }),
    ],
    [
      "an anchor in a different resource",
      member("i#t", { $defs: { i: { $id: "i", $defs: { t: { ...text, $anchor: "t" } } } } }),
    ],
    [
      "a pointer in a different resource",
      member("i#/$defs/t", { $defs: { i: { $id: "i", $defs: { t: text } } } }),
    ],
    [
      "the resource's own anchor before the root's",
      {
        properties: { a: { $ref: "i" } },
        $defs: {
          n: { $anchor: "t", type: "number" },
          i: { $id: "i", $ref: "#t", $defs: { t: { ...text, $anchor: "t" } } },
        },
      },
    ],
    [
      "and an $id or $anchor inside data is ignored",
      member("#t", {
        $defs: {
          n: { enum: [{ $anchor: "t", type: "number" }], default: { $id: "t" }, const: { $ref: "nowhere" } },
          t: { ...text, $anchor: "t" },
        },
      }),
    ],
  ])("%s", (_name, schema) => {
    const check = compile(schema);
    expect(check({ a: "text" })).toEqual({ value: { a: "text" } });
    expect(check({ a: 1 })).toEqual({ issues: [{ path: ["a"], message: "must be string" }] });
  });

  test("with its sibling keywords", () => {
    const check = compile({ $ref: "#/$defs/t", maxLength: 1, $defs: { t: text } });
    expect(check("a")).toEqual({ value: "a" });
    expect(check("ab").issues).toEqual([{ path: [], message: "must not have more than 1 characters" }]);
    expect(check(1).issues).toEqual([{ path: [], message: "must be string" }]);
  });

  test("to the root with an empty reference", () => {
    const check = compile({ type: "object", properties: { a: { $ref: "" } } });
    expect(check({ a: {} })).toEqual({ value: { a: {} } });
  });
});

describe("a recursive schema checks every level", () => {
  const node = { type: "object", required: ["value"] };
  const value = { type: "number" };

  test.each<[string, JsonObject]>([
    ["the root", { ...node, properties: { value, next: { $ref: "#" } } }],
    [
      "the root by its $id",
      { ...node, $id: "https://a.example/n", properties: { value, next: { $ref: "n" } } },
    ],
    [
      "a definition",
      { $ref: "#/$defs/n", $defs: { n: { ...node, properties: { value, next: { $ref: "#/$defs/n" } } } } },
    ],
    ["an anchor", { ...node, $anchor: "n", properties: { value, next: { $ref: "#n" } } }],
    [
      "a dynamic anchor",
      { ...node, $dynamicAnchor: "n", properties: { value, next: { $dynamicRef: "#n" } } },
    ],
    [
      "a choice",
      { ...node, properties: { value, next: { anyOf: [{ $ref: "#" }] } }, additionalProperties: false },
    ],
  ])("through %s", (_name, schema) => {
    const check = compile(schema);
    const good = { value: 1, next: { value: 2, next: { value: 3 } } };
    expect(check(good)).toEqual({ value: good });
    expect(check({ value: 1, next: { value: 2, next: { value: "3" } } }).issues?.[0]).toEqual({
      path: ["next", "next", "value"],
      message: "must be number",
    });
    expect(check({ value: 1, next: {} }).issues?.[0]).toEqual({
      path: ["next", "value"],
      message: "is required",
    });
  });

  test("through a dynamic reference that a stricter schema overrides", () => {
    const check = compile({
      $id: "https://a.example/strict-tree",
      $dynamicAnchor: "node",
      $ref: "tree",
      unevaluatedProperties: false,
      $defs: {
        tree: {
          $id: "tree",
          $dynamicAnchor: "node",
          type: "object",
          properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
        },
      },
    });
    expect(check({ children: [{ data: 1 }] }).issues).toBeUndefined();
    expect(check({ children: [{ daat: 1 }] }).issues?.[0]?.path).toEqual(["children", "0", "daat"]);
  });
});
