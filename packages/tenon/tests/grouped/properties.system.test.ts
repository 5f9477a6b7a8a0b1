import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as fc from "fast-check";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type ActionMiddleware, createTool, type GroupedToolBuilder } from "../../src/grouped/index.js";
import type { JsonObject } from "@tenon/internal/json";
import type { StandardSchema } from "../../src/schema/schema.js";

/** Number of generated builders, split evenly among the kinds of schemas. */
const BUILDERS = 10_000;
const FIELDS = ["id", "email", "limit", "toString"] as const;

/** A schema's fields by name. The value is true for required fields. */
type Fields = Readonly<Record<string, boolean>>;

const mapFields = <T>(fields: Fields, make: (name: string, required: boolean) => readonly [string, T]) =>
  Object.fromEntries(Object.entries(fields).map(([name, required]) => make(name, required)));
const zodShape = (fields: Fields) =>
  mapFields(fields, (name, required) => [name, required ? z.string() : z.string().optional()]);

const KINDS: Readonly<Record<string, (fields: Fields) => StandardSchema>> = {
  "plain Zod": (fields) => z.object(zodShape(fields)),
  "loose Zod": (fields) => z.looseObject(zodShape(fields)),
  "strict Zod": (fields) => z.strictObject(zodShape(fields)),
  Valibot: (fields) =>
    toStandardJsonSchema(
      v.object(mapFields(fields, (name, required) => [name, required ? v.string() : v.optional(v.string())])),
    ),
  ArkType: (fields) =>
    type(mapFields(fields, (name, required) => [required ? name : `${name}?`, "string"]) as { id: "string" }),
};

/** Cache of schemas for each set of fields, because converting them is not tested here. */
const made = new Map<string, StandardSchema>();
function schemaOf(kind: string, fields: Fields): StandardSchema {
  const key = JSON.stringify([kind, fields]);
  const schema = made.get(key) ?? KINDS[kind]?.(fields);
  if (schema === undefined) throw new Error(`no schemas of kind ${kind}`);
  made.set(key, schema);
  return schema;
}

const someFields: fc.Arbitrary<Fields> = fc
  .array(fc.constantFrom("absent", "optional", "required"), {
    minLength: FIELDS.length,
    maxLength: FIELDS.length,
  })
  .map((states) =>
    Object.fromEntries(
      FIELDS.flatMap((name, index) =>
        states[index] === "absent" ? [] : [[name, states[index] === "required"]],
      ),
    ),
  );
const action = fc.record({
  name: fc.constantFrom("list", "get", "create", "__proto__", "constructor", "a b", "日本"),
  group: fc.constantFrom("users", "billing", "__proto__"),
  fields: fc.option(someFields, { nil: undefined }),
  layers: fc.nat(2),
  destructive: fc.boolean(),
  idempotent: fc.boolean(),
  readOnly: fc.boolean(),
});
const plans = fc.record({
  hasGroup: fc.boolean(),
  common: fc.option(someFields, { nil: undefined }),
  discriminator: fc.constantFrom("action", "operation"),
  actions: fc.uniqueArray(action, {
    selector: ({ group, name }) => `${group}.${name}`,
    minLength: 1,
    maxLength: 6,
  }),
  globalLayers: fc.nat(2),
  chosen: fc.nat(),
  sent: fc.record({ id: fc.string(), role: fc.boolean(), toString: fc.constant("x") }, { requiredKeys: [] }),
});
type Plan = typeof plans extends fc.Arbitrary<infer T> ? T : never;

/** Recorded builder calls. */
interface Trace {
  readonly steps: string[];
  readonly handled: JsonObject[];
}

function noting({ steps }: Trace, label: string, discriminator: string): ActionMiddleware {
  return (_ctx, args, next) => (steps.push(`${label} ${String(args[discriminator])}`), next());
}

function build(kind: string, plan: Plan, trace: Trace) {
  const builder: GroupedToolBuilder = createTool("t").discriminator(plan.discriminator);
  const layersOf = (label: string, count: number) =>
    Array.from({ length: count }, (_, index) => noting(trace, `${label}${index}`, plan.discriminator));
  if (plan.common !== undefined) builder.commonSchema(schemaOf(kind, plan.common));
  const flatNames = new Set<string>();
  const actions = plan.actions.filter(
    ({ name }) => plan.hasGroup || (!flatNames.has(name) && flatNames.add(name)),
  );
  for (const { name, group, fields, layers, ...hints } of actions) {
    const config = {
      name,
      ...hints,
      ...(fields === undefined ? {} : { schema: schemaOf(kind, fields) }),
      handler: (_ctx: unknown, args: unknown) => void trace.handled.push(args as JsonObject),
    };
    if (!plan.hasGroup) builder.action({ ...config, middleware: layersOf("own", layers) });
    else builder.group(group, (g) => g.use(...layersOf("group", layers)).action(config));
  }
  builder.use(...layersOf("global", plan.globalLayers));
  return { builder, actions };
}

const requiredOf = (fields: Fields | undefined) =>
  Object.keys(fields ?? {}).filter((name) => fields?.[name] === true);

function checkDefinition(plan: Plan, { builder, actions }: ReturnType<typeof build>): readonly string[] {
  const { inputSchema, annotations } = builder.buildToolDefinition();
  const keys = actions.map(({ group, name }) => (plan.hasGroup ? `${group}.${name}` : name));
  expect(builder.getActionNames()).toEqual(keys);
  expect(new Set(keys).size).toBe(keys.length);
  const properties = inputSchema["properties"] as Readonly<Record<string, { readonly enum?: unknown }>>;
  expect(properties[plan.discriminator]?.enum).toEqual(keys);
  // ArkType sorts required fields itself.
  expect((inputSchema["required"] as readonly string[]).toSorted()).toEqual(
    [plan.discriminator, ...requiredOf(plan.common)].toSorted(),
  );
  expect(Object.keys(properties).toSorted()).toEqual(
    [
      plan.discriminator,
      ...FIELDS.filter((name) =>
        [plan.common, ...actions.map(({ fields }) => fields)].some(
          (one) => one !== undefined && Object.hasOwn(one, name),
        ),
      ),
    ].toSorted(),
  );
  expect(builder.getActionMetadata().map(({ requiredFields }) => requiredFields.toSorted())).toEqual(
    actions.map(({ fields }) => [...new Set([...requiredOf(plan.common), ...requiredOf(fields)])].toSorted()),
  );
  expect(annotations).toEqual({
    readOnlyHint: actions.every(({ readOnly }) => readOnly),
    destructiveHint: actions.some(({ destructive }) => destructive),
    idempotentHint: actions.every(({ idempotent }) => idempotent),
  });
  return keys;
}

describe.each(Object.keys(KINDS))("any builder with schemas of %s", (kind) => {
  test("F20, F39, F40, F41, F45, F47, F55, F59: meets its guarantees", async () => {
    const settings = { numRuns: BUILDERS / Object.keys(KINDS).length };
    let ran = 0;
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const trace: Trace = { steps: [], handled: [] };
        const built = build(kind, plan, trace);
        const keys = checkDefinition(plan, built);

        const index = plan.chosen % keys.length;
        const key = keys[index] ?? "";
        const chosen = built.actions[index];
        const declared = { ...chosen?.fields, ...plan.common };
        const required = new Set([...requiredOf(plan.common), ...requiredOf(chosen?.fields)]);
        const args: Record<string, unknown> = { ...plan.sent };
        for (const name of required) if (!Object.hasOwn(args, name)) args[name] = "given";
        const result = await built.builder.execute(undefined, { ...args, [plan.discriminator]: key });

        const unknown = Object.keys(args).filter((name) => !Object.hasOwn(declared, name));
        const hasSchema = chosen?.fields !== undefined || plan.common !== undefined;
        if (kind === "strict Zod" && hasSchema && unknown.length > 0) {
          expect(result.isError).toBe(true);
          expect(trace).toEqual({ steps: [], handled: [] });
          return;
        }
        ran++;
        expect(result).toEqual({ content: [] });
        const passed = Object.fromEntries(
          Object.entries(args).filter(([name]) => Object.hasOwn(declared, name)),
        );
        expect(trace.handled.map((handled) => ({ ...handled }))).toEqual([passed]);
        const inner = plan.hasGroup ? "group" : "own";
        expect(trace.steps).toEqual([
          ...["global0", "global1"].slice(0, plan.globalLayers).map((label) => `${label} ${key}`),
          ...[`${inner}0`, `${inner}1`].slice(0, chosen?.layers).map((label) => `${label} ${key}`),
        ]);
      }),
      settings,
    );
    expect(ran).toBeGreaterThan(settings.numRuns / 20);
  });
});
