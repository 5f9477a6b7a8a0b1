import { describe, expect, test } from "vitest";
import { mergeSchemas } from "../../src/form/model/merge.js";
import { resolveSchema } from "../../src/form/model/resolve.js";

describe("references", () => {
  const root = {
    $defs: {
      Name: { type: "string", maxLength: 5 },
      Alias: { $ref: "#/$defs/Name", title: "Alias" },
      "a/b ~": { type: "null" },
      Loop: { $ref: "#/$defs/Pool" },
      Pool: { $ref: "#/$defs/Loop" },
      Anchored: { $anchor: "here", type: "boolean" },
    },
    definitions: { Old: { type: "integer" } },
    type: "object",
  };

  test.each([
    ["#/$defs/Name", { type: "string", maxLength: 5 }],
    ["#/$defs/Alias", { type: "string", maxLength: 5, title: "Alias" }],
    ["#/$defs/a~1b%20~0", { type: "null" }],
    ["#/definitions/Old", { type: "integer" }],
    ["#here", { $anchor: "here", type: "boolean" }],
    ["#", root],
  ])("%s is resolved", ($ref, schema) => {
    expect(resolveSchema({ $ref }, root)).toMatchObject({ ok: true, schema });
  });

  test("a reference has a name, and keywords next to it apply too", () => {
    const resolved = resolveSchema({ $ref: "#/$defs/Name", description: "d", minLength: 1 }, root);
    expect(resolved).toEqual({
      ok: true,
      name: "Name",
      schema: { type: "string", maxLength: 5, minLength: 1, description: "d" },
    });
  });

  test.each([
    ["#/$defs/Missing", "`#/$defs/Missing` could not be found in the schema"],
    ["#/$defs/Loop", "`#/$defs/Loop` refers to itself"],
    ["https://example.com/schema", "`https://example.com/schema` could not be found in the schema"],
    ["#/$defs/constructor", "`#/$defs/constructor` could not be found in the schema"],
    ["#/%E0%A4%A", "`#/%E0%A4%A` could not be found in the schema"],
  ])("%s is rejected with a reason", ($ref, reason) => {
    expect(resolveSchema({ $ref }, root)).toEqual({ ok: false, reason });
  });

  test.each([
    [false, "no value is allowed"],
    [5, "the schema is not an object"],
    [{ $ref: 5 }, "`$ref` is not a string"],
  ])("%j is not a usable schema", (schema, reason) => {
    expect(resolveSchema(schema, {})).toEqual({ ok: false, reason });
  });

  test("nested `allOf` ends at a limit", () => {
    let schema: unknown = { type: "string" };
    for (let level = 0; level < 1_000; level++) schema = { allOf: [schema] };
    expect(resolveSchema(schema, {})).toEqual({ ok: false, reason: "the schema nests too many references" });
  });
});

describe("allOf", () => {
  test("merges properties, requirements, and bounds", () => {
    const schema = {
      description: "own",
      allOf: [
        {
          type: "object",
          properties: { a: { type: "string" }, b: true },
          required: ["a"],
          description: "first",
        },
        { properties: { a: { maxLength: 3 }, c: {} }, required: ["c", "a"] },
      ],
    };
    expect(resolveSchema(schema, {})).toMatchObject({
      ok: true,
      schema: {
        type: "object",
        description: "own",
        required: ["a", "c"],
        properties: { a: { allOf: [{ type: "string" }, { maxLength: 3 }] }, b: true, c: {} },
      },
    });
  });

  test.each([
    [
      { minimum: 1, maxLength: 9 },
      { minimum: 5, maxLength: 3 },
      { minimum: 5, maxLength: 3 },
    ],
    [{ type: "number" }, { type: "integer" }, { type: "integer" }],
    [{ type: ["string", "null"] }, { type: ["null", "string", "number"] }, { type: ["string", "null"] }],
    [{ enum: [1, 2, { a: 1 }] }, { enum: [{ a: 1 }, 2] }, { enum: [2, { a: 1 }] }],
    [
      { items: { minimum: 1 } },
      { items: { maximum: 2 } },
      { items: { allOf: [{ minimum: 1 }, { maximum: 2 }] } },
    ],
  ])("merges %j and %j", (a, b, expected) => {
    expect(mergeSchemas(a, b)).toEqual(expected);
  });

  test.each([
    [{ type: "string" }, { type: "number" }],
    [{ const: 1 }, { const: 2 }],
    [{ enum: [1] }, { enum: [2] }],
  ])("%j and %j contradict each other", (a, b) => {
    expect(mergeSchemas(a, b)).toBeUndefined();
    expect(resolveSchema({ allOf: [a, b] }, {})).toEqual({
      ok: false,
      reason: "the parts of `allOf` contradict each other",
    });
  });
});
