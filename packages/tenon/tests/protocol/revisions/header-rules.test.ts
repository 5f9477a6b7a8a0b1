import { describe, expect, test } from "vitest";
import { compileHeaderRules } from "../../../src/protocol/revisions/headers.js";

const annotated = { type: "string", "x-mcp-header": "Region" };
const typeReason = (got: string) =>
  `\`x-mcp-header\` requires the type string, integer, or boolean; got ${got}.`;
const UNREACHABLE =
  "`x-mcp-header` is allowed only on properties of the input object and its nested objects, not inside arrays, `anyOf`, or other keywords.";

const withProperty = (x: unknown) => ({ type: "object", properties: { x } });

describe("a schema's header rules", () => {
  test("are empty without annotations", () => {
    expect(compileHeaderRules({ type: "object" })).toEqual({ ok: true, rules: [] });
    expect(compileHeaderRules(withProperty({ type: "string" }))).toEqual({ ok: true, rules: [] });
  });

  test("contain each annotated property's header, path, and type", () => {
    const schema = {
      type: "object",
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        page: { type: "integer", "x-mcp-header": "Page-Number" },
        plain: { type: "number" },
        options: {
          type: "object",
          properties: {
            dry: { type: "boolean", "x-mcp-header": "dry_run" },
            deep: { type: "object", properties: { er: { type: "string", "x-mcp-header": "Deeper" } } },
          },
        },
      },
    };
    expect(compileHeaderRules(schema)).toEqual({
      ok: true,
      rules: [
        { header: "mcp-param-region", path: ["region"], type: "string" },
        { header: "mcp-param-page-number", path: ["page"], type: "integer" },
        { header: "mcp-param-dry_run", path: ["options", "dry"], type: "boolean" },
        { header: "mcp-param-deeper", path: ["options", "deep", "er"], type: "string" },
      ],
    });
  });

  test("skip properties that are not schema objects", () => {
    expect(compileHeaderRules({ type: "object", properties: { a: true, b: false } })).toEqual({
      ok: true,
      rules: [],
    });
  });
});

describe("a header's name", () => {
  test.each(["a", "Region", "X-1", "!#$%&'*+-.^_`|~"])("can be the token %s", (name) => {
    expect(compileHeaderRules(withProperty({ type: "string", "x-mcp-header": name }))).toMatchObject({
      ok: true,
      rules: [{ header: `mcp-param-${name.toLowerCase()}` }],
    });
  });

  test.each([
    ["empty", "", '""'],
    ["with a space", "my region", '"my region"'],
    ["with a colon", "region:", '"region:"'],
    ["with a line break", "region\n", '"region\\n"'],
    ["with a carriage return", "region\r\nEvil: yes", '"region\\r\\nEvil: yes"'],
    ["with a slash", "a/b", '"a/b"'],
    ["with a quote", 'a"b', '"a\\"b"'],
    ["with a letter outside ASCII", "région", '"r?gion"'],
    ["a number", 7, "7"],
    ["true", true, "true"],
    ["null", null, "null"],
    ["an object", { name: "Region" }, '{"name":"Region"}'],
  ])("must not be %s: %j", (_case, name, got) => {
    expect(compileHeaderRules(withProperty({ type: "string", "x-mcp-header": name }))).toEqual({
      ok: false,
      path: "x",
      reason: `\`x-mcp-header\` must be a valid HTTP field name; got ${got}.`,
    });
  });

  test.each([
    ["twice", "Region", "Region"],
    ["twice in other letters", "Region", "REGION"],
  ])("must not be used %s", (_case, first, second) => {
    const schema = {
      type: "object",
      properties: {
        a: { type: "string", "x-mcp-header": first },
        b: { type: "object", properties: { c: { type: "string", "x-mcp-header": second } } },
      },
    };
    expect(compileHeaderRules(schema)).toEqual({
      ok: false,
      path: "b.c",
      reason:
        'The header "mcp-param-region" is already used by "a". Each `x-mcp-header` value must be unique.',
    });
  });
});

describe("an annotated property's type", () => {
  test.each(["string", "integer", "boolean"])("can be %s", (type) => {
    expect(compileHeaderRules(withProperty({ type, "x-mcp-header": "X" }))).toEqual({
      ok: true,
      rules: [{ header: "mcp-param-x", path: ["x"], type }],
    });
  });

  test.each([
    ["number", '"number"'],
    ["object", '"object"'],
    ["array", '"array"'],
    ["null", '"null"'],
    [undefined, "none"],
    [["string", "null"], '["string","null"]'],
  ])("must not be %j", (type, got) => {
    expect(compileHeaderRules(withProperty({ type, "x-mcp-header": "X" }))).toEqual({
      ok: false,
      path: "x",
      reason: typeReason(got),
    });
  });

  test("is reported with its path", () => {
    const schema = withProperty({
      type: "object",
      properties: { y: { type: "number", "x-mcp-header": "Y" } },
    });
    expect(compileHeaderRules(schema)).toEqual({ ok: false, path: "x.y", reason: typeReason('"number"') });
  });
});

describe("rejects an annotation that clients cannot reach", () => {
  test.each([
    ["on the root", { type: "object", "x-mcp-header": "Region" }, ""],
    ["in items", withProperty({ type: "array", items: annotated }), "/properties/x/items"],
    ["in prefixItems", withProperty({ prefixItems: [{}, annotated] }), "/properties/x/prefixItems/1"],
    ["in contains", withProperty({ contains: annotated }), "/properties/x/contains"],
    ["in oneOf", withProperty({ oneOf: [annotated] }), "/properties/x/oneOf/0"],
    ["in anyOf", withProperty({ anyOf: [annotated] }), "/properties/x/anyOf/0"],
    ["in allOf", withProperty({ allOf: [annotated] }), "/properties/x/allOf/0"],
    ["in not", withProperty({ not: annotated }), "/properties/x/not"],
    ["in if", { type: "object", if: { properties: { a: annotated } } }, "/if/properties/a"],
    // oxlint-disable-next-line unicorn/no-thenable -- a JSON Schema keyword
    ["in then", { type: "object", then: { properties: { a: annotated } } }, "/then/properties/a"],
    ["in else", { type: "object", else: { properties: { a: annotated } } }, "/else/properties/a"],
    ["in $defs", { type: "object", $defs: { region: annotated } }, "/$defs/region"],
    ["in a property of $defs", { $defs: { r: { properties: { a: annotated } } } }, "/$defs/r/properties/a"],
    ["in additionalProperties", { additionalProperties: annotated }, "/additionalProperties"],
    ["in patternProperties", { patternProperties: { "^a": annotated } }, "/patternProperties/^a"],
    ["in dependentSchemas", { dependentSchemas: { a: annotated } }, "/dependentSchemas/a"],
    [
      "in a property inside the root's oneOf",
      { type: "object", oneOf: [{ properties: { a: annotated } }] },
      "/oneOf/0/properties/a",
    ],
    [
      "in a property of array items",
      withProperty({ type: "array", items: { type: "object", properties: { a: annotated } } }),
      "/properties/x/items/properties/a",
    ],
    [
      "in a property behind a reachable one",
      withProperty({ type: "object", properties: { y: { anyOf: [annotated] } } }),
      "/properties/x/properties/y/anyOf/0",
    ],
  ])("%s", (_case, schema, path) => {
    expect(compileHeaderRules(schema)).toEqual({ ok: false, path, reason: UNREACHABLE });
  });

  test("in a definition named like a data keyword", () => {
    expect(compileHeaderRules({ type: "object", $defs: { default: annotated } })).toEqual({
      ok: false,
      path: "/$defs/default",
      reason: UNREACHABLE,
    });
  });
});

describe("the annotation's name is an ordinary key", () => {
  test.each([
    ["in default", withProperty({ type: "object", default: { "x-mcp-header": "Region" } })],
    ["in const", withProperty({ const: { "x-mcp-header": "Region" } })],
    ["in enum", withProperty({ enum: [{ "x-mcp-header": "Region" }] })],
    ["in examples", withProperty({ examples: [{ "x-mcp-header": "Region" }] })],
    ["in the root's default", { type: "object", default: { a: { "x-mcp-header": "Region" } } }],
    ["as a property's name", { type: "object", properties: { "x-mcp-header": { type: "string" } } }],
    [
      "as a property name inside array items",
      withProperty({ items: { properties: { "x-mcp-header": {} } } }),
    ],
  ])("%s", (_case, schema) => {
    expect(compileHeaderRules(schema)).toEqual({ ok: true, rules: [] });
  });

  test.each([
    ["of a definition", { type: "object", $defs: { "x-mcp-header": { type: "string" } } }],
    ["of a property with dependents", { type: "object", dependentRequired: { "x-mcp-header": ["a"] } }],
    ["of a property with a dependent schema", { type: "object", dependentSchemas: { "x-mcp-header": {} } }],
  ])("as the name %s", (_case, schema) => {
    expect(compileHeaderRules(schema)).toEqual({ ok: true, rules: [] });
  });

  test("and properties named default or const can be annotated", () => {
    const schema = {
      type: "object",
      properties: {
        default: { type: "string", "x-mcp-header": "A" },
        const: { type: "string", "x-mcp-header": "B" },
      },
    };
    expect(compileHeaderRules(schema)).toMatchObject({
      ok: true,
      rules: [{ path: ["default"] }, { path: ["const"] }],
    });
  });
});
