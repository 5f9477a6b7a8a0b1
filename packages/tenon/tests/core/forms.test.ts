import { describe, expect, test } from "vitest";
import { z } from "zod";
import { form, type FormRequest, url } from "../../src/core/call/forms.js";
import type { JsonObject } from "@tenon/internal/json";
import { describeIssues } from "../../src/schema/issues.js";

const message = "Please fill this in";

/** Returns an answer's issues, or the content that the handler receives. */
async function answer(request: FormRequest<unknown>, content: unknown): Promise<unknown> {
  const checked = await request.schema.check(content);
  return checked.issues === undefined ? checked.value : describeIssues(checked.issues);
}

const jsonForm = (properties: JsonObject, required: readonly string[] = []) =>
  form({ message, schema: { type: "object", properties, required } });

describe("form()", () => {
  test("keeps the message and sets its kind", () => {
    expect(form({ message, schema: z.object({ name: z.string() }) })).toMatchObject({
      kind: "form",
      message,
    });
  });

  test("reduces the schema to the flat subset for clients", () => {
    const schema = z
      .strictObject({
        name: z.string().min(2).max(40).describe("Your name"),
        age: z.number().min(18).max(120).optional(),
        nights: z.int32().optional(),
        smoker: z.boolean().default(false),
        room: z.enum(["single", "double"]).meta({ title: "Room" }),
        extras: z.array(z.enum(["spa", "pool"])).max(2),
      })
      .describe("A booking");
    expect(form({ message, schema }).schema.jsonSchema).toEqual({
      type: "object",
      properties: {
        name: { type: "string", minLength: 2, maxLength: 40, description: "Your name" },
        age: { type: "number", minimum: 18, maximum: 120 },
        nights: { type: "integer", minimum: -2147483648, maximum: 2147483647 },
        smoker: { type: "boolean", default: false },
        room: { type: "string", enum: ["single", "double"], title: "Room" },
        extras: { type: "array", maxItems: 2, items: { type: "string", enum: ["spa", "pool"] } },
      },
      required: ["name", "room", "extras"],
    });
  });

  test("omits an empty `required`", () => {
    expect(jsonForm({ name: { type: "string" } }).schema.jsonSchema).toEqual({
      type: "object",
      properties: { name: { type: "string" } },
    });
  });

  test.each([
    ["email", z.email()],
    ["uri", z.url()],
    ["date", z.iso.date()],
    ["date-time", z.iso.datetime()],
  ])("removes the pattern that Zod adds to a known format: %s", (format, field) => {
    const { jsonSchema } = form({ message, schema: z.object({ field }) }).schema;
    expect(jsonSchema["properties"]).toEqual({ field: { type: "string", format } });
  });

  test("keeps a pattern without a format", () => {
    const { jsonSchema } = form({
      message,
      schema: z.object({ code: z.string().regex(/^[A-Z]{3}$/) }),
    }).schema;
    expect(jsonSchema["properties"]).toEqual({ code: { type: "string", pattern: "^[A-Z]{3}$" } });
  });

  test("compiles a schema once for many forms", () => {
    let conversions = 0;
    const counted = z.object({ name: z.string() });
    const standard = counted["~standard"];
    const schema = {
      "~standard": {
        ...standard,
        jsonSchema: {
          input: (options: Parameters<typeof standard.jsonSchema.input>[0]) => {
            conversions++;
            return standard.jsonSchema.input(options);
          },
          output: standard.jsonSchema.output,
        },
      },
    };
    const requests = Array.from({ length: 100 }, (_, index) => form({ message: `${index}`, schema }));
    expect(conversions).toBe(1);
    expect(new Set(requests.map((request) => request.schema)).size).toBe(1);
    expect(requests.at(-1)?.message).toBe("99");
  });

  test("compiles a JSON Schema once", () => {
    const schema = { type: "object", properties: { name: { type: "string" } } };
    expect(form({ message, schema }).schema).toBe(form({ message, schema }).schema);
    expect(form({ message, schema: { ...schema } }).schema).not.toBe(form({ message, schema }).schema);
  });
});

describe("a schema that is not a form", () => {
  const UNTYPED = "a schema without a single `type`";
  const BARE = "an object schema without properties";

  test.each<[string, Parameters<typeof form>[0]["schema"], string]>([
    ["a string", z.string(), "a string schema"],
    ["an array", z.array(z.string()), "an array schema"],
    ["a union", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), UNTYPED],
    ["a JSON Schema of a different type", { type: "string" }, "a string schema"],
    ["a JSON Schema without properties", { type: "object" }, BARE],
    ["an empty JSON Schema", {}, UNTYPED],
    ["`properties` that is not an object", { type: "object", properties: ["name"] }, BARE],
  ])("is rejected: %s", (_, schema, got) => {
    expect(() => form({ message, schema })).toThrow(
      new Error(`The form schema must be an object schema with properties; got ${got}.`),
    );
  });

  const NULLABLE = { type: "object", properties: { field: { type: ["string", "null"] } } };

  test.each<[string, Parameters<typeof form>[0]["schema"], string]>([
    ["a nested object", z.object({ field: z.object({ street: z.string() }) }), "an object schema"],
    ["a record", z.object({ field: z.record(z.string(), z.string()) }), "an object schema"],
    ["a union", z.object({ field: z.union([z.string(), z.number()]) }), UNTYPED],
    ["null", z.object({ field: z.null() }), "a null schema"],
    ["an unknown value", z.object({ field: z.unknown() }), UNTYPED],
    ["an array of objects", z.object({ field: z.array(z.object({ a: z.string() })) }), "an array schema"],
    ["an array of arrays", z.object({ field: z.array(z.array(z.string())) }), "an array schema"],
    [
      "an array without items",
      { type: "object", properties: { field: { type: "array" } } },
      "an array schema",
    ],
    ["JSON Schema: true", { type: "object", properties: { field: true } }, "a boolean"],
    ["JSON Schema: several types", NULLABLE, UNTYPED],
  ])("is rejected with the field name: %s", (_, schema, got) => {
    expect(() => form({ message, schema })).toThrow(
      new Error(
        `Form field "field" must be a string, number, boolean, or choice; got ${got}. ` +
          "Nested fields are not supported.",
      ),
    );
  });

  test("is rejected with the path if it cannot be converted to JSON Schema", () => {
    expect(() => form({ message, schema: z.object({ born: z.date() }) })).toThrow(
      'The form schema cannot be converted to JSON Schema at "born": ',
    );
  });
});

describe("an answer to a JSON Schema form", () => {
  const one = (field: JsonObject) => jsonForm({ field }, ["field"]);
  const titled = [
    { const: "s", title: "Small" },
    { const: "l", title: "Large" },
  ];

  test.each<[string, JsonObject, unknown, string | undefined]>([
    ["text", { type: "string" }, "Ada", undefined],
    ["a number instead of a string", { type: "string" }, 7, "field: must be a string"],
    ["text that is long enough", { type: "string", minLength: 3 }, "Ada", undefined],
    [
      "text that is too short",
      { type: "string", minLength: 4 },
      "Ada",
      "field: length must be at least 4; got 3",
    ],
    [
      "text that is too long",
      { type: "string", maxLength: 2 },
      "Ada",
      "field: length must be at most 2; got 3",
    ],
    ["text counted in characters", { type: "string", maxLength: 1 }, "😀", undefined],
    ["a choice", { type: "string", enum: ["s", "l"] }, "l", undefined],
    ["not a choice", { type: "string", enum: ["s", "l"] }, "xl", 'field: must be one of "s", "l"'],
    ["a titled choice", { type: "string", oneOf: titled }, "s", undefined],
    ["a choice's title", { type: "string", oneOf: titled }, "Small", 'field: must be one of "s", "l"'],
    ["a choice with display names", { type: "string", enum: ["s"], enumNames: ["Small"] }, "s", undefined],
    [
      "several choices",
      { type: "array", items: { type: "string", enum: ["s", "l"] } },
      ["s", "l"],
      undefined,
    ],
    ["none of several choices", { type: "array", items: { enum: ["s", "l"] } }, [], undefined],
    [
      "several with one that is not a choice",
      { type: "array", items: { enum: ["s"] } },
      ["s", "xl"],
      'field: must be an array with items from "s"',
    ],
    ["several titled choices", { type: "array", items: { anyOf: titled } }, ["l"], undefined],
    [
      "several titled with one that is not a choice",
      { type: "array", items: { anyOf: titled } },
      ["Large"],
      'field: must be an array with items from "s", "l"',
    ],
    [
      "not an array of choices",
      { type: "array", items: { enum: ["s"] } },
      "s",
      'field: must be an array with items from "s"',
    ],
    [
      "too few choices",
      { type: "array", items: { enum: ["s", "l"] }, minItems: 2 },
      ["s"],
      "field: number of choices must be at least 2; got 1",
    ],
    [
      "too many choices",
      { type: "array", items: { enum: ["s", "l"] }, maxItems: 1 },
      ["s", "l"],
      "field: number of choices must be at most 1; got 2",
    ],
    ["true", { type: "boolean" }, true, undefined],
    ["a string instead of a boolean", { type: "boolean" }, "true", "field: must be true or false"],
    ["a number", { type: "number" }, 1.5, undefined],
    ["a string instead of a number", { type: "number" }, "1.5", "field: must be a number"],
    ["an integer", { type: "integer" }, 2, undefined],
    ["not an integer", { type: "integer" }, 1.5, "field: must be an integer"],
    ["a string instead of an integer", { type: "integer" }, "2", "field: must be an integer"],
    ["the minimum", { type: "number", minimum: 0 }, 0, undefined],
    [
      "less than the minimum",
      { type: "number", minimum: 0 },
      -0.5,
      "field: value must be at least 0; got -0.5",
    ],
    ["the maximum", { type: "integer", maximum: 10 }, 10, undefined],
    [
      "more than the maximum",
      { type: "integer", maximum: 10 },
      11,
      "field: value must be at most 10; got 11",
    ],
    ["null", { type: "string" }, null, "field: must be a string"],
  ])("is checked: %s", async (_, field, value, problem) => {
    expect(await answer(one(field), { field: value })).toEqual(problem ?? { field: value });
  });

  test("must contain required fields", async () => {
    expect(await answer(jsonForm({ a: { type: "string" }, b: { type: "string" } }, ["a", "b"]), {})).toBe(
      "a: is required; b: is required",
    );
  });

  test("may omit optional fields", async () => {
    expect(await answer(jsonForm({ a: { type: "string" } }), {})).toEqual({});
  });

  test("drops unknown fields", async () => {
    expect(await answer(jsonForm({ a: { type: "string" } }), { a: "x", admin: true })).toEqual({ a: "x" });
  });

  test("ignores inherited members", async () => {
    expect(await answer(jsonForm({ toString: { type: "string" } }, ["toString"]), {})).toBe(
      "toString: is required",
    );
  });

  test.each([["text"], [7], [null], [["a"]]])("must be an object, not %o", async (content) => {
    expect(await answer(jsonForm({ a: { type: "string" } }), content)).toBe("must be an object");
  });
});

describe("an answer to a Standard Schema form", () => {
  const request = form({
    message,
    schema: z.object({ email: z.email(), nights: z.int().min(1).default(1), name: z.string().trim() }),
  });

  test("is transformed by the schema", async () => {
    expect(await answer(request, { email: "ada@example.com", name: "  Ada ", admin: true })).toEqual({
      email: "ada@example.com",
      nights: 1,
      name: "Ada",
    });
  });

  test("is rejected with the path of every issue, including patterns", async () => {
    expect(await answer(request, { email: "nobody", nights: 0 })).toMatch(
      /^email: .+; nights: .+; name: .+$/,
    );
  });

  test("may be checked asynchronously", async () => {
    const schema = z.object({ code: z.string().refine(async (code) => code === "42", "is not the code") });
    expect(await answer(form({ message, schema }), { code: "42" })).toEqual({ code: "42" });
    expect(await answer(form({ message, schema }), { code: "41" })).toBe("code: is not the code");
  });
});

describe("url()", () => {
  test("keeps the message and the link", () => {
    expect(url({ message, url: "https://pay.example/42" })).toEqual({
      kind: "url",
      message,
      url: "https://pay.example/42",
    });
  });

  test.each(["", "pay.example/42", "/relative", "https://"])(
    "rejects %o, which is not an absolute URL",
    (link) => {
      expect(() => url({ message, url: link })).toThrow(
        new Error(`\`url\` must be an absolute URL; got "${link}".`),
      );
    },
  );
});
