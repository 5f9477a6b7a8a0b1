import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type ActionConfig,
  type ActionGroupBuilder,
  type ActionMiddleware,
  createTool,
  type GroupedToolBuilder,
  type Strategies,
  ToolRegistry,
} from "../../src/grouped/index.js";
import { defineServer } from "../../src/core/define-server.js";
import { createClient } from "../../src/testing/index.js";
import { text } from "../support/grouped/results.js";

const FROZEN = 'Builder "platform" is frozen after buildToolDefinition(). Cannot modify a built tool.';
const handler = () => "done";
const layer: ActionMiddleware = (_ctx, _args, next) => next();

const flat = () => createTool("platform").action({ name: "list", handler });

/** Returns every object inside a value, including the value itself. */
function objectsIn(value: unknown): readonly object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

describe("after the build", () => {
  const mutators: readonly (readonly [string, (builder: GroupedToolBuilder) => unknown])[] = [
    ["action", (b) => b.action({ name: "more", handler })],
    ["group", (b) => b.group("more", (g) => g.action({ name: "a", handler }))],
    ["use", (b) => b.use(layer)],
    ["description", (b) => b.description("more")],
    ["commonSchema", (b) => b.commonSchema(z.object({ tenant: z.string() }))],
    ["tags", (b) => b.tags("more")],
    ["annotations", (b) => b.annotations({ readOnlyHint: true })],
    ["discriminator", (b) => b.discriminator("more")],
    ["toonDescription", (b) => b.toonDescription()],
    ["strict", (b) => b.strict()],
  ];

  test.each(mutators)("F61, F62: %s() throws", (_name, mutate) => {
    const builder = flat();
    const before = JSON.stringify(builder.buildToolDefinition());
    expect(() => mutate(builder)).toThrow(new Error(FROZEN));
    expect(JSON.stringify(builder.buildToolDefinition())).toBe(before);
    expect(builder.getActionNames()).toEqual(["list"]);
    expect(builder.getTags()).toEqual([]);
  });

  test.each<readonly [string, (builder: GroupedToolBuilder) => unknown]>([
    ["buildToolDefinition", (b) => b.buildToolDefinition()],
    ["execute", (b) => b.execute(undefined, {})],
    ["toolDrafts", (b) => b.toolDrafts()],
    ["getCallableTools", (b) => b.getCallableTools("flat")],
    ["previewPrompt", (b) => b.previewPrompt()],
    ["a registry", (b) => new ToolRegistry().register(b)],
    ["a server", (b) => defineServer({ name: "s", version: "1" }).tools(b)],
  ])("F60: %s freezes it", (_name, build) => {
    const builder = flat();
    build(builder);
    expect(() => builder.tags("late")).toThrow(new Error(FROZEN));
  });

  test("F60: introspection does not", () => {
    const builder = flat();
    builder.getName();
    builder.getTags();
    builder.getActionNames();
    builder.getActionMetadata();
    expect(builder.tags("later").getTags()).toEqual(["later"]);
  });

  test.each(mutators)("F60, F61: %s() also throws while strategies run", (_name, mutate) => {
    const thrown: unknown[] = [];
    const description: Strategies["description"] = () => {
      try {
        mutate(builder);
      } catch (error) {
        thrown.push(error);
      }
      return "";
    };
    const builder = createTool("platform", { strategies: { description } }).action({ name: "list", handler });
    builder.buildToolDefinition();
    expect(thrown).toEqual([new Error(FROZEN)]);
    expect(builder.getActionNames()).toEqual(["list"]);
  });
});

describe("F63: the freeze cannot be bypassed:", () => {
  test("F60: the definition is deeply frozen", () => {
    const definition = createTool("platform")
      .commonSchema(z.object({ where: z.object({ city: z.enum(["Riga", "Bern"]) }) }))
      .annotations({ title: "P", returnDirect: true })
      .action({ name: "list", schema: z.object({ tags: z.array(z.string()) }), handler })
      .buildToolDefinition();
    const objects = objectsIn(definition);
    expect(objects.length).toBeGreaterThan(10);
    expect(objects.filter((one) => !Object.isFrozen(one))).toEqual([]);
  });

  test("the definitions of flat tools are deeply frozen too", () => {
    const tools = flat().getCallableTools("flat");
    expect(
      objectsIn(tools.map(({ definition }) => definition))
        .slice(1)
        .every(Object.isFrozen),
    ).toBe(true);
  });

  test("F60: a definition cannot be written to", () => {
    const builder = flat();
    const definition = builder.buildToolDefinition();
    expect(() => Object.assign(definition, { description: "evil" })).toThrow(TypeError);
    const schema = definition.inputSchema as { properties: { action: { enum: string[] } } };
    expect(() => schema.properties.action.enum.push("evil")).toThrow(TypeError);
    expect(builder.buildToolDefinition().description).toBe("platform. Actions: list");
  });

  test("the builder does not have public state", () => {
    const builder = flat();
    expect(Reflect.ownKeys(builder)).toEqual([]);
    const reached = builder as unknown as Record<string, unknown>;
    expect([reached["_actions"], reached["_frozen"], reached["_cachedTool"]]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    Object.assign(builder, { _frozen: false, _actions: [], _cachedTool: undefined });
    builder.buildToolDefinition();
    Object.assign(builder, { _frozen: false, _actions: [], _cachedTool: undefined });
    expect(() => builder.action({ name: "evil", handler })).toThrow(new Error(FROZEN));
    expect(builder.getActionNames()).toEqual(["list"]);
  });

  test("copies of the builder, and its methods on a different object, do not work", () => {
    const builder = flat();
    builder.buildToolDefinition();
    const copy = Object.assign(
      Object.create(Object.getPrototypeOf(builder) as object) as typeof builder,
      builder,
    );
    expect(() => copy.action({ name: "evil", handler })).toThrow(TypeError);
  });

  test("introspection returns copies", () => {
    const builder = flat().tags("core");
    (builder.getActionNames() as string[]).push("evil");
    (builder.getTags() as string[]).push("evil");
    const [metadata] = builder.getActionMetadata();
    Object.assign(metadata ?? {}, { destructive: true });
    Object.assign(metadata?.requiredFields ?? [], ["evil"]);
    expect(builder.getActionNames()).toEqual(["list"]);
    expect(builder.getTags()).toEqual(["core"]);
    expect(builder.getActionMetadata()[0]).toMatchObject({ destructive: false, requiredFields: [] });
  });

  test("changing the inputs later has no effect", async () => {
    const tags = ["core"];
    const hints = { title: "P", readOnlyHint: false };
    const layers: ActionMiddleware[] = [];
    const config = {
      name: "list",
      description: "List",
      destructive: false,
      schema: z.object({ id: z.string() }),
      middleware: layers,
      handler: (_ctx: unknown, _args: unknown) => "mine",
    } satisfies ActionConfig<unknown, z.ZodObject, unknown>;
    const builder = createTool("platform")
      .tags(...tags)
      .annotations(hints)
      .action(config);
    tags.push("evil");
    Object.assign(hints, { title: "evil", readOnlyHint: true });
    layers.push(() => text("evil"));
    Object.assign(config, {
      name: "evil",
      description: "evil",
      destructive: true,
      schema: z.object({}),
      handler: () => "evil",
    });
    expect(builder.getTags()).toEqual(["core"]);
    expect(builder.buildToolDefinition()).toMatchObject({
      description: expect.stringContaining("- 'list': List. Requires: id") as string,
      annotations: { title: "P", readOnlyHint: false, destructiveHint: false },
    });
    expect(await builder.execute(undefined, { action: "list", id: "1" })).toEqual(text("mine"));
  });

  test("strategies that are replaced later are not used", () => {
    const strategies = { description: () => "mine" };
    const builder = createTool("platform", { strategies }).action({ name: "list", handler });
    strategies.description = () => "evil";
    expect(builder.buildToolDefinition().description).toBe("mine");
  });

  test("strategies receive frozen actions", () => {
    const seen: unknown[] = [];
    const annotations: Strategies["annotations"] = (actions) => {
      seen.push(actions, ...actions);
      return { readOnlyHint: false, destructiveHint: false, idempotentHint: false };
    };
    createTool("platform", { strategies: { annotations } })
      .action({ name: "list", handler, middleware: [layer] })
      .buildToolDefinition();
    expect(seen).toHaveLength(2);
    expect(seen.every(Object.isFrozen)).toBe(true);
  });

  test("a group builder cannot be used after the build", async () => {
    let kept: ActionGroupBuilder | undefined;
    const builder = createTool("platform").group("users", (g) => {
      kept = g.action({ name: "list", handler });
    });
    builder.buildToolDefinition();
    expect(() => kept?.action({ name: "evil", handler })).toThrow(new Error(FROZEN));
    expect(() => kept?.use(() => text("evil"))).toThrow(new Error(FROZEN));
    expect(builder.getActionNames()).toEqual(["users.list"]);
    expect(await builder.execute(undefined, { action: "users.list" })).toEqual(text("done"));
  });

  test("a build inside a group ends the group", () => {
    const builder = createTool("platform");
    expect(() =>
      builder.group("users", (g) => {
        g.action({ name: "list", handler });
        builder.buildToolDefinition();
        g.action({ name: "evil", handler });
      }),
    ).toThrow(new Error(FROZEN));
    expect(builder.getActionNames()).toEqual(["users.list"]);
  });

  test("a common schema cannot be replaced, because actions rely on it", () => {
    const builder = createTool("platform").commonSchema(z.object({ tenant: z.string() }));
    expect(() => builder.commonSchema(z.object({}))).toThrow(
      new Error('Builder "platform" already has a common schema. Call .commonSchema() only once.'),
    );
    const { inputSchema } = builder.action({ name: "list", handler }).buildToolDefinition();
    expect(inputSchema["required"]).toEqual(["action", "tenant"]);
  });

  test("a definition cannot be changed before a server uses it", async () => {
    const builder = flat();
    const [tool] = builder.getCallableTools();
    expect(() => Object.assign(tool?.definition ?? {}, { name: "evil" })).toThrow(TypeError);
    const client = await createClient(defineServer({ name: "s", version: "1" }).tools(builder));
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["platform"]);
  });
});
