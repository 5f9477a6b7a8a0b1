import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { compileSchema } from "../../src/schema/compile.js";
import type { Schema } from "../../src/schema/schema.js";

const LABEL = 'Tool "forecast" input';

/** Compiles what the types would refuse: this is what reaches us from plain JavaScript. */
function compile(schema: unknown, side: "input" | "output" = "input"): unknown {
  return compileSchema(schema as Schema, { label: LABEL, side });
}

describe("a schema that does not know its JSON Schema is refused with its remedy", () => {
  test.each([
    ["zod 3", z3.object({ city: z3.string() }), "use zod 4.2 or later (a Zod 3 schema cannot be served)"],
    [
      "plain valibot",
      v.object({ city: v.string() }),
      "wrap it with toStandardJsonSchema from @valibot/to-json-schema",
    ],
    [
      "another library",
      { "~standard": { version: 1, vendor: "acme", validate: (value: unknown) => ({ value }) } },
      "acme does not implement Standard JSON Schema",
    ],
    [
      "a library without a name",
      { "~standard": { version: 1, validate: (value: unknown) => ({ value }) } },
      "its library does not implement Standard JSON Schema",
    ],
  ])("%s", (_name, schema, remedy) => {
    expect(() => compile(schema)).toThrow(new Error(`${LABEL} cannot become JSON Schema: ${remedy}`));
  });
});

describe("a schema that JSON Schema cannot express is refused with the owner and the path", () => {
  const REASON = "Date cannot be represented in JSON Schema";

  test.each([
    ["a.d", z.object({ a: z.object({ d: z.date() }) })],
    ["d", z.object({ city: z.string(), d: z.date() })],
    ["a.b.c.d", z.object({ a: z.object({ b: z.object({ c: z.object({ d: z.date() }) }) }) })],
  ])("at %s", (path, schema) => {
    expect(() => compile(schema)).toThrow(
      new Error(`${LABEL} cannot become JSON Schema at ${path}: ${REASON}`),
    );
  });

  test("at the root, without a path", () => {
    expect(() => compile(z.date())).toThrow(new Error(`${LABEL} cannot become JSON Schema: ${REASON}`));
  });

  test("without a path where no single member is at fault", () => {
    const schema = z.object({ city: z.string() }).catchall(z.date());
    expect(() => compile(schema)).toThrow(new Error(`${LABEL} cannot become JSON Schema: ${REASON}`));
  });

  test("on the one side that cannot be expressed", () => {
    const schema = z.object({ n: z.string().transform((text) => text.length) });
    expect(() => compile(schema, "input")).not.toThrow();
    expect(() => compile(schema, "output")).toThrow(
      new Error(`${LABEL} cannot become JSON Schema at n: Transforms cannot be represented in JSON Schema`),
    );
  });

  test("also where the library does not tell its members", () => {
    const schema = toStandardJsonSchema(v.object({ a: v.object({ d: v.date() }) }));
    expect(() => compile(schema)).toThrow(
      new Error(`${LABEL} cannot become JSON Schema: The "date" schema cannot be converted to JSON Schema.`),
    );
  });

  test("also where the schema refers to itself", () => {
    const node: z.ZodObject = z.object({
      get next() {
        return node;
      },
      d: z.date(),
    });
    expect(() => compile(node)).toThrow(new Error(`${LABEL} cannot become JSON Schema at d: ${REASON}`));
  });

  test("also where the library throws what is no error", () => {
    const jsonSchema = {
      input() {
        throw "not today";
      },
    };
    const schema = {
      "~standard": { version: 1, vendor: "acme", validate: () => ({ value: 1 }), jsonSchema },
    };
    expect(() => compile(schema)).toThrow(new Error(`${LABEL} cannot become JSON Schema: not today`));
  });

  test("and keeps the library's own error as its cause", () => {
    expect(() => compile(z.date())).toThrow(expect.objectContaining({ cause: new Error(REASON) }));
  });
});

describe("JSON Schema as data", () => {
  test("without a validator is refused, with what to install and what to pass", () => {
    expect(() => compile({ type: "object" })).toThrow(
      new Error(
        `${LABEL} is JSON Schema, which needs a validator: npm install typebox, then pass ` +
          '{ jsonSchema: await loadJsonSchema() } from "tenon/json-schema" to defineServer',
      ),
    );
  });

  test("is handed to the validator that was passed, and shown to clients as it is", () => {
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

  test("that the validator refuses is refused with the owner, and keeps the cause", () => {
    const cause = new Error("is not a usable JSON Schema: /type must be string");
    const jsonSchema = () => {
      throw cause;
    };
    expect(() => compileSchema({ type: 3 }, { label: LABEL, side: "input", jsonSchema })).toThrow(
      expect.objectContaining({ message: `${LABEL} ${cause.message}`, cause }),
    );
  });
});

describe("what is no schema at all is refused", () => {
  test.each([[undefined], [null], [true], [3], ["object"], [[]], [[z.string()]], [() => "object"]])(
    "such as %s",
    (schema) => {
      expect(() => compile(schema)).toThrow(new Error(`${LABEL} must be a schema`));
    },
  );
});
