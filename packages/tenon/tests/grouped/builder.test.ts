import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import {
  type ActionMiddleware,
  createTool,
  DEFAULT_STRATEGIES,
  GroupedToolBuilder,
  type Strategies,
} from "../../src/grouped/index.js";
import { RETURN_DIRECT_META } from "../../src/protocol/definitions.js";
import type { StandardSchema } from "../../src/schema/schema.js";
import { text } from "../support/grouped/results.js";

const nothing = () => "done";

const platform = () =>
  createTool("platform")
    .description("Run the platform")
    .commonSchema(z.object({ tenant: z.string().describe("Whose data") }))
    .group("users", "People", (g) =>
      g.action({ name: "list", readOnly: true, idempotent: true, handler: nothing }).action({
        name: "ban",
        description: "Lock a user out",
        schema: z.object({ id: z.string(), reason: z.string().optional() }),
        destructive: true,
        handler: nothing,
      }),
    )
    .group("billing", (g) =>
      g.action({ name: "refund", schema: z.object({ id: z.string() }), handler: nothing }),
    );

describe("many operations as one tool", () => {
  test("F13, F15, F16: the complete definition", () => {
    expect(platform().buildToolDefinition()).toEqual({
      name: "platform",
      description: [
        "Run the platform. Modules: users (list,ban) | billing (refund)",
        "",
        "Workflow:",
        "Every action requires: tenant",
        "# users: People",
        "ban(id, reason?): Lock a user out ⚠️ DESTRUCTIVE",
        "# billing",
        "refund(id)",
      ].join("\n"),
      inputSchema: {
        type: "object",
        properties: {
          action: {
            type: "string",
            enum: ["users.list", "users.ban", "billing.refund"],
            description: "Module and operation (module.action format)",
          },
          tenant: { type: "string", description: "Whose data. (always required)" },
          id: { type: "string", description: "Required for: users, billing" },
          reason: { type: "string", description: "For: users" },
        },
        required: ["action", "tenant"],
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    });
  });

  test("F13: createTool and the class create the same tool", () => {
    const made = createTool("t").action({ name: "a", handler: nothing });
    const constructed = new GroupedToolBuilder("t").action({ name: "a", handler: nothing });
    expect(made).toBeInstanceOf(GroupedToolBuilder);
    expect(constructed.buildToolDefinition()).toEqual(made.buildToolDefinition());
  });

  test("F13: a tool without a description, schema, or hints", () => {
    expect(createTool("t").action({ name: "a", handler: nothing }).buildToolDefinition()).toEqual({
      name: "t",
      description: "t. Actions: a",
      inputSchema: {
        type: "object",
        properties: { action: { type: "string", enum: ["a"], description: "Which operation to perform" } },
        required: ["action"],
      },
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    });
  });

  test("F16: building again returns the same definition", () => {
    const builder = platform();
    expect(builder.buildToolDefinition()).toBe(builder.buildToolDefinition());
  });

  test("F16, F35: with TOON, the actions are in a table", () => {
    const builder = createTool("t").action({ name: "a", description: "Do", handler: nothing });
    expect(builder.toonDescription().buildToolDefinition().description).toBe(
      't\n\n[1|]{action|desc|required|destructive}:\n  a|Do|""|false',
    );
  });

  test("F12, F42: explicit hints win, and returnDirect is sent in _meta", () => {
    const { annotations, _meta } = createTool("t")
      .annotations({ title: "T", openWorldHint: true, destructiveHint: false, returnDirect: true })
      .action({ name: "a", destructive: true, handler: nothing })
      .buildToolDefinition();
    expect(annotations).toEqual({
      title: "T",
      openWorldHint: true,
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
    });
    expect(_meta).toEqual({ [RETURN_DIRECT_META]: true });
  });

  test("F20, F58: the discriminator can have a different name", async () => {
    const builder = createTool("t").discriminator("operation").action({ name: "a", handler: nothing });
    const { inputSchema } = builder.buildToolDefinition();
    expect(Object.keys(inputSchema["properties"] ?? {})).toEqual(["operation"]);
    expect(inputSchema["required"]).toEqual(["operation"]);
    expect(await builder.execute(undefined, { operation: "a" })).toEqual(text("done"));
  });

  test("F55: strict() forbids additional properties in the schema", () => {
    const builder = createTool("t").strict().action({ name: "a", handler: nothing });
    expect(builder.buildToolDefinition().inputSchema["additionalProperties"]).toBe(false);
    const [flat] = builder.getCallableTools("flat");
    expect(flat?.definition.inputSchema["additionalProperties"]).toBe(false);
  });
});

describe("F15, F18: each of the six strategies can be replaced", () => {
  const builderWith = (strategies: Partial<Strategies>) =>
    createTool("t", { strategies }).action({
      name: "a",
      schema: z.object({ id: z.string() }),
      handler: nothing,
    });

  test("the schema", () => {
    const inputSchema = { type: "object", properties: { action: { const: "a" } } };
    expect(builderWith({ inputSchema: () => inputSchema }).buildToolDefinition().inputSchema).toEqual(
      inputSchema,
    );
  });

  test("the description", () => {
    const description: Strategies["description"] = ({ name, actions }) => `${name} of ${actions.length}`;
    expect(builderWith({ description }).buildToolDefinition().description).toBe("t of 1");
  });

  test("the description with TOON", () => {
    const toonDescription: Strategies["toonDescription"] = ({ name }, encode) => `${name} ${encode(1)}`;
    const builder = builderWith({ toonDescription }).toonDescription();
    expect(builder.buildToolDefinition().description).toBe("t 1");
  });

  test("the hints", () => {
    const annotations: Strategies["annotations"] = () => ({
      readOnlyHint: true,
      destructiveHint: true,
      idempotentHint: true,
    });
    expect(builderWith({ annotations }).buildToolDefinition().annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: true,
      idempotentHint: true,
    });
  });

  test("the chains", async () => {
    const middleware: Strategies["middleware"] = (actions) =>
      new Map(actions.map(({ key }) => [key, () => text(`chain of ${key}`)]));
    expect(await builderWith({ middleware }).execute(undefined, { action: "a", id: "1" })).toEqual(
      text("chain of a"),
    );
  });

  test("F48: the required fields, for the metadata and both descriptions", () => {
    const requiredFields: Strategies["requiredFields"] = ({ key }) => [`${key}1`, `${key}2`];
    expect(builderWith({ requiredFields }).getActionMetadata()[0]?.requiredFields).toEqual(["a1", "a2"]);
    expect(builderWith({ requiredFields }).buildToolDefinition().description).toContain("Requires: a1, a2");
    expect(builderWith({ requiredFields }).toonDescription().buildToolDefinition().description).toContain(
      "a1,a2",
    );
  });

  test("a compiler that omits an action is rejected at build time", () => {
    expect(() => builderWith({ middleware: () => new Map() }).buildToolDefinition()).toThrow(
      new Error('Tool "t": the middleware strategy did not return a chain for action "a".'),
    );
  });

  test("and the defaults cannot be changed globally", () => {
    expect(Object.isFrozen(DEFAULT_STRATEGIES)).toBe(true);
  });
});

describe("F14: everything known at build time is computed at build time", () => {
  test("no strategy and no conversion runs in a call", async () => {
    const strategies = {
      inputSchema: vi.fn(DEFAULT_STRATEGIES.inputSchema),
      description: vi.fn(DEFAULT_STRATEGIES.description),
      annotations: vi.fn(DEFAULT_STRATEGIES.annotations),
      middleware: vi.fn(DEFAULT_STRATEGIES.middleware) as Strategies["middleware"],
    };
    const schema = z.object({ id: z.string() });
    const convert = vi.spyOn(schema["~standard"].jsonSchema, "input");
    const builder = createTool("t", { strategies }).action({ name: "a", schema, handler: nothing });
    builder.buildToolDefinition();
    const ran = () => Object.values(strategies).map((strategy) => vi.mocked(strategy).mock.calls.length);
    expect(ran()).toEqual([1, 1, 1, 1]);
    expect(convert).toHaveBeenCalledTimes(1);
    await builder.execute(undefined, { action: "a", id: "1" });
    await builder.execute(undefined, { action: "a" });
    expect(ran()).toEqual([1, 1, 1, 1]);
    expect(convert).toHaveBeenCalledTimes(1);
  });

  test("F50: the first call builds", async () => {
    const builder = createTool("t").action({ name: "a", handler: nothing });
    expect(await builder.execute(undefined, { action: "a" })).toEqual(text("done"));
    expect(() => builder.tags("late")).toThrow("is frozen after buildToolDefinition()");
  });
});

describe("a tool that cannot be built reports the reason", () => {
  // Casts write what only JavaScript allows.
  const layer = "no function" as unknown as ActionMiddleware;

  test.each<readonly [what: string, build: () => unknown, message: string]>([
    [
      "no name",
      () => createTool(""),
      "Grouped tool: the name must be a non-empty string; got an empty string.",
    ],
    ["no actions", () => createTool("x").buildToolDefinition(), 'Builder "x" has no actions registered.'],
    [
      "no handler",
      () => createTool("x").action({ name: "a", handler: undefined as unknown as () => string }),
      'Action "a": `handler` is required. Set it to a function.',
    ],
    [
      "an action without a name",
      () => createTool("x").action({ name: "", handler: nothing }),
      "Action name must be a non-empty string; got an empty string.",
    ],
    [
      "a group without a function",
      () => createTool("x").group("g", "People" as unknown as () => void),
      'Group "g": the last argument must be a function that adds the group\'s actions; got undefined.',
    ],
    [
      "a group without actions",
      () => createTool("x").group("g", () => 1),
      'Group "g" has no actions registered. Add at least one with .action().',
    ],
    [
      "a name that is too long",
      () => createTool("x").action({ name: "n".repeat(65), handler: nothing }),
      `Action name "${"n".repeat(32)}…" must be 1 to 64 characters long; got 65.`,
    ],
    [
      "a name with a line break",
      () => createTool("x").group("a\nb", () => 1),
      'Group name "a\\nb" must not contain control characters.',
    ],
    [
      "a discriminator without a name",
      () => createTool("x").discriminator(""),
      'Builder "x": the discriminator must be a non-empty string; got an empty string.',
    ],
    [
      "middleware that is not a function",
      () => createTool("x").use(layer),
      'Builder "x": middleware must be a function; got a string.',
    ],
    [
      "group middleware that is not a function",
      () => createTool("x").group("g", (g) => g.use(layer)),
      'Group "g": middleware must be a function; got a string.',
    ],
    [
      "action middleware that is not a function",
      () => createTool("x").action({ name: "a", middleware: [layer], handler: nothing }),
      'Action "a": middleware must be a function; got a string.',
    ],
    [
      "two common schemas",
      () => createTool("x").commonSchema(z.object({})).commonSchema(z.object({})),
      'Builder "x" already has a common schema. Call .commonSchema() only once.',
    ],
    [
      "an unknown exposition",
      () =>
        createTool("x")
          .action({ name: "a", handler: nothing })
          .toolDrafts({ expose: "both" as "flat" }),
      '`expose` must be "grouped" or "flat"; got "both".',
    ],
    [
      "a field with the discriminator's name",
      () =>
        createTool("x")
          .action({ name: "a", schema: z.object({ action: z.string() }), handler: nothing })
          .buildToolDefinition(),
      'Field "action" in action "a" has the same name as the discriminator. Rename one of them.',
    ],
    [
      "fields of two types",
      () =>
        createTool("x")
          .action({ name: "a", schema: z.object({ id: z.string() }), handler: nothing })
          .action({ name: "b", schema: z.object({ id: z.number() }), handler: nothing })
          .buildToolDefinition(),
      'Schema conflict for field "id" in action "b": it has type "number", but an earlier action declares type "string". ' +
        "All actions sharing a field name must use the same type.",
    ],
    [
      "a Zod 3 schema",
      () =>
        createTool("x")
          .action({ name: "a", schema: z3.object({}) as unknown as StandardSchema, handler: nothing })
          .buildToolDefinition(),
      'Action "a": the schema cannot be converted to JSON Schema. Use zod 4.2 or later; Zod 3 schemas are not supported.',
    ],
    [
      "a schema that is not an object",
      () => createTool("x").action({ name: "a", schema: z.string(), handler: nothing }).buildToolDefinition(),
      'Action "a": the schema must be an object schema with named fields; got a string schema. ' +
        "Use z.object({ … }).",
    ],
    [
      "a schema without named fields, which would drop every field",
      () =>
        createTool("x")
          .action({ name: "a", schema: z.record(z.string(), z.number()), handler: nothing })
          .buildToolDefinition(),
      'Action "a": the schema must be an object schema with named fields; got a record schema. Use z.object({ … }).',
    ],
    [
      "a common schema that is not a schema",
      () =>
        createTool("x")
          .commonSchema({ type: "object" } as unknown as StandardSchema)
          .action({ name: "a", handler: nothing })
          .buildToolDefinition(),
      "The common schema must be a Standard Schema, such as a Zod 4 schema; got an object.",
    ],
  ])("%s", (_what, build, message) => {
    expect(build).toThrow(expect.objectContaining({ message }));
  });

  test("F50: a call to a tool that cannot be built rejects with the reason", async () => {
    await expect(createTool("x").execute(undefined, {})).rejects.toThrow(
      new Error('Builder "x" has no actions registered.'),
    );
  });

  test("F60: a builder that could not be built can be corrected", () => {
    const builder = createTool("x");
    expect(() => builder.buildToolDefinition()).toThrow("no actions");
    builder.action({ name: "a", handler: nothing });
    expect(builder.buildToolDefinition().description).toBe("x. Actions: a");
  });
});
