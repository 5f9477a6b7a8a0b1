import { type } from "arktype";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  generateInputSchema,
  type SchemaGenerator,
  type SchemaInput,
} from "../../../src/grouped/strategies/schema-generator.js";
import { loadJsonSchema } from "../../../src/schema/json-schema/index.js";
import type { JsonObject } from "@tenon/internal/json";
import {
  deepFreeze,
  fieldPlan,
  fields,
  mockAction,
  plainSchema,
  toActions,
  toolPlan,
} from "../../support/grouped/actions.js";

const generate: SchemaGenerator = generateInputSchema;
const flat = (actions: SchemaInput["actions"], more: Partial<SchemaInput> = {}) =>
  generate({ actions, discriminator: "action", hasGroup: false, ...more });
const properties = (schema: JsonObject) => schema["properties"] as Record<string, JsonObject>;
const described = (schema: JsonObject, name: string) => properties(schema)[name]?.["description"];

describe("the merged schema", () => {
  test("F19, F20, F27: a flat tool's complete schema", () => {
    const actions = [
      mockAction("list", { schema: z.object({ limit: z.number().int().min(1).default(10) }) }),
      mockAction("create", { schema: z.object({ email: z.string().describe("Where to write") }) }),
    ];
    const commonSchema = z.object({
      tenant: z.string().describe("Whose data"),
      trace: z.boolean().optional(),
    });
    expect(flat(actions, { commonSchema })).toEqual({
      type: "object",
      properties: {
        action: { type: "string", enum: ["list", "create"], description: "Which operation to perform" },
        tenant: { type: "string", description: "Whose data. (always required)" },
        trace: { type: "boolean", description: "For: list, create" },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: 9007199254740991,
          default: 10,
          description: "For: list",
        },
        email: { type: "string", description: "Where to write. Required for: create" },
      },
      required: ["action", "tenant"],
    });
  });

  test.each([
    ["action", "Module and operation (module.action format)"],
    ["operation", "Module and operation (module.operation format)"],
  ])("F20: a grouped tool's discriminator %s", (discriminator, description) => {
    const schema = flat([mockAction("users.list"), mockAction("billing.refund")], {
      discriminator,
      hasGroup: true,
    });
    expect(schema).toEqual({
      type: "object",
      properties: {
        [discriminator]: { type: "string", enum: ["users.list", "billing.refund"], description },
      },
      required: [discriminator],
    });
  });

  test("F22: a field's first declaration takes precedence", () => {
    const schema = flat([
      mockAction("a", { schema: z.object({ id: z.string().max(5).describe("First") }) }),
      mockAction("b", { schema: z.object({ id: z.string().max(9).describe("Second") }) }),
    ]);
    expect(properties(schema)["id"]).toEqual({
      type: "string",
      maxLength: 5,
      description: "First. Required for: a, b",
    });
  });

  test.each([
    ["F23", "tier 1", "(always required)", ["id"], { list: ["id?"], create: [] }],
    ["F24", "tier 2", "Required for: create, update", [], { list: [], create: ["id"], update: ["id"] }],
    ["F25", "tier 3", "Required for: create. For: update", [], { create: ["id"], update: ["id?"] }],
    ["F26", "tier 4", "For: list, search", [], { create: [], list: ["id?"], search: ["id?"] }],
    ["F21", "common and optional", "For: list, create", ["id?"], { list: [], create: [] }],
    [
      "F21",
      "common, redeclared as required",
      "Required for: b. For: a, c",
      ["id?"],
      { a: [], b: ["id"], c: ["id?"] },
    ],
    ["F21", "common, redeclared unchanged", "For: a, b", ["id?"], { a: ["id?"], b: ["id?"] }],
    ["F21", "common, required by all", "Required for: a, b", ["id?"], { a: ["id"], b: ["id"] }],
  ])("%s, %s: %s", (_id, _tier, expected, common, byAction) => {
    const actions = Object.entries(byAction).map(([key, names]) =>
      mockAction(key, { schema: fields(...names) }),
    );
    expect(described(flat(actions, { commonSchema: fields(...common) }), "id")).toBe(expected);
  });

  test.each([
    ["Name", "Name. Required for: a"],
    ["Name.", "Name. Required for: a"],
    ["Which one?", "Which one? Required for: a"],
    ["", "Required for: a"],
  ])("F27: the description %j is followed by the annotation", (description, expected) => {
    const schema = z.object({ id: z.string().describe(description) });
    expect(described(flat([mockAction("a", { schema })]), "id")).toBe(expected);
  });

  test("the result is deeply frozen", () => {
    const schema = flat([mockAction("a", { schema: z.object({ tags: z.array(z.string()) }) })]);
    expect(
      [schema, properties(schema), properties(schema)["tags"], schema["required"]].every(Object.isFrozen),
    ).toBe(true);
  });

  test("other libraries are supported", () => {
    const schema = flat([mockAction("a", { schema: type({ id: "string", "note?": "string" }) })]);
    expect([described(schema, "id"), described(schema, "note")]).toEqual(["Required for: a", "For: a"]);
  });

  test("boolean schemas and undeclared required names receive a description", () => {
    const schema = plainSchema({
      type: "object",
      properties: { any: true, none: false },
      required: ["named"],
    });
    expect(properties(flat([mockAction("a", { schema })]))).toMatchObject({
      any: { description: "For: a" },
      none: { not: {}, description: "For: a" },
      named: { description: "Required for: a" },
    });
  });
});

describe("schemas that cannot be merged", () => {
  const merge = (first: z.ZodType, later: z.ZodType) => () =>
    flat([
      mockAction("a", { schema: z.object({ f: first }) }),
      mockAction("b", { schema: z.object({ f: later.optional() }) }),
    ]);
  const conflict = (detail: string) =>
    `Schema conflict for field "f" in action "b": ${detail}. All actions sharing a field name must use the same type.`;

  test.each([
    ['it has type "boolean", but an earlier action declares type "string"', z.string(), z.boolean()],
    [
      'it has type "null|string", but an earlier action declares type "string"',
      z.string(),
      z.string().nullable(),
    ],
    ['it has type "object", but an earlier action declares type "array"', z.array(z.string()), z.object({})],
    [
      'it has type "string", but an earlier action declares type "number|string"',
      z.union([z.string(), z.number()]),
      z.string(),
    ],
    [
      'it has type "string" without an enum, but an earlier action declares the enum values ["x"]',
      z.enum(["x"]),
      z.string(),
    ],
    [
      'it has the enum values ["x"], but an earlier action declares type "string" without an enum',
      z.string(),
      z.literal("x"),
    ],
    [
      'items: it has type "number", but an earlier action declares type "string"',
      z.array(z.string()),
      z.array(z.number()),
    ],
    [
      'it has type "null|object", but an earlier action declares type "object"',
      z.object({ a: z.string() }),
      z.object({ a: z.string() }).nullable(),
    ],
  ])("F22: %s", (detail, first, later) => {
    expect(merge(first, later)).toThrow(new Error(conflict(detail)));
  });

  test.each([
    ["anyOf", [{ const: 1 }, { enum: ["x", null, [], {}] }], "array|null|number|object|string"],
    ["oneOf", [{ type: "integer" }, { $ref: "#/$defs/Flag" }], "boolean|number"],
  ])("F22: the type of %s is that of its branches", (keyword, branches, name) => {
    const schema = plainSchema({
      type: "object",
      properties: { f: { [keyword]: branches } },
      $defs: { Flag: { type: "boolean" } },
    });
    expect(() => flat([mockAction("a", { schema }), mockAction("b", { schema: fields("f") })])).toThrow(
      new Error(conflict(`it has type "string", but an earlier action declares type "${name}"`)),
    );
  });

  test("F22: a union that allows anything or contains itself is compatible with every type", () => {
    const union = (...anyOf: unknown[]) =>
      plainSchema({
        type: "object",
        properties: { f: { anyOf } },
        $defs: { U: { anyOf: [{ $ref: "#/$defs/U" }] } },
      });
    for (const schema of [union({}), union(true), union({ $ref: "#/$defs/U" })]) {
      expect(() =>
        flat([mockAction("a", { schema }), mockAction("b", { schema: fields("f") })]),
      ).not.toThrow();
    }
  });

  test.each([
    ["integer and number", z.int(), z.number()],
    ["an enum in a different order", z.enum(["x", "y"]), z.enum(["y", "x"])],
    ["different enums, which are merged", z.enum(["x", "y"]), z.enum(["z"])],
    ["anything and a type", z.unknown(), z.string()],
    ["different limits", z.string().min(1), z.string().max(9)],
    ["the same union in a different order", z.union([z.string(), z.null()]), z.null().or(z.string())],
    ["objects", z.object({ a: z.string() }), z.object({ b: z.string() })],
  ])("F22: no conflict: %s", (_name, first, later) => {
    expect(merge(first, later)).not.toThrow();
  });

  test("F22: an action cannot redeclare a common field with a different type", () => {
    const action = mockAction("b", { schema: z.object({ f: z.number() }) });
    expect(() => flat([action], { commonSchema: z.object({ f: z.string() }) })).toThrow(
      new Error(conflict('it has type "number", but an earlier action declares type "string"')),
    );
  });

  test.each([
    ['action "a"', [mockAction("a", { schema: fields("action") })], undefined],
    ["the common schema", [mockAction("a")], fields("action?")],
  ])("a field of %s with the name of the discriminator", (where, actions, commonSchema) => {
    expect(() => flat(actions, { commonSchema })).toThrow(
      new Error(`Field "action" in ${where} has the same name as the discriminator. Rename one of them.`),
    );
  });

  test("a schema without named fields", () => {
    const schema = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
    expect(() => flat([mockAction("x", { schema })])).toThrow(
      new Error(
        'Action "x": the schema must be an object schema with named fields; got a schema without a single `type`. ' +
          "Use z.object({ … }).",
      ),
    );
    expect(() => flat([mockAction("x")], { commonSchema: z.string() })).toThrow(
      new Error(
        "The common schema must be an object schema with named fields; got a string schema. " +
          "Use z.object({ … }).",
      ),
    );
  });

  test("the error names a schema without a JSON Schema", () => {
    const schema = z.object({ when: z.date() });
    expect(() => flat([mockAction("x", { schema })])).toThrow(
      /^Action "x": the schema cannot be converted to JSON Schema at "when": /,
    );
  });
});

describe("references", () => {
  const address = z.object({ street: z.string() }).meta({ id: "Address" });
  const other = z.object({ url: z.string() });

  test("equal definitions are shared, and different ones with the same name are renamed", () => {
    const schema = flat([
      mockAction("a", { schema: z.object({ home: address }) }),
      mockAction("b", { schema: z.object({ home: address, work: address }) }),
      mockAction("c", { schema: z.object({ web: other.meta({ id: "Address" }) }) }),
    ]);
    expect(schema["$defs"]).toMatchObject({
      Address: { properties: { street: {} } },
      Address_2: { properties: { url: {} } },
    });
    expect(properties(schema)).toMatchObject({
      home: { $ref: "#/$defs/Address", description: "Required for: a, b" },
      work: { $ref: "#/$defs/Address", description: "Required for: b" },
      web: { $ref: "#/$defs/Address_2", description: "Required for: c" },
    });
    expect(Object.keys(schema["$defs"] as object)).toEqual(["Address", "Address_2"]);
  });

  test("a schema that refers to itself keeps its meaning under the new root", async () => {
    const node = z.object({
      value: z.string(),
      get next() {
        return node.optional();
      },
    });
    const tree = z.object({
      label: z.number(),
      get children() {
        return z.array(tree);
      },
    });
    const schema = flat([
      mockAction("a/b", { schema: node }),
      mockAction("t", { schema: z.object({ tree }) }),
      mockAction("n", { schema: z.object({ other: node }) }),
    ]);
    const compile = await loadJsonSchema();
    const check = compile(schema);
    const valid = (value: object) => check({ action: "t", ...value }).issues === undefined;
    expect(valid({ next: { value: "x", next: { value: "y" } } })).toBe(true);
    expect(valid({ next: { value: "x", next: { value: 1 } } })).toBe(false);
    expect(valid({ tree: { label: 1, children: [{ label: 2, children: [] }] } })).toBe(true);
    expect(valid({ tree: { label: 1, children: [{ label: "x", children: [] }] } })).toBe(false);
    expect(valid({ other: { value: "x", next: { value: "y" } } })).toBe(true);
    expect(valid({ other: { label: 1, children: [] } })).toBe(false);
  });

  test("a schema that is a reference to its own name is resolved to its fields", () => {
    const named = z
      .object({
        id: z.string(),
        get parent() {
          return named.optional();
        },
      })
      .meta({ id: "Named" });
    const schema = flat([mockAction("a", { schema: named })]);
    expect(properties(schema)).toMatchObject({
      id: { type: "string", description: "Required for: a" },
      parent: { $ref: "#/$defs/Named", description: "For: a" },
    });
    expect(schema["$defs"]).toMatchObject({ Named: { properties: { parent: { $ref: "#/$defs/Named" } } } });
  });

  test("F22: types are compared after resolving references", () => {
    const [short, long] = [1, 9].map((max) =>
      z
        .string()
        .max(max)
        .meta({ id: `Text${max}` }),
    );
    const actions = (later: z.ZodType = z.never()) => [
      mockAction("a", { schema: z.object({ f: short ?? z.never(), g: short ?? z.never() }) }),
      mockAction("b", { schema: z.object({ f: later, g: later }) }),
    ];
    expect(() => flat(actions(long))).not.toThrow();
    expect(() => flat(actions(address))).toThrow(
      'it has type "object", but an earlier action declares type "string"',
    );
  });

  test("arrays that contain themselves are compared once", () => {
    const list = (id: string) =>
      plainSchema({
        type: "object",
        properties: { f: { $ref: `#/$defs/${id}` } },
        $defs: { [id]: { type: "array", items: { $ref: `#/$defs/${id}` } } },
      });
    expect(() =>
      flat([mockAction("a", { schema: list("A") }), mockAction("b", { schema: list("B") })]),
    ).not.toThrow();
  });

  test("references to missing targets, to themselves, or to other documents are not changed", () => {
    const schema = plainSchema({
      type: "object",
      properties: {
        far: { $ref: "https://example.com/schema" },
        loop: { $ref: "#/$defs/Loop" },
        data: { const: { $ref: "#/$defs/Loop" } },
      },
      $defs: { Loop: { $ref: "#/$defs/Loop" } },
    });
    const merged = flat([mockAction("a", { schema }), mockAction("b", { schema })]);
    expect(properties(merged)).toMatchObject({
      far: { $ref: "https://example.com/schema" },
      loop: { $ref: "#/$defs/Loop" },
      data: { const: { $ref: "#/$defs/Loop" } },
    });
  });
});

describe("any tool", () => {
  /** The four tiers, as the document defines them. */
  function tierOf(
    name: string,
    common: Record<string, boolean>,
    uses: { key: string; own?: boolean | undefined }[],
  ) {
    const inCommon = Object.hasOwn(common, name);
    if (inCommon && common[name] === true) return "(always required)";
    const users = uses.filter(({ own }) => inCommon || own !== undefined);
    const must = users.filter(({ own }) => own === true).map(({ key }) => key);
    const may = users.filter(({ own }) => own !== true).map(({ key }) => key);
    if (may.length === 0) return `Required for: ${must.join(", ")}`;
    if (must.length === 0) return `For: ${may.join(", ")}`;
    return `Required for: ${must.join(", ")}. For: ${may.join(", ")}`;
  }

  test("F18, F20, F21, F22, F23, F24, F25, F26, F27: has every key, field, and annotation", () => {
    fc.assert(
      fc.property(toolPlan, fieldPlan, (tool, common) => {
        const made = toActions(tool);
        const actions = made.map(({ action }) => action);
        const commonSchema = fields(...Object.entries(common).map(([k, must]) => (must ? k : `${k}?`)));
        const input = deepFreeze({ actions, discriminator: "op", hasGroup: tool.hasGroup, commonSchema });
        const schema = generate(input);
        const names = new Set([
          ...made.flatMap(({ plan }) => Object.keys(plan.fields ?? {})),
          ...Object.keys(common),
        ]);
        expect(properties(schema)["op"]?.["enum"]).toEqual(actions.map(({ key }) => key));
        expect(new Set(Object.keys(properties(schema)))).toEqual(new Set(["op", ...names]));
        const always = Object.keys(common).filter((name) =>
          Object.entries(common).some(([k, v]) => k === name && v),
        );
        expect(schema["required"]).toEqual(["op", ...always]);
        if (actions.length === 0) return;
        for (const name of names) {
          const uses = made.map(({ action, plan }) => ({
            key: action.key,
            own: Object.entries(plan.fields ?? {}).find(([field]) => field === name)?.[1],
          }));
          expect(Object.entries(properties(schema)).find(([field]) => field === name)?.[1]).toEqual({
            type: "string",
            description: tierOf(name, common, uses),
          });
        }
      }),
    );
  });

  test("F18: the same input gives the same output, independent of other calls", () => {
    fc.assert(
      fc.property(toolPlan, toolPlan, (one, two) => {
        const inputs = [one, two].map((tool) => ({
          actions: toActions(tool).map(({ action }) => action),
          discriminator: "op",
          hasGroup: tool.hasGroup,
        }));
        const forth = inputs.map(generate);
        const back = inputs.toReversed().map(generate).toReversed();
        expect(back).toEqual(forth);
        expect(JSON.stringify(back)).toBe(JSON.stringify(forth));
      }),
    );
  });
});
