import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { compileSchema } from "../../src/schema/compile.js";
import type { Schema } from "../../src/schema/schema.js";

const LABEL = 'Tool "forecast": the input schema';

/** Compiles a value that the types reject, as plain JavaScript can pass it. */
function compile(schema: unknown, side: "input" | "output" = "input"): unknown {
  return compileSchema(schema as Schema, { label: LABEL, side });
}

describe("a schema without JSON Schema support is rejected with a fix", () => {
  test.each([
    ["zod 3", z3.object({ city: z3.string() }), "Use zod 4.2 or later; Zod 3 schemas are not supported."],
    [
      "plain valibot",
      v.object({ city: v.string() }),
      "Wrap it with `toStandardJsonSchema` from `@valibot/to-json-schema`.",
    ],
    [
      "a different library",
      { "~standard": { version: 1, vendor: "acme", validate: (value: unknown) => ({ value }) } },
      'The library "acme" does not implement Standard JSON Schema. Use a library that does, such as zod 4.2 or later.',
    ],
    [
      "a library without a name",
      { "~standard": { version: 1, validate: (value: unknown) => ({ value }) } },
      "Its library does not implement Standard JSON Schema. Use a library that does, such as zod 4.2 or later.",
    ],
  ])("%s", (_name, schema, remedy) => {
    expect(() => compile(schema)).toThrow(
      new Error(`${LABEL} cannot be converted to JSON Schema. ${remedy}`),
    );
  });
});

describe("a schema that cannot be converted is rejected with the label and the path", () => {
  const REASON = "Date cannot be represented in JSON Schema";

  test.each([
    ["a.d", z.object({ a: z.object({ d: z.date() }) })],
    ["d", z.object({ city: z.string(), d: z.date() })],
    ["a.b.c.d", z.object({ a: z.object({ b: z.object({ c: z.object({ d: z.date() }) }) }) })],
  ])("at %s", (path, schema) => {
    expect(() => compile(schema)).toThrow(
      new Error(`${LABEL} cannot be converted to JSON Schema at "${path}": ${REASON}`),
    );
  });

  test("at the root, without a path", () => {
    expect(() => compile(z.date())).toThrow(
      new Error(`${LABEL} cannot be converted to JSON Schema: ${REASON}`),
    );
  });

  test("without a path if no single member is the cause", () => {
    const schema = z.object({ city: z.string() }).catchall(z.date());
    expect(() => compile(schema)).toThrow(
      new Error(`${LABEL} cannot be converted to JSON Schema: ${REASON}`),
    );
  });

  test("on the side that cannot be converted", () => {
    const schema = z.object({ n: z.string().transform((text) => text.length) });
    expect(() => compile(schema, "input")).not.toThrow();
    expect(() => compile(schema, "output")).toThrow(
      new Error(
        `${LABEL} cannot be converted to JSON Schema at "n": Transforms cannot be represented in JSON Schema`,
      ),
    );
  });

  test("if the library does not expose its members", () => {
    const schema = toStandardJsonSchema(v.object({ a: v.object({ d: v.date() }) }));
    expect(() => compile(schema)).toThrow(
      new Error(
        `${LABEL} cannot be converted to JSON Schema: The "date" schema cannot be converted to JSON Schema.`,
      ),
    );
  });

  test("if the schema refers to itself", () => {
    const node: z.ZodObject = z.object({
      get next() {
        return node;
      },
      d: z.date(),
    });
    expect(() => compile(node)).toThrow(
      new Error(`${LABEL} cannot be converted to JSON Schema at "d": ${REASON}`),
    );
  });

  test("if the library throws a value that is not an error", () => {
    const jsonSchema = {
      input() {
        throw "not today";
      },
    };
    const schema = {
      "~standard": { version: 1, vendor: "acme", validate: () => ({ value: 1 }), jsonSchema },
    };
    expect(() => compile(schema)).toThrow(
      new Error(`${LABEL} cannot be converted to JSON Schema: not today`),
    );
  });

  test("with the library's error as the cause", () => {
    expect(() => compile(z.date())).toThrow(expect.objectContaining({ cause: new Error(REASON) }));
  });
});

describe("a plain JSON Schema", () => {
  test("without a validator is rejected with instructions", () => {
    expect(() => compile({ type: "object" })).toThrow(
      new Error(
        `${LABEL} is a JSON Schema, which requires a validator. Install typebox (npm install typebox) and pass ` +
          '`jsonSchema: await loadJsonSchema()` from "tenon/json-schema" to `defineServer`.',
      ),
    );
  });

  test("is passed to the validator and sent to clients unchanged", () => {
    const schema = { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } };
    const { jsonSchema, check } = compileSchema(schema, {
      label: LABEL,
      side: "input",
      jsonSchema: (given) => (value) => ({ value: [given, value] }),
    });
    expect(jsonSchema).toEqual(schema);
    expect(jsonSchema).not.toBe(schema);
    expect(Object.isFrozen(jsonSchema["properties"])).toBe(true);
    expect(Object.isFrozen(schema)).toBe(false);
    expect(check("a")).toEqual({ value: [schema, "a"] });
  });

  test("that the validator rejects is rejected with the label and the cause", () => {
    const cause = new Error("is not a valid JSON Schema: /type must be string");
    const jsonSchema = () => {
      throw cause;
    };
    expect(() => compileSchema({ type: 3 }, { label: LABEL, side: "input", jsonSchema })).toThrow(
      expect.objectContaining({ message: `${LABEL} ${cause.message}`, cause }),
    );
  });
});

describe("a value that is not a schema is rejected", () => {
  test.each([
    [undefined, "undefined"],
    [null, "null"],
    [true, "a boolean"],
    [3, "a number"],
    ["object", "a string"],
    [[], "an array"],
    [[z.string()], "an array"],
    [() => "object", "a function"],
  ])("such as %s", (schema, kind) => {
    expect(() => compile(schema)).toThrow(
      new Error(
        `${LABEL} must be a Standard Schema (such as z.object({ … })) or a JSON Schema; got ${kind}.`,
      ),
    );
  });
});
