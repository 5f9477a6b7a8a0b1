import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type ActionGroupBuilder,
  createTool,
  type GroupedToolBuilder,
  ToolRegistry,
} from "../../src/grouped/index.js";
import type { JsonObject } from "@tenon/internal/json";
import { textOf } from "../support/grouped/results.js";

const handler = () => "done";

const fieldsOf = (builder: GroupedToolBuilder) =>
  builder.buildToolDefinition().inputSchema["properties"] as Readonly<Record<string, JsonObject>>;

describe("a group's description", () => {
  const platform = () =>
    createTool("platform")
      .description("Run the platform")
      .group("users", "People who have an account", (g) => g.action({ name: "list", handler }))
      .group("billing", (g) => g.action({ name: "refund", destructive: true, handler }))
      .group("users", "People who have an account", (g) => g.action({ name: "get", handler }))
      .group("users", "Also guests.", (g) => g.action({ name: "invite", handler }));

  test("first-run-c1: the model sees it in the workflow", () => {
    expect(platform().buildToolDefinition().description).toBe(
      [
        "Run the platform. Modules: users (list,get,invite) | billing (refund)",
        "",
        "Workflow:",
        "# users: People who have an account. Also guests.",
        "# billing",
        "refund() ⚠️ DESTRUCTIVE",
      ].join("\n"),
    );
  });

  test("first-run-c1: the model sees it above a TOON table", () => {
    const [summary] = platform().toonDescription().buildToolDefinition().description?.split("\n") ?? [];
    expect(summary).toBe("Run the platform. users: People who have an account. Also guests.");
  });
});

describe("an action name without its group", () => {
  const id = z.object({ id: z.string() });
  const page = z.object({ page: z.number().optional() });
  const platform = createTool("platform")
    .group("users", (g) =>
      g.action({ name: "list", schema: page, handler }).action({ name: "ban", schema: id, handler }),
    )
    .group("billing", (g) =>
      g.action({ name: "refund", handler }).action({ name: "get", schema: id, handler }),
    )
    .group("tasks", (g) =>
      g.action({ name: "list", handler }).action({ name: "get", schema: page, handler }),
    );

  test.each([
    ["ban", {}, 'Did you mean "users.ban"? "users.ban" takes: id (required).'],
    ["BAN", {}, 'Did you mean "users.ban"? "users.ban" takes: id (required).'],
    ["refnd", {}, 'Did you mean "billing.refund"? "billing.refund" takes no fields.'],
    ["list", {}, 'Did you mean "users.list" or "tasks.list"?'],
    ["list", { page: 2 }, 'Did you mean "users.list"? "users.list" takes: page.'],
    ["get", { id: "7" }, 'Did you mean "billing.get"? "billing.get" takes: id (required).'],
    ["users_list", {}, 'Did you mean "users.list"? "users.list" takes: page.'],
  ])("first-run-c2: %s with %j is suggested in full", async (action, args, hint) => {
    const [, second] = textOf(await platform.execute(undefined, { action, ...args })).split("\n");
    expect(second).toBe(hint);
  });

  test("first-run-c2: many actions with this name are counted, and long names are not searched", async () => {
    const many = createTool("t");
    for (let index = 0; index < 20; index++)
      many.group(`g${index}`, (g) => g.action({ name: "list", handler }));
    const [, second] = textOf(await many.execute(undefined, { action: "list" })).split("\n");
    expect(second).toBe(
      `Did you mean ${Array.from({ length: 8 }, (_, index) => `"g${index}.list"`).join(", ")}, or one of 12 others?`,
    );
    const long = textOf(await many.execute(undefined, { action: "list".repeat(1_000) }));
    expect(long.split("\n")).toHaveLength(1);
  });
});

describe("a required common field", () => {
  test("first-run-c3: only an action's own fields add it to the workflow", () => {
    const tool = createTool("users").commonSchema(z.object({ tenant: z.string() }));
    for (const name of ["list", "count", "clear"]) tool.action({ name, handler });
    tool.action({ name: "get", schema: z.object({ id: z.string() }), handler });
    expect(tool.buildToolDefinition().description).toBe(
      "users. Actions: list, count, clear, get\n\nWorkflow:\n- 'get': Requires: tenant, id",
    );
  });

  test("first-run-c3: a tool with groups names it once", () => {
    const tool = createTool("t")
      .commonSchema(z.object({ tenant: z.string(), trace: z.string().optional() }))
      .group("users", (g) =>
        g
          .action({ name: "list", handler })
          .action({ name: "get", schema: z.object({ id: z.string() }), handler }),
      );
    expect(tool.buildToolDefinition().description).toBe(
      "t. Modules: users (list,get)\n\nWorkflow:\nEvery action requires: tenant\n# users\nget(id)",
    );
    expect(fieldsOf(tool)).toMatchObject({
      tenant: { description: "(always required)" },
      trace: { description: "For: all actions" },
      id: { description: "Required for: users" },
    });
  });
});

describe("different enums of one field", () => {
  const actions = (first: z.ZodType, second: z.ZodType) =>
    createTool("t")
      .action({ name: "list", schema: z.object({ state: first }), handler: (_ctx, args) => args })
      .action({ name: "set", schema: z.object({ state: second }), handler: (_ctx, args) => args });

  test("first-run-c4: the model sees all values, and the values of each action", async () => {
    const tool = actions(
      z.enum(["open", "done"]).describe("State of the task"),
      z.enum(["done", "archived"]),
    );
    expect(fieldsOf(tool)["state"]).toEqual({
      type: "string",
      enum: ["open", "done", "archived"],
      description:
        "State of the task. Values for list: open, done. Values for set: done, archived. Required for: list, set",
    });
    expect((await tool.execute(undefined, { action: "set", state: "archived" })).isError).toBeUndefined();
    expect((await tool.execute(undefined, { action: "list", state: "archived" })).isError).toBe(true);
  });

  test.each([
    ["an enum and a literal", z.enum(["a", "b"]), z.literal("c"), { enum: ["a", "b", "c"] }],
    ["two literals", z.literal("a"), z.literal("b"), { enum: ["a", "b"] }],
    ["numbers", z.literal([1, 2]), z.literal(3), { enum: [1, 2, 3] }],
    [
      "lists",
      z.array(z.enum(["a"])),
      z.array(z.enum(["b"])),
      { items: { type: "string", enum: ["a", "b"] } },
    ],
    [
      "nullable enums",
      z.enum(["a"]).nullable(),
      z.enum(["b"]).nullable(),
      { anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }] },
    ],
    [
      "named enums",
      z.enum(["a"]).meta({ id: "First" }),
      z.enum(["b"]).meta({ id: "Second" }),
      { enum: ["a", "b"] },
    ],
  ])("first-run-c4: %s are merged", (_what, first, second, expected) => {
    const state = fieldsOf(actions(first, second))["state"];
    expect(state).toMatchObject(expected);
    expect(state).not.toHaveProperty("const");
    expect(state).not.toHaveProperty("$ref");
  });

  test("first-run-c4: an action that accepts all values is not listed", () => {
    const tool = actions(z.enum(["a", "b"]), z.enum(["b"]));
    expect(fieldsOf(tool)["state"]).toMatchObject({
      enum: ["a", "b"],
      description: "Values for set: b. Required for: list, set",
    });
  });

  test("first-run-c4: an action can restrict a common enum, but not extend it", () => {
    const tool = (own: z.ZodType) =>
      createTool("t")
        .commonSchema(z.object({ unit: z.enum(["km", "mi"]) }))
        .action({ name: "a", handler })
        .action({ name: "b", schema: z.object({ unit: own }), handler });
    expect(fieldsOf(tool(z.enum(["mi", "ft"])))["unit"]).toEqual({
      type: "string",
      enum: ["km", "mi"],
      description: "Values for b: mi. (always required)",
    });
    expect(() => tool(z.enum(["ft"])).buildToolDefinition()).toThrow(
      'Schema conflict for field "unit" in action "b": the common schema does not allow any of its enum values.',
    );
  });
});

describe("a field that accepts absence", () => {
  const shape = {
    fallback: z.string().catch("none"),
    prepared: z.preprocess((value) => value ?? "none", z.string()),
    strict: z.preprocess((value) => (typeof value === "string" ? value.trim() : value), z.string()),
    any: z.unknown(),
  };
  const tool = () =>
    createTool("t").action({
      name: "a",
      schema: z.object(shape),
      handler: (_ctx, args) => Object.keys(args).join(),
    });

  test("first-run-c5: it is optional everywhere, and the action runs without it", async () => {
    const built = tool();
    expect(built.getActionMetadata()[0]?.requiredFields).toEqual(["strict", "any"]);
    expect(fieldsOf(built)).toMatchObject({
      fallback: { description: "For: a" },
      prepared: { description: "For: a" },
      strict: { description: "Required for: a" },
      any: { description: "Required for: a" },
    });
    expect(built.getCallableTools("flat")[0]?.definition.inputSchema["required"]).toEqual(["strict", "any"]);
    expect((await built.execute(undefined, { action: "a", strict: "x", any: 1 })).isError).toBeUndefined();
    expect((await built.execute(undefined, { action: "a", any: 1 })).isError).toBe(true);
  });

  test("first-run-c5: a function that throws for a missing value makes only its own field required", () => {
    const throwing = z.preprocess((value) => (value as string).trim(), z.string());
    const built = createTool("t").action({ name: "a", schema: z.object({ ...shape, throwing }), handler });
    expect(built.getActionMetadata()[0]?.requiredFields).toEqual(["strict", "any", "throwing"]);
  });

  test("first-run-c5: an asynchronous schema still works, and no check runs for plain fields", async () => {
    let runs = 0;
    const count = () => ++runs > 0;
    const plain = createTool("t").action({
      name: "a",
      schema: z.object({ id: z.string().refine(count) }).refine(count),
      handler,
    });
    plain.buildToolDefinition();
    expect(runs).toBe(0);
    const late = z.object({ fallback: z.string().catch("none"), id: z.string().refine(async () => count()) });
    const built = createTool("t").action({ name: "a", schema: late, handler });
    expect(built.getActionMetadata()[0]?.requiredFields).toEqual(["id"]);
    expect((await built.execute(undefined, { action: "a", id: "7" })).isError).toBeUndefined();
  });
});

describe("mixing actions and groups", () => {
  const fill = (g: ActionGroupBuilder) => g.action({ name: "list", handler });
  const message =
    'Cannot use .action() and .group() on the same builder "platform".\n' +
    "Use .action() for flat tools OR .group() for hierarchical tools.";

  test("first-run-c7: the text is the same in both directions", () => {
    const grouped = createTool("platform").group("users", fill);
    expect(() => grouped.action({ name: "list", handler })).toThrow(new Error(message));
    const flat = createTool("platform").action({ name: "list", handler });
    expect(() => flat.group("users", fill)).toThrow(new Error(message));
  });
});

test("first-run-c8: with a custom description, the fields list their actions", () => {
  const tool = createTool("t", { strategies: { description: ({ name }) => name } }).group("users", (g) =>
    g
      .action({ name: "get", schema: z.object({ id: z.string() }), handler })
      .action({ name: "list", schema: z.object({ id: z.string().optional() }), handler }),
  );
  expect(tool.buildToolDefinition().description).toBe("t");
  expect(fieldsOf(tool)["id"]?.["description"]).toBe("Required for: users.get. For: users.list");
});

describe("keywords that a library adds", () => {
  const definition = (schema: z.ZodType) => {
    const tool = createTool("t").action({ name: "a", schema: z.object({ f: schema }), handler });
    const { description: _description, ...rest } = fieldsOf(tool)["f"] ?? {};
    return rest;
  };

  test.each<readonly [string, z.ZodType, JsonObject]>([
    ["email", z.email(), { type: "string", format: "email" }],
    ["date", z.iso.date(), { type: "string", format: "date" }],
    ["date-time with offset", z.iso.datetime({ offset: true }), { type: "string", format: "date-time" }],
    ["duration", z.iso.duration(), { type: "string", format: "duration" }],
    ["uuid", z.uuid(), { type: "string", format: "uuid" }],
    ["ipv4", z.ipv4(), { type: "string", format: "ipv4" }],
    ["ipv6", z.ipv6(), { type: "string", format: "ipv6" }],
    ["hostname", z.hostname(), { type: "string", format: "hostname" }],
    ["integer", z.int(), { type: "integer" }],
    ["positive integer", z.int().min(1), { type: "integer", minimum: 1 }],
    ["list of emails", z.array(z.email()), { type: "array", items: { type: "string", format: "email" } }],
  ])("first-run-c8: the pattern or limit of %s is not shown", (_what, schema, expected) => {
    expect(definition(schema)).toEqual(expected);
  });

  test.each<readonly [string, z.ZodType, JsonObject]>([
    [
      "a developer's pattern for a format",
      z.email({ pattern: /@corp\.example$/ }),
      { pattern: "@corp\\.example$" },
    ],
    ["a developer's pattern", z.string().regex(/^[A-Z]{3}$/), { pattern: "^[A-Z]{3}$" }],
    ["a date-time that must end with Z", z.iso.datetime(), { pattern: expect.stringContaining("(?:Z)") }],
    ["one version of UUID", z.uuidv4(), { pattern: expect.stringContaining("-4[0-9a-fA-F]{3}") }],
    ["a developer's limits", z.int().min(-5).max(2_147_483_647), { minimum: -5, maximum: 2_147_483_647 }],
  ])("first-run-c8: the model sees %s", (_what, schema, expected) => {
    expect(definition(schema)).toMatchObject(expected);
  });

  test("first-run-c8: calls are still checked against the whole schema", async () => {
    const tool = createTool("t").action({ name: "a", schema: z.object({ day: z.iso.date() }), handler });
    expect((await tool.execute(undefined, { action: "a", day: "2026-02-30" })).isError).toBe(true);
  });
});

describe("unknown options", () => {
  const config = { name: "ban", handler };
  const add = (option: object) => () => createTool("t").action({ ...config, ...option });
  const addToGroup = (option: object) => () =>
    createTool("t").group("users", (g) => g.action({ ...config, ...option }));

  const CASES: readonly (readonly [() => unknown, string])[] = [
    [add({ input: z.object({}) }), 'Action "ban": unknown option `input`. Did you mean `schema`?'],
    [
      add({ inputSchema: z.object({}) }),
      'Action "ban": unknown option `inputSchema`. Did you mean `schema`?',
    ],
    [
      addToGroup({ input: z.object({}) }),
      'Action "users.ban": unknown option `input`. Did you mean `schema`?',
    ],
    [add({ readonly: true }), 'Action "ban": unknown option `readonly`. Did you mean `readOnly`?'],
    [
      add({ destructiveHint: true }),
      'Action "ban": unknown option `destructiveHint`. Did you mean `destructive`?',
    ],
    [add({ scope: ["admin"] }), 'Action "ban": unknown option `scope`. Did you mean `scopes`?'],
    [
      () => createTool("t", { strategy: {} } as object),
      'Builder "t": unknown option `strategy`. Did you mean `strategies`?',
    ],
    [
      () => createTool("t", { strategies: { descripton: () => "" } as object }),
      'Builder "t": `strategies`: unknown option `descripton`. Did you mean `description`?',
    ],
    [
      () => createTool("t").annotations({ readOnly: true } as object),
      'Builder "t": annotations: unknown option `readOnly`. Did you mean `readOnlyHint`?',
    ],
    [
      () => createTool("t").toonDescription({ delimeter: "," } as object),
      'Builder "t": toonDescription: unknown option `delimeter`. Did you mean `delimiter`?',
    ],
    [
      () => new ToolRegistry().attachToServer({ setRequestHandler: () => {} }, { context: {} } as object),
      "attachToServer: unknown option `context`. Did you mean `contextFactory`?",
    ],
  ];

  test.each(CASES.map(([act, message]) => ({ act, message })))(
    "first-run-a3: $message",
    ({ act, message }) => {
      expect(act).toThrow(new TypeError(message));
    },
  );

  test("first-run-a3: a configuration that is not an object is rejected", () => {
    expect(() => createTool("t").action("list" as never)).toThrow(
      new Error(".action() requires an options object; got a string."),
    );
  });
});
