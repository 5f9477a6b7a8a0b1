import { describe, expect, test } from "vitest";
import { describeForm, MAX_DEPTH } from "../../src/form/model/describe.js";
import type { Field, ListField, ObjectField, UnionField } from "../../src/form/model/field.js";

describe("scalars", () => {
  test.each([
    [{ type: "string" }, { kind: "text", format: undefined, isMultiline: false }],
    [
      { type: "string", maxLength: 200 },
      { kind: "text", isMultiline: false },
    ],
    [
      { type: "string", maxLength: 201 },
      { kind: "text", isMultiline: true },
    ],
    [
      { type: "string", format: "textarea" },
      { kind: "text", isMultiline: true },
    ],
    [
      { type: "string", contentMediaType: "text/html" },
      { kind: "text", isMultiline: true },
    ],
    [
      { type: "string", format: "date" },
      { kind: "text", format: "date" },
    ],
    [
      { type: "string", format: "date-time" },
      { kind: "text", format: "date-time" },
    ],
    [
      { type: "string", format: "time" },
      { kind: "text", format: "time" },
    ],
    [
      { type: "string", format: "email" },
      { kind: "text", format: "email" },
    ],
    [
      { type: "string", format: "uri" },
      { kind: "text", format: "uri" },
    ],
    [
      { type: "string", format: "color" },
      { kind: "text", format: "color" },
    ],
    [
      { type: "string", format: "uuid" },
      { kind: "text", format: undefined, hints: ["format uuid"] },
    ],
    [
      { type: "string", format: "constructor" },
      { kind: "text", format: undefined },
    ],
    [{ type: "number" }, { kind: "number", isInteger: false }],
    [
      { type: "integer", minimum: 1, maximum: 9 },
      { kind: "number", isInteger: true, min: 1, max: 9 },
    ],
    [
      { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 9 },
      { min: 2, max: 8 },
    ],
    [{ type: ["number", "integer"] }, { kind: "number", isInteger: false }],
    [{ type: "boolean" }, { kind: "boolean" }],
    [{ type: "null" }, { kind: "const", value: null, isNullable: false }],
    [{ const: { a: 1 } }, { kind: "const", value: { a: 1 } }],
  ])("describes a field for %j", (schema, expected) => {
    expect(describeForm(schema)).toMatchObject(expected);
  });

  test.each([
    [
      { type: "string", contentEncoding: "base64" },
      { encoding: "base64", maxBytes: 4_194_304 },
    ],
    [{ type: "string", format: "byte" }, { encoding: "base64" }],
    [
      { type: "string", format: "binary", maxLength: 400 },
      { maxBytes: 300, hints: ["at most 300 B"] },
    ],
    [{ type: "string", contentMediaType: "image/png" }, { mediaType: "image/png" }],
    [{ type: "string", format: "data-url" }, { encoding: "data-url" }],
  ])("%j is a file", (schema, expected) => {
    expect(describeForm(schema)).toMatchObject({ kind: "file", ...expected });
  });

  test("the page can limit files", () => {
    expect(describeForm({ type: "string", format: "byte" }, { maxFileBytes: 10 })).toMatchObject({
      maxBytes: 10,
    });
  });
});

describe("facts", () => {
  test("title, description, default, example, and constraints", () => {
    const schema = {
      type: "string",
      title: "Name",
      description: "Full name",
      default: "Ada",
      examples: ["Grace", "Edsger"],
      minLength: 1,
      maxLength: 20,
      pattern: "^A",
      deprecated: true,
    };
    expect(describeForm(schema)).toMatchObject({
      title: "Name",
      description: "Full name",
      defaultValue: "Ada",
      example: "Grace",
      isDeprecated: true,
      hints: ["at least 1 character", "at most 20 characters", "pattern ^A"],
    });
  });

  test("untrusted texts have no control characters, and are cut", () => {
    const field = describeForm({
      type: "string",
      title: `a\u202e\u0007${"x".repeat(500)}`,
      description: `\u0000${"y".repeat(5_000)}`,
      format: "z".repeat(500),
      examples: [{ deep: "w".repeat(500) }],
    });
    expect(field.title).toHaveLength(120);
    expect(field.title).toMatch(/^ax+…$/);
    expect(field.description?.length).toBe(2_001);
    expect(field.hints[0]?.length).toBeLessThan(60);
    expect(field.example?.length).toBeLessThanOrEqual(100);
  });

  test("keywords with values of the wrong type are ignored", () => {
    const schema = {
      type: "object",
      properties: {
        a: { type: "string", title: 5, description: [], maxLength: "5", examples: "x", format: {} },
      },
      required: "a",
    };
    expect(property(describeForm(schema), "a")).toMatchObject({ kind: "text", title: undefined, hints: [] });
  });
});

describe("null", () => {
  test.each([
    [{ type: ["string", "null"] }, "text"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "text"],
    [{ oneOf: [{ type: "null" }, { type: "integer" }] }, "number"],
    [{ anyOf: [{ $ref: "#/$defs/A" }, { const: null }], $defs: { A: { type: "boolean" } } }, "boolean"],
    [{ enum: ["a", null] }, "choice"],
    [{ type: "string", nullable: true }, "text"],
    [{ anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] }, "union"],
  ])("%j is nullable", (schema, kind) => {
    expect(describeForm(schema)).toMatchObject({ kind, isNullable: true });
  });

  test("the title of a nullable reference is that of the place where it is used", () => {
    const schema = {
      title: "Home",
      anyOf: [{ $ref: "#/$defs/Address" }, { type: "null" }],
      $defs: { Address: { title: "Address", type: "object", properties: { street: {} } } },
    };
    expect(describeForm(schema)).toMatchObject({ kind: "object", title: "Home", isNullable: true });
  });
});

describe("choices", () => {
  test("an enum of any values", () => {
    expect(describeForm({ enum: ["a", 1, { b: 2 }] })).toMatchObject({
      kind: "choice",
      options: [
        { value: "a", label: "a" },
        { value: 1, label: "1" },
        { value: { b: 2 }, label: '{"b":2}' },
      ],
    });
  });

  test.each([
    {
      oneOf: [
        { const: "a", title: "A" },
        { const: "b", title: "B" },
      ],
    },
    {
      anyOf: [
        { enum: ["a"], title: "A" },
        { const: "b", title: "B" },
      ],
    },
    { type: "string", enum: ["a", "b"], enumNames: ["A", "B"] },
  ])("%j has labels", (schema) => {
    expect(describeForm(schema)).toMatchObject({
      kind: "choice",
      options: [
        { value: "a", label: "A" },
        { value: "b", label: "B" },
      ],
    });
  });

  test("an array of choices has checkboxes", () => {
    const schema = { type: "array", items: { enum: ["a", "b"] } };
    expect(describeForm(schema)).toMatchObject({
      kind: "choices",
      options: [{ value: "a" }, { value: "b" }],
    });
  });
});

describe("objects", () => {
  test("required and optional members in order", () => {
    const schema = { properties: { b: { type: "string" }, a: {} }, required: ["a", "c"] };
    const field = describeForm(schema) as ObjectField;
    expect(field.kind).toBe("object");
    expect(field.properties.map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ["b", false],
      ["a", true],
      ["c", true],
    ]);
    expect(property(field, "c").kind).toBe("json");
  });

  test("a map", () => {
    const field = describeForm({
      type: "object",
      additionalProperties: { type: "number" },
      propertyNames: { enum: ["x", "y"] },
    }) as ObjectField;
    expect(field).toMatchObject({ kind: "object", properties: [], extras: { names: ["x", "y"] } });
    expect(field.extras?.field().kind).toBe("number");
  });

  test.each([
    ["patternProperties", { patternProperties: { "^x-": { type: "string" } } }, "text"],
    ["open objects with members", { properties: { a: {} }, additionalProperties: true }, "json"],
  ])("extra members of %s", (_title, schema, kind) => {
    expect((describeForm(schema) as ObjectField).extras?.field().kind).toBe(kind);
  });

  test("closed objects have no extra members, and open ones without members are JSON", () => {
    expect(
      (describeForm({ properties: { a: {} }, additionalProperties: false }) as ObjectField).extras,
    ).toBeUndefined();
    expect(describeForm({ type: "object" })).toMatchObject({
      kind: "json",
      emptyValue: {},
      reason: undefined,
    });
    expect(describeForm({ type: "object", additionalProperties: false })).toMatchObject({ kind: "object" });
  });
});

describe("arrays", () => {
  test("lists", () => {
    const field = describeForm({
      type: "array",
      items: { type: "string" },
      minItems: 1,
      maxItems: 3,
    }) as ListField;
    expect(field).toMatchObject({ kind: "list", minItems: 1, maxItems: 3, fixed: [] });
    expect(field.item?.().kind).toBe("text");
  });

  test.each([
    ["prefixItems", { prefixItems: [{ type: "string" }, { type: "number" }] }, ["text", "number"], undefined],
    ["a rest", { prefixItems: [{ type: "string" }], items: { type: "number" } }, ["text"], "number"],
    ["old tuples", { items: [{ type: "string" }], additionalItems: false }, ["text"], undefined],
    ["any items", { type: "array" }, [], "json"],
    ["no items", { type: "array", items: false }, [], undefined],
  ])("describes elements for %s", (_title, schema, fixed, item) => {
    const field = describeForm(schema) as ListField;
    expect(field.fixed.map((one) => one().kind)).toEqual(fixed);
    expect(field.item?.().kind).toBe(item);
  });
});

describe("unions", () => {
  const labels = (schema: unknown) => (describeForm(schema) as UnionField).variants.map(({ label }) => label);

  test.each([
    [
      "titles",
      {
        oneOf: [
          { title: "Cat", properties: {} },
          { title: "Dog", properties: {} },
        ],
      },
      ["Cat", "Dog"],
    ],
    [
      "constants",
      { oneOf: [{ properties: { kind: { const: "a" }, x: {} } }, { properties: { kind: { enum: ["b"] } } }] },
      ["a", "b"],
    ],
    [
      "a discriminator",
      {
        discriminator: { propertyName: "t" },
        oneOf: [{ properties: { t: { const: 1 } } }, { properties: { t: { const: 2 } } }],
      },
      ["1", "2"],
    ],
    [
      "references",
      {
        anyOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }],
        $defs: { A: { type: "string" }, B: { type: "string" } },
      },
      ["A", "B"],
    ],
    ["types", { anyOf: [{ type: "string" }, { type: "integer" }, {}] }, ["Text", "Integer", "JSON"]],
    ["several types", { type: ["string", "array", "null"] }, ["Text", "List"]],
    ["equal types", { anyOf: [{ type: "string" }, { type: "string" }] }, ["Text (1)", "Text (2)"]],
  ])("labels from %s", (_title, schema, expected) => {
    expect(labels(schema)).toEqual(expected);
  });

  test("every variant has the members of the schema around it", () => {
    const field = describeForm({
      type: "object",
      title: "Shape",
      properties: { name: { type: "string" } },
      required: ["name"],
      oneOf: [{ properties: { radius: { type: "number" } } }, { properties: { width: { type: "number" } } }],
    }) as UnionField;
    expect(field.title).toBe("Shape");
    const members = field.variants.map((variant) =>
      (variant.field() as ObjectField).properties.map(({ name }) => name),
    );
    expect(members).toEqual([
      ["name", "radius"],
      ["name", "width"],
    ]);
    expect(field.variants[0]?.field().title).toBeUndefined();
  });

  test("alternatives that only restrict an object are left to the validation", () => {
    const schema = { properties: { a: {}, b: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    expect(describeForm(schema).kind).toBe("object");
  });
});

describe("schemas without a form", () => {
  test.each([
    ["no schema", undefined, undefined],
    ["true", true, undefined],
    ["an empty schema", {}, undefined],
    ["an unknown type", { type: "file" }, undefined],
    ["false", false, "There is no form for this value: no value is allowed."],
    [
      "a missing reference",
      { $ref: "#/nowhere" },
      "There is no form for this value: `#/nowhere` could not be found in the schema.",
    ],
  ])("%s is edited as JSON", (_title, schema, reason) => {
    expect(describeForm(schema)).toMatchObject({ kind: "json", reason });
  });

  test("a schema that is too large", () => {
    const properties = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`p${index}`, {}]));
    expect(describeForm({ properties })).toMatchObject({
      kind: "json",
      reason: "The schema is too large for a form.",
    });
  });
});

describe("recursive schemas", () => {
  test("expand on demand, up to a depth", () => {
    const schema = {
      $ref: "#/$defs/Node",
      $defs: {
        Node: {
          type: "object",
          properties: { next: { $ref: "#/$defs/Node" }, list: { items: { $ref: "#" } } },
        },
      },
    };
    let field = describeForm(schema);
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      expect(field.kind).toBe("object");
      field = property(field, "next");
    }
    expect(field).toMatchObject({ kind: "json", reason: "The form ends here (limit: 12 levels)." });
  });

  test.each([
    { anyOf: [{ $ref: "#" }, { type: "null" }] },
    { oneOf: [{ $ref: "#" }, { $ref: "#" }] },
    { type: "array", items: { $ref: "#" } },
    { additionalProperties: { $ref: "#" } },
    { allOf: [{ $ref: "#" }] },
    { prefixItems: [{ $ref: "#" }, { $ref: "#" }, { $ref: "#" }] },
  ])("%j ends", (schema) => {
    expect(describeForm(schema).kind).toBeTypeOf("string");
  });
});

function property(field: Field, name: string): Field {
  const found = field.kind === "object" ? field.properties.find((one) => one.name === name) : undefined;
  if (found === undefined) throw new Error(`There is no property ${name}.`);
  return found.field();
}
