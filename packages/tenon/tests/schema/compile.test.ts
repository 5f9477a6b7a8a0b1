import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { compileSchema } from "../../src/schema/compile.js";
import { describeIssues } from "../../src/schema/issues.js";
import type { CompiledSchema, Schema } from "../../src/schema/schema.js";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

function compile(schema: Schema, side: "input" | "output" = "input"): CompiledSchema {
  return compileSchema(schema, { label: 'Tool "t" input', side });
}

/** The same object in every library: a string, a number with a default, and an optional string. */
const LIBRARIES: Readonly<Record<string, Schema>> = {
  zod: z.object({ city: z.string(), days: z.number().default(3), tag: z.string().optional() }),
  valibot: toStandardJsonSchema(
    v.object({ city: v.string(), days: v.optional(v.number(), 3), tag: v.optional(v.string()) }),
  ),
  arktype: type({ city: "string", days: "number = 3", "tag?": "string" }),
};

describe.each(Object.entries(LIBRARIES))("a %s object schema", (_library, schema) => {
  test("is converted to JSON Schema 2020-12, in which a default is not required", () => {
    expect(compile(schema).jsonSchema).toMatchObject({
      $schema: DIALECT,
      type: "object",
      properties: { city: { type: "string" }, days: { type: "number" }, tag: { type: "string" } },
      required: ["city"],
    });
  });

  test("fills in defaults", () => {
    expect(compile(schema).check({ city: "Riga" })).toMatchObject({ value: { city: "Riga", days: 3 } });
  });

  test("keeps given values", () => {
    const given = { city: "Riga", days: 1, tag: "a" };
    expect(compile(schema).check(given)).toMatchObject({ value: given });
  });

  test("rejects a member of the wrong type with its path", async () => {
    const { issues = [] } = await compile(schema).check({ city: 1 });
    expect(issues).toHaveLength(1);
    expect(describeIssues(issues)).toMatch(/^city\b/);
  });

  test.each([["text"], [null], [undefined], [7]])("rejects %j, which is not an object", async (value) => {
    const { issues } = await compile(schema).check(value);
    expect(issues).toHaveLength(1);
  });

  test("is deeply frozen", () => {
    const { jsonSchema } = compile(schema);
    expect(Object.isFrozen(jsonSchema)).toBe(true);
    expect(Object.isFrozen(jsonSchema["properties"])).toBe(true);
    expect(Object.isFrozen(jsonSchema["required"])).toBe(true);
  });
});

describe("the side that clients see", () => {
  test("zod: a default is required on the output side only", () => {
    const schema = z.object({ city: z.string(), days: z.number().default(3) });
    const properties = { city: { type: "string" }, days: { type: "number", default: 3 } };
    expect(compile(schema, "input").jsonSchema).toEqual({
      $schema: DIALECT,
      type: "object",
      properties,
      required: ["city"],
    });
    expect(compile(schema, "output").jsonSchema).toEqual({
      $schema: DIALECT,
      type: "object",
      properties,
      required: ["city", "days"],
      additionalProperties: false,
    });
  });

  test("arktype: a default is required on the output side only", () => {
    const schema = type({ city: "string", days: "number = 3" });
    expect(compile(schema, "input").jsonSchema["required"]).toEqual(["city"]);
    expect(compile(schema, "output").jsonSchema["required"]).toEqual(["city", "days"]);
  });

  test.each<[string, Schema]>([
    ["zod", z.object({ n: z.string().transform(Number).pipe(z.number()) })],
    ["valibot", toStandardJsonSchema(v.object({ n: v.pipe(v.string(), v.transform(Number), v.number()) }))],
    ["arktype", type({ n: "string.numeric.parse" })],
  ])(
    "%s: a transforming member is text on the input side, a number on the output side",
    (_library, schema) => {
      expect(compile(schema, "input").jsonSchema).toMatchObject({ properties: { n: { type: "string" } } });
      expect(compile(schema, "output").jsonSchema).toMatchObject({ properties: { n: { type: "number" } } });
      expect(compile(schema).check({ n: "42" })).toMatchObject({ value: { n: 42 } });
    },
  );
});

describe("checking", () => {
  test("returns zod's issues", () => {
    expect(compile(z.object({ city: z.string() })).check({ city: 1 })).toEqual({
      issues: [
        {
          code: "invalid_type",
          expected: "string",
          path: ["city"],
          message: "Invalid input: expected string, received number",
        },
      ],
    });
  });

  test("removes unknown members", () => {
    expect(compile(z.object({ city: z.string() })).check({ city: "Riga", admin: true })).toEqual({
      value: { city: "Riga" },
    });
  });

  test("is synchronous if the schema is", () => {
    expect(compile(z.string()).check("a")).not.toBeInstanceOf(Promise);
  });

  test("waits for asynchronous refinements", async () => {
    const schema = z.object({ name: z.string().refine(async (name) => name !== "taken", "is taken") });
    const { check } = compile(schema);
    const pending = check({ name: "free" });
    expect(pending).toBeInstanceOf(Promise);
    expect(await pending).toEqual({ value: { name: "free" } });
    const { issues = [] } = await check({ name: "taken" });
    expect(describeIssues(issues)).toBe("name: is taken");
  });

  test("runs an asynchronous refinement once", async () => {
    let runs = 0;
    const schema = z.string().refine(async () => {
      runs += 1;
      return true;
    });
    await compile(schema).check("a");
    expect(runs).toBe(1);
  });
});

describe("a schema that refers to itself", () => {
  test("zod: becomes a reference and is checked at every level", async () => {
    const node = z.object({
      value: z.number(),
      get next() {
        return node.optional();
      },
    });
    const { jsonSchema, check } = compile(node);
    expect(jsonSchema).toMatchObject({ properties: { next: { $ref: "#" } }, required: ["value"] });
    const { issues = [] } = await check({ value: 1, next: { value: "2" } });
    expect(describeIssues(issues)).toBe("next.value: Invalid input: expected number, received string");
  });
});
