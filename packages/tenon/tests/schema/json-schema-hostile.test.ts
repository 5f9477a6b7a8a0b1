import { describe, expect, test } from "vitest";
import { frozenCopy } from "@tenon/internal/deep-freeze";
import type { JsonObject } from "@tenon/internal/json";
import { loadJsonSchema } from "../../src/schema/json-schema/index.js";
import { NO_CODE_GENERATION, runForJson } from "../../../../tests/support/run-module.js";

const compile = await loadJsonSchema();

const SCHEMA = {
  $id: "https://a.example/root",
  type: "object",
  properties: {
    city: { type: "string", default: "Riga" },
    next: { $ref: "#" },
    list: { items: { $ref: "i" } },
  },
  $defs: { item: { $id: "i", enum: [{ a: 1 }, 2] } },
  unevaluatedProperties: false,
};

describe("a schema", () => {
  test("is not changed", () => {
    const source = structuredClone(SCHEMA);
    const check = compile(source);
    check({ city: 1, next: { list: [3] }, more: true });
    expect(source).toEqual(SCHEMA);
  });

  test("can be deeply frozen", () => {
    const check = compile(frozenCopy(SCHEMA));
    expect(check({ list: [{ a: 1 }, 2] }).issues).toBeUndefined();
    expect(check({ list: [{ a: 2 }] }).issues).not.toBeUndefined();
  });

  test("can change later without effect", () => {
    const source = { type: "object", properties: { a: { type: "string" } } };
    const check = compile(source);
    source.properties.a.type = "number";
    expect(check({ a: "text" }).issues).toBeUndefined();
    expect(check({ a: 1 }).issues).toEqual([{ path: ["a"], message: "must be string" }]);
  });
});

describe("a value", () => {
  test.each<[string, JsonObject]>([
    ["accepted", { next: { list: [2] } }],
    ["refused", { city: 1, more: true }],
  ])("is not changed when it is %s: no defaults are added and no members removed", (_name, given) => {
    const value = structuredClone(given);
    compile(SCHEMA)(value);
    expect(value).toEqual(given);
  });

  test("can be deeply frozen", () => {
    const value = frozenCopy({ next: { list: [{ a: 1 }] } });
    expect(compile(SCHEMA)(value)).toEqual({ value });
  });
});

describe("an own __proto__ key in a value", () => {
  const value: unknown = JSON.parse('{"city":"Riga","__proto__":{"admin":true}}');

  test("is an ordinary property", () => {
    const closed = { properties: { city: { type: "string" } }, additionalProperties: false };
    expect(compile({ type: "object" })(value).issues).toBeUndefined();
    expect(compile(closed)(value).issues).toHaveLength(1);
  });

  test("adds no members to the value", () => {
    expect(compile({ required: ["admin"] })(value).issues).toEqual([
      { path: ["admin"], message: "is required" },
    ]);
  });

  test("does not change a prototype", () => {
    compile(SCHEMA)(value);
    expect("admin" in {}).toBe(false);
  });
});

describe("names and texts that look like code are not executed", () => {
  const evil = `a"];globalThis.pwned=1;//'\`\${globalThis.pwned=1}\\\u2028\n`;

  test.each<[string, JsonObject, unknown, unknown]>([
    ["a property", { properties: { [evil]: { type: "string" } } }, { [evil]: "a" }, { [evil]: 1 }],
    ["a required name", { required: [evil] }, { [evil]: 1 }, {}],
    ["a constant", { const: evil }, evil, "a"],
    ["a choice", { enum: [evil] }, evil, "a"],
    ["a definition", { $ref: "#/x", x: { const: evil } }, evil, "a"],
    [
      "a pattern of names",
      { patternProperties: { '^"\\];': { type: "string" } } },
      { '"];': "a" },
      { '"];': 1 },
    ],
  ])("%s", (_name, schema, good, bad) => {
    const check = compile(schema);
    expect(check(good).issues).toBeUndefined();
    expect(check(bad).issues).not.toBeUndefined();
    expect("pwned" in globalThis).toBe(false);
  });
});

describe("a very deep value does not crash", () => {
  const DEEP = 200_000;
  const TOO_DEEP = [{ message: "is nested too deeply to validate" }];
  const RECURSIVE = { type: "object", properties: { next: { $ref: "#" } } };

  function nest(depth: number): unknown {
    let value: unknown = {};
    for (let level = 0; level < depth; level++) value = { next: value };
    return value;
  }

  test.each<[string, JsonObject]>([
    ["by a recursive schema", RECURSIVE],
    ["by a recursive schema with unevaluated properties", { ...RECURSIVE, unevaluatedProperties: false }],
    ["by comparing items", { properties: { next: { uniqueItems: true } } }],
  ])("and is rejected %s", (name, schema) => {
    const deep = nest(DEEP);
    const value = name === "by comparing items" ? { next: [deep, deep] } : deep;
    expect(compile(schema)(value)).toEqual({ issues: TOO_DEEP });
  });

  test("and is accepted by a schema that does not check its members", () => {
    expect(compile({ type: "object" })(nest(DEEP)).issues).toBeUndefined();
  });

  test("and the same check works for other values", () => {
    const check = compile(RECURSIVE);
    check(nest(DEEP));
    expect(check(nest(100)).issues).toBeUndefined();
    expect(check({ next: 1 }).issues).toEqual([{ path: ["next"], message: "must be object" }]);
  });

  test("without code generation", () => {
    const script = `
      import { loadJsonSchema } from "tenon/json-schema";
      const check = (await loadJsonSchema())(${JSON.stringify(RECURSIVE)});
      let value = {};
      for (let level = 0; level < ${DEEP}; level++) value = { next: value };
      console.log(JSON.stringify([check(value), check({ next: {} })]));
    `;
    expect(runForJson(script, [NO_CODE_GENERATION])).toEqual([{ issues: TOO_DEEP }, { value: { next: {} } }]);
  });
});
