import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { AREAS } from "../../../../scripts/token-report/api.js";
import { createTool, type GroupedToolBuilder } from "../../src/grouped/index.js";
import type { JsonObject } from "@tenon/internal/json";
import type { McpToolDefinition } from "../../src/protocol/index.js";
import {
  readModelView,
  type SeenAction,
  type SeenField,
  typeOf,
  valuesOf,
} from "../support/grouped/model-view.js";

/** Reads an action's fields from its Zod schemas, without Tenon. */
function expectedFields(...schemas: readonly (z.ZodObject | undefined)[]): Record<string, SeenField> {
  const fields: Record<string, SeenField> = {};
  for (const schema of schemas) {
    if (schema === undefined) continue;
    const json = z.toJSONSchema(schema, { io: "input" }) as JsonObject;
    const required = new Set((json["required"] as readonly string[] | undefined) ?? []);
    for (const [name, one] of Object.entries(json["properties"] as Record<string, JsonObject>)) {
      fields[name] = {
        required: required.has(name) || fields[name]?.required === true,
        type: typeOf(one),
        format: one["format"] as string | undefined,
        values: valuesOf(one)
          .map((value) => JSON.stringify(value))
          .toSorted(),
      };
    }
  }
  return fields;
}

/** Sends a definition through JSON, as a client receives it. */
function onTheWire(builder: GroupedToolBuilder): McpToolDefinition {
  return JSON.parse(JSON.stringify(builder.buildToolDefinition())) as McpToolDefinition;
}

const toRecord = (view: ReadonlyMap<string, SeenAction>) => Object.fromEntries(view);

describe("the 40 operations of the token report", () => {
  const expected = Object.fromEntries(
    AREAS.flatMap(({ name, actions }) =>
      actions.map((action) => [
        `${name}.${action.name}`,
        {
          destructive: action.destructive ?? false,
          fields: expectedFields(action.schema as z.ZodObject), // the report uses Zod
        },
      ]),
    ),
  );

  const inOne = () => {
    const tool = createTool("platform").description("Run the platform");
    for (const { name, description, actions } of AREAS) {
      tool.group(name, description, (group) => {
        for (const action of actions) group.action(action);
      });
    }
    return tool;
  };

  test.each([
    ["text", (tool: GroupedToolBuilder) => tool],
    ["TOON", (tool: GroupedToolBuilder) => tool.toonDescription()],
  ])("first-run-c8: a model can read every field from one tool, as %s", (_form, choose) => {
    const view = readModelView(onTheWire(choose(inOne())));
    expect(view.size).toBe(40);
    expect(toRecord(view)).toEqual(expected);
  });

  test.each([
    ["text", (tool: GroupedToolBuilder) => tool],
    ["TOON", (tool: GroupedToolBuilder) => tool.toonDescription()],
  ])("first-run-c8: a model can read every field from a tool per area, as %s", (_form, choose) => {
    const views = AREAS.flatMap(({ name, description, actions }) => {
      const tool = createTool(name).description(description);
      for (const action of actions) tool.action(action);
      const view = readModelView(onTheWire(choose(tool)));
      return Array.from(view, ([key, action]) => [`${name}.${key}`, action]);
    });
    expect(Object.fromEntries(views)).toEqual(expected);
  });
});

test.each([
  ["a required field", "delete(userId, reason)", "delete(userId)"],
  ["an optional field", "list(page?, limit?, role?)", "list(page?, limit?)"],
  ["a warning", " ⚠️ DESTRUCTIVE", ""],
])("first-run-c8: the reader notices a description without %s", (_what, shown, hidden) => {
  const users = AREAS.find(({ name }) => name === "users");
  const tool = createTool("platform").group("users", (group) => {
    for (const action of users?.actions ?? []) group.action(action);
  });
  const definition = onTheWire(tool);
  const description = definition.description?.replace(shown, hidden);
  expect(description).not.toBe(definition.description);
  expect(toRecord(readModelView({ ...definition, description }))).not.toEqual(
    toRecord(readModelView(definition)),
  );
});

/** Field names and their types. Every action that has a field uses the same type. */
const KINDS: Readonly<Record<string, (values: readonly string[]) => z.ZodType>> = {
  id: () => z.string().describe("ID of the item"),
  count: () => z.int(),
  ratio: () => z.number().describe("From 0 to 1."),
  flag: () => z.boolean(),
  tags: () => z.array(z.string()).describe("Which ones?"),
  day: () => z.iso.date(),
  note: () => z.string().nullable(),
  state: (values) => z.enum(values).describe("State of the item"),
  states: (values) => z.array(z.enum(values)),
  maybe: (values) => z.enum(values).nullable(),
  fallback: () => z.string().default("x"),
};

const someFields = fc.dictionary(
  fc.constantFrom(...Object.keys(KINDS)),
  fc.record({
    required: fc.boolean(),
    values: fc.subarray(["open", "done", "late", "two words", "a, b"], { minLength: 1 }),
  }),
  { maxKeys: 6, noNullPrototype: true },
);

const somePlan = fc.record({
  hasGroup: fc.boolean(),
  toon: fc.boolean(),
  common: fc.option(fc.record({ tenant: fc.boolean(), trace: fc.boolean() }), { nil: undefined }),
  about: fc.constantFrom(undefined, "People who have an account", "Money: in and out."),
  actions: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("list", "get", "create", "drop_all", "__proto__", "日本"),
      group: fc.constantFrom("users", "billing", "x-1"),
      description: fc.constantFrom(undefined, "", "Show it", "Show it.", "Show it (all of it): really"),
      destructive: fc.boolean(),
      fields: fc.option(someFields, { nil: undefined }),
      redeclaresTrace: fc.boolean(),
    }),
    { selector: ({ group, name }) => `${group}.${name}`, minLength: 1, maxLength: 8 },
  ),
});
type Plan = typeof somePlan extends fc.Arbitrary<infer T> ? T : never;

const optionalUnless = (required: boolean, schema: z.ZodType) => (required ? schema : schema.optional());

/** Creates a tool, and the fields that a model must find in it. */
function createRandom({ hasGroup, toon, common, about, actions }: Plan) {
  const tool = createTool("t");
  const commonSchema =
    common &&
    z.object({
      tenant: optionalUnless(common.tenant, z.string()),
      trace: optionalUnless(common.trace, z.boolean()),
    });
  if (commonSchema !== undefined) tool.commonSchema(commonSchema);
  const names = new Set<string>();
  const expected: [string, SeenAction][] = [];
  for (const { name, group, fields, redeclaresTrace, description, destructive } of actions) {
    const key = hasGroup ? `${group}.${name}` : name;
    if (names.has(key)) continue;
    names.add(key);
    const shape = Object.fromEntries(
      Object.entries(fields ?? {}).map(([field, { required, values }]) => [
        field,
        optionalUnless(required, (KINDS[field] ?? z.string)(values)),
      ]),
    );
    if (redeclaresTrace && common !== undefined) shape["trace"] = z.boolean();
    const schema = fields === undefined && !redeclaresTrace ? undefined : z.object(shape);
    const action = {
      name,
      destructive,
      ...(description === undefined ? {} : { description }),
      ...(schema === undefined ? {} : { schema }),
      handler: () => "",
    };
    if (!hasGroup) tool.action(action);
    else if (about === undefined) tool.group(group, (g) => g.action(action));
    else tool.group(group, about, (g) => g.action(action));
    expected.push([key, { destructive, fields: expectedFields(commonSchema, schema) }]);
  }
  return { tool: toon ? tool.toonDescription() : tool, expected: Object.fromEntries(expected) };
}

test("first-run-c8: a model can read every field of any grouped tool", { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(somePlan, (plan) => {
      const { tool, expected } = createRandom(plan);
      expect(toRecord(readModelView(onTheWire(tool)))).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});
