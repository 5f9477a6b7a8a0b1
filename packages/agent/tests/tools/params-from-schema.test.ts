import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toAgentTool } from "../../src/adapters/agent-tool.js";
import { paramsFromSchema, unwrapArguments } from "../../src/tools/params-from-schema.js";
import { findToolProblems } from "../../src/tools/define-tool.js";
import { toParamsSchema } from "../../src/tools/tool-schema.js";
import type { JsonObject } from "@tenon/internal/json";

const paramOf = (schema: JsonObject, more: JsonObject = {}) =>
  paramsFromSchema({ type: "object", properties: { x: schema }, ...more })[0];

/** Parses the tags of a call, as the model wrote them, to arguments. */
function toArguments(schema: JsonObject, values: JsonObject): unknown {
  const params = paramsFromSchema(schema);
  return unwrapArguments({ params, inputSchema: schema }, toParamsSchema(params).parse(values));
}

describe("JSON Schema as parameters", () => {
  test.each<[string, JsonObject, object]>([
    ["text", { type: "string" }, { description: "x" }],
    ["text with a title", { type: "string", title: "The X" }, { description: "The X" }],
    ["a number", { type: "number" }, { description: "x", type: "number" }],
    ["a whole number", { type: "integer" }, { description: "x. Whole number", type: "number" }],
    ["a boolean", { type: "boolean" }, { description: "x", type: "boolean" }],
    ["a choice of texts", { enum: ["a", "b"] }, { description: "x. One of: a, b" }],
    ["a choice of numbers", { enum: [1, 2] }, { description: "x. One of: 1, 2 (as JSON)", format: "json" }],
    ["text or null", { type: ["string", "null"] }, { description: "x" }],
    [
      "a number or null",
      { anyOf: [{ type: "number" }, { type: "null" }] },
      { description: "x", type: "number" },
    ],
    ["two types", { type: ["string", "number"] }, { description: "x (as JSON)", format: "json" }],
    ["anything", {}, { description: "x (as JSON)", format: "json" }],
    ["null", { type: "null" }, { description: "x (as JSON)", format: "json" }],
    ["an object without members", { type: "object" }, { description: "x (as JSON)", format: "json" }],
    [
      "an object of members that cannot be tags",
      { type: "object", properties: { "a b": {} } },
      { description: "x (as JSON)", format: "json" },
    ],
    ["a list of anything", { type: "array" }, { description: "x (as JSON)", format: "json" }],
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
      description: "An id. Whole number",
    });
    expect(paramOf({ $ref: "#/$defs/id", description: "Mine" }, { $defs })?.description).toBe(
      "Mine. Whole number",
    );
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
      const schema = { properties: { [name]: {}, y: {} } };
      expect(paramsFromSchema(schema).map((param) => param.name)).toEqual(["arguments"]);
      expect(toArguments(schema, { arguments: '{"y":1}' })).toEqual({ y: 1 });
      expect(toArguments(schema, { arguments: "no JSON" })).toBe("no JSON");
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
    expect(paramsFromSchema(schema).map(({ name }) => name)).toEqual(["arguments"]);
    expect(toArguments(schema, { arguments: '{"k":"v"}' })).toEqual({ k: "v" });
  });

  test("a schema that is only a reference is resolved", () => {
    const schema = {
      $ref: "#/$defs/Input",
      $defs: { Input: { type: "object", properties: { a: { type: "string" } } } },
    };
    expect(paramsFromSchema(schema).map(({ name }) => name)).toEqual(["a"]);
  });

  test("a schema without properties results in no parameters", () => {
    expect(paramsFromSchema({ type: "object" })).toEqual([]);
    expect(toArguments({}, {})).toEqual({});
  });

  test("JSON inside a tag is parsed at every level of the schema", () => {
    const schema = {
      properties: {
        list: { type: "array", items: { type: "object", properties: { any: {}, text: { type: "string" } } } },
      },
    };
    expect(toArguments(schema, { list: [{ any: "[1]", text: "[1]" }, { any: "plain" }] })).toEqual({
      list: [{ any: [1], text: "[1]" }, { any: "plain" }],
    });
  });

  test("native arguments are not parsed, so a string that looks like JSON stays a string", () => {
    const inputSchema = { type: "object", additionalProperties: true };
    const params = paramsFromSchema(inputSchema);
    expect(unwrapArguments({ params, inputSchema }, { any: "[1]" })).toEqual({ any: "[1]" });
    const declared = { properties: { arguments: { type: "object" }, "a b": {} } };
    const args = { arguments: { x: 1 } };
    expect(unwrapArguments({ params: paramsFromSchema(declared), inputSchema: declared }, args)).toBe(args);
    expect(toArguments(declared, { arguments_json: '{"a b":1}' })).toEqual({ "a b": 1 });
    const single = { $ref: "#/$defs/a", $defs: { a: { properties: { arguments: {} } } } };
    expect(toArguments(single, { arguments: '{"x":1}' })).toEqual({ arguments: { x: 1 } });
  });

  test.each<[JsonObject, string]>([
    [{ type: "integer", minimum: 1, maximum: 100 }, "x. Whole number. From 1 to 100"],
    [{ type: "number", minimum: 0 }, "x. At least 0"],
    [{ type: "number", exclusiveMinimum: 0, maximum: 9 }, "x. At most 9 and more than 0"],
    [{ type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 }, "x. Whole number"],
    [
      { type: "string", minLength: 2, maxLength: 5, pattern: "^a" },
      "x. From 2 to 5 characters. Must match the pattern ^a",
    ],
    [{ type: "string", format: "date", description: "A day." }, "A day. Format: date"],
    [{ type: "array", items: { type: "string" }, maxItems: 3 }, "x. At most 3 elements"],
    [{ type: "string", description: "Plain." }, "Plain."],
  ])("limits are described in words: %j", (schema, description) => {
    expect(paramOf(schema)?.description).toBe(description);
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
