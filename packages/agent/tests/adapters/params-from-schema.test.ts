import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toAgentTool } from "../../src/adapters/agent-tool.js";
import { paramsFromSchema } from "../../src/adapters/params-from-schema.js";
import { findToolProblems } from "../../src/tools/define-tool.js";
import type { JsonObject } from "@tenon/internal/json";

const paramOf = (schema: JsonObject, more: JsonObject = {}) =>
  paramsFromSchema({ type: "object", properties: { x: schema }, ...more }).params[0];

describe("JSON Schema as parameters", () => {
  test.each<[string, JsonObject, object]>([
    ["text", { type: "string" }, { description: "x" }],
    ["text with a title", { type: "string", title: "The X" }, { description: "The X" }],
    ["a number", { type: "number" }, { description: "x", type: "number" }],
    ["a whole number", { type: "integer" }, { description: "x", type: "number" }],
    ["a boolean", { type: "boolean" }, { description: "x", type: "boolean" }],
    ["a choice of texts", { enum: ["a", "b"] }, { description: "x. One of: a, b" }],
    ["a choice of numbers", { enum: [1, 2] }, { description: "x. One of: 1, 2 (as JSON)" }],
    ["text or null", { type: ["string", "null"] }, { description: "x" }],
    [
      "a number or null",
      { anyOf: [{ type: "number" }, { type: "null" }] },
      { description: "x", type: "number" },
    ],
    ["two types", { type: ["string", "number"] }, { description: "x (as JSON)" }],
    ["anything", {}, { description: "x (as JSON)" }],
    ["null", { type: "null" }, { description: "x (as JSON)" }],
    ["an object without members", { type: "object" }, { description: "x (as JSON)" }],
    [
      "an object of members that cannot be tags",
      { type: "object", properties: { "a b": {} } },
      { description: "x (as JSON)" },
    ],
    ["a list of anything", { type: "array" }, { description: "x (as JSON)" }],
  ])("%s", (_name, schema, expected) => {
    expect(paramOf(schema)).toEqual({ name: "x", optional: true, ...expected });
  });

  test("required properties are not optional", () => {
    expect(paramOf({ type: "string" }, { required: ["x"] })?.optional).toBe(false);
  });

  test("a reference is resolved, and a description next to it takes precedence", () => {
    const $defs = { id: { type: "integer", description: "An id" } };
    expect(paramOf({ $ref: "#/$defs/id" }, { $defs })).toMatchObject({
      type: "number",
      description: "An id",
    });
    expect(paramOf({ $ref: "#/$defs/id", description: "Mine" }, { $defs })?.description).toBe("Mine");
    expect(paramOf({ $ref: "#/$defs/constructor" }, { $defs })?.description).toBe("x (as JSON)");
    expect(paramOf({ $ref: "https://evil.example/schema" })?.description).toBe("x (as JSON)");
  });

  test("a recursive schema falls back to JSON", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
    const param = paramOf({ $ref: "#/$defs/node" }, { $defs: { node } });
    expect(JSON.stringify(param)).toContain("(as JSON)");
    const loop = { $ref: "#/$defs/loop" };
    expect(paramOf(loop, { $defs: { loop } })?.description).toBe("x (as JSON)");
  });

  test("if a name cannot be a tag, all arguments become one JSON parameter", () => {
    for (const name of ["a b", "1", "", "constructor", "x".repeat(200), "日本"]) {
      const { params, restore } = paramsFromSchema({ properties: { [name]: {}, y: {} } });
      expect(params.map((param) => param.name)).toEqual(["arguments"]);
      expect(restore({ arguments: '{"y":1}' })).toEqual({ y: 1 });
      expect(restore({ arguments: "no JSON" })).toEqual({ arguments: "no JSON" });
    }
  });

  test.each([
    ["any names with values of one type", { type: "object", additionalProperties: { type: "string" } }],
    ["any names at all", { type: "object", additionalProperties: true }],
    ["names that match a pattern", { type: "object", patternProperties: { "^x-": { type: "string" } } }],
    ["one of several shapes", { type: "object", oneOf: [{ properties: { a: { type: "string" } } }] }],
    [
      "some names and additional ones",
      { properties: { k: { type: "string" } }, additionalProperties: { type: "string" } },
    ],
  ])("arguments with %s become one JSON parameter, so that none is lost", (_what, schema) => {
    const { params, restore } = paramsFromSchema(schema);
    expect(params.map(({ name }) => name)).toEqual(["arguments"]);
    expect(restore({ arguments: '{"k":"v"}' })).toEqual({ k: "v" });
  });

  test("a schema that is only a reference is resolved", () => {
    const schema = {
      $ref: "#/$defs/Input",
      $defs: { Input: { type: "object", properties: { a: { type: "string" } } } },
    };
    expect(paramsFromSchema(schema).params.map(({ name }) => name)).toEqual(["a"]);
  });

  test("a schema without properties results in no parameters", () => {
    expect(paramsFromSchema({ type: "object" }).params).toEqual([]);
    expect(paramsFromSchema({}).restore({})).toEqual({});
  });

  test("values are restored at every level of the schema", () => {
    const { restore } = paramsFromSchema({
      properties: {
        list: { type: "array", items: { type: "object", properties: { any: {}, text: { type: "string" } } } },
      },
    });
    expect(restore({ list: [{ any: "[1]", text: "[1]" }, { any: "plain" }], stray: 1 })).toEqual({
      list: [{ any: [1], text: "[1]" }, { any: "plain" }],
    });
  });

  test("a wide and deeply nested schema is converted quickly", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`p${at}`, { $ref: "#/$defs/n" }]),
    );
    const schema = { type: "object", properties, $defs: { n: { type: "object", properties } } };
    const start = performance.now();
    const tool = toAgentTool({ name: "t", inputSchema: schema }, () => expect.unreachable());
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(findToolProblems(tool)).toEqual([]);
  });

  test("a tool with any schema can be registered", () => {
    const key = fc.constantFrom(
      "type",
      "properties",
      "items",
      "required",
      "enum",
      "anyOf",
      "$ref",
      "$defs",
      "description",
      "a",
    );
    const leaf = fc.constantFrom<unknown>(
      "object",
      "array",
      "string",
      "null",
      "#/$defs/a",
      "x y",
      0,
      true,
      null,
      [],
    );
    const { node } = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { depthSize: "medium" },
        leaf,
        fc.dictionary(key, tie("node"), { maxKeys: 4 }),
        fc.array(tie("node"), { maxLength: 3 }),
      ),
    }));
    fc.assert(
      fc.property(node, node, (properties, $defs) => {
        const inputSchema = { type: "object", properties, required: ["a", "type"], $defs };
        const tool = toAgentTool({ name: "t", inputSchema }, () => expect.unreachable());
        expect(findToolProblems(tool)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
