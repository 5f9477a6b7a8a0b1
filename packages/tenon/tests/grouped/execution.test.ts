import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type ActionMiddleware, createTool, success, ToolRegistry } from "../../src/grouped/index.js";
import { McpError } from "../../src/protocol/index.js";
import type { StandardSchema } from "../../src/schema/schema.js";
import { failure, text, textOf } from "../support/grouped/results.js";

const echo = (_ctx: unknown, args: unknown) => success(JSON.stringify(args));

/** Calls an action with these schemas. Returns the arguments that its handler receives, or the failure. */
async function passedOn(
  schemas: { readonly common?: StandardSchema; readonly own?: StandardSchema; readonly strict?: boolean },
  args: unknown,
): Promise<unknown> {
  const builder = createTool("t");
  if (schemas.common !== undefined) builder.commonSchema(schemas.common);
  if (schemas.strict === true) builder.strict();
  const { own } = schemas;
  builder.action({ name: "a", ...(own === undefined ? {} : { schema: own }), handler: echo });
  const result = await builder.execute(undefined, { action: "a", ...(args as object) });
  return result.isError === true ? textOf(result) : (JSON.parse(textOf(result)) as unknown);
}

describe("routing to an action", () => {
  test("F49, F56: a registry finds the tool, and the tool finds its action, by name", async () => {
    const registry = new ToolRegistry().registerAll(
      createTool("platform").group("users", (g) => g.action({ name: "create", handler: () => "made" })),
      createTool("other").action({ name: "create", handler: () => "wrong" }),
    );
    expect(await registry.routeCall(undefined, "platform", { action: "users.create" })).toEqual(text("made"));
  });

  test.each([
    ["a key in a different group", { action: "billing.create" }],
    ["the name without its group", { action: "create" }],
    ["a number", { action: 1 }],
    ["a list that contains the key", { action: ["users.create"] }],
    ["an object that converts to the key", { action: { toString: () => "users.create" } }],
    ["a different case", { action: "Users.Create" }],
    ["a name that every object inherits", { action: "constructor" }],
    ["the prototype", { action: "__proto__" }],
  ])("F52, F56: %s does not match an action", async (_what, args) => {
    let ran = false;
    const builder = createTool("platform").group("users", (g) =>
      g.action({ name: "create", handler: () => void (ran = true) }),
    );
    const { content, isError } = await builder.execute(undefined, args);
    expect(isError).toBe(true);
    expect(textOf({ content }).split("\n")[0]).toBe("Unknown action. Available: users.create");
    expect(ran).toBe(false);
  });

  test.each([[[]], ["text"], [1], [true], [[{ action: "a" }]]])(
    "arguments of %j are not an object",
    async (args) => {
      const builder = createTool("t").action({ name: "a", handler: echo });
      expect(await builder.execute(undefined, args)).toEqual(
        failure("Validation failed: arguments must be an object"),
      );
    },
  );

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["no fields", {}],
    ["an empty text", { action: "" }],
    ["null as the action", { action: null }],
  ])("F51: with %s the discriminator is missing", async (_what, args) => {
    const builder = createTool("t").action({ name: "a", handler: echo }).action({ name: "b", handler: echo });
    expect(textOf(await builder.execute(undefined, args)).split("\n")[0]).toBe(
      "action is required. Available: a, b",
    );
  });

  test("F51: an inherited member is not a discriminator", async () => {
    const builder = createTool("t").discriminator("constructor").action({ name: "a", handler: echo });
    expect(textOf(await builder.execute(undefined, {})).split("\n")[0]).toBe(
      "constructor is required. Available: a",
    );
  });
});

describe("arguments", () => {
  const own = z.object({ id: z.string(), n: z.number().default(3) });
  const common = z.object({ tenant: z.string() });

  test("F53, F55: contain only the fields of the common schema and of the action", async () => {
    expect(await passedOn({ common, own }, { tenant: "acme", id: "1", role: "admin" })).toEqual({
      tenant: "acme",
      id: "1",
      n: 3,
    });
  });

  test("F54: the error lists every issue of both schemas", async () => {
    const told = await passedOn({ common, own }, { id: 5, n: "x" });
    expect(String(told).split("\n")[0]).toBe(
      "Validation failed: tenant: Invalid input: expected string, received undefined; " +
        "id: Invalid input: expected string, received number; " +
        "n: Invalid input: expected number, received string",
    );
  });

  test("F54: a nested field's path is complete", async () => {
    const nested = z.object({ lines: z.array(z.object({ price: z.number() })) });
    const told = await passedOn({ own: nested }, { lines: [{ price: 1 }, { price: "2" }] });
    expect(String(told).split("\n")[0]).toBe(
      "Validation failed: lines.1.price: Invalid input: expected number, received string",
    );
  });

  test("F58: never contain the discriminator, with or without middleware", async () => {
    expect(await passedOn({ own: z.looseObject({ id: z.string() }) }, { id: "1" })).toEqual({ id: "1" });
    const builder = createTool("t")
      .use((_ctx, _args, next) => next())
      .action({ name: "a", schema: z.object({ id: z.string() }), handler: echo });
    expect(await builder.execute(undefined, { action: "a", id: "1" })).toEqual(text('{"id":"1"}'));
  });

  const hostile: Record<string, unknown> = JSON.parse(
    '{"id":"1","role":"admin","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}',
  ) as Record<string, unknown>;

  test.each<readonly [string, StandardSchema]>([
    ["a plain Zod object", z.object({ id: z.string() })],
    ["a loose Zod object", z.looseObject({ id: z.string() })],
    ["Zod with a catch-all", z.object({ id: z.string() }).catchall(z.unknown())],
    ["Zod with a refinement", z.object({ id: z.string() }).refine(() => true)],
    ["Zod behind a pipe", z.looseObject({ id: z.string() }).pipe(z.looseObject({ id: z.string() }))],
    [
      "Zod whose JSON Schema does not show what it accepts",
      z.looseObject({ id: z.string() }).meta({ additionalProperties: undefined }),
    ],
    ["Valibot", toStandardJsonSchema(v.object({ id: v.string() }))],
    ["a loose Valibot object", toStandardJsonSchema(v.looseObject({ id: v.string() }))],
    ["ArkType", type({ id: "string" })],
  ])("F55, F59: %s removes unknown fields", async (_what, schema) => {
    expect(await passedOn({ own: schema }, hostile)).toEqual({ id: "1" });
    expect(await passedOn({ common: schema }, hostile)).toEqual({ id: "1" });
    expect(await passedOn({ common: schema, own: z.looseObject({}) }, hostile)).toEqual({ id: "1" });
    expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
  });

  test.each<readonly [string, StandardSchema]>([
    ["a strict Zod object", z.strictObject({ id: z.string() })],
    ["a strict Valibot object", toStandardJsonSchema(v.strictObject({ id: v.string() }))],
    ["a strict ArkType object", type({ "+": "reject", id: "string" })],
  ])(
    "F59: %s rejects an unknown field, but not the discriminator or a common field",
    async (_what, schema) => {
      expect(await passedOn({ own: schema }, { id: "1" })).toEqual({ id: "1" });
      expect(await passedOn({ own: schema, common }, { id: "1", tenant: "t" })).toEqual({
        id: "1",
        tenant: "t",
      });
      expect(String(await passedOn({ own: schema }, { id: "1", role: "x" })).split("\n")[0]).toBe(
        "Validation failed: role: unknown field",
      );
    },
  );

  test("F59: strict() rejects unknown fields in every action", async () => {
    const told = await passedOn({ own, strict: true }, { id: 1, role: "x", team: "y" });
    expect(String(told).split("\n")[0]).toBe(
      "Validation failed: id: Invalid input: expected string, received number; " +
        "role: unknown field; team: unknown field",
    );
    expect(await passedOn({ strict: true }, {})).toEqual({});
  });

  test("F53: either schema may be asynchronous", async () => {
    const slow = z.object({ id: z.string().refine(async (id) => id === "1", "no such user") });
    const quick = z.object({ tenant: z.string() });
    const both = { id: "1", tenant: "t" };
    expect(await passedOn({ own: slow, common: quick }, both)).toEqual(both);
    expect(await passedOn({ own: quick, common: slow }, both)).toEqual(both);
    expect(await passedOn({ own: slow, common: slow }, both)).toEqual({ id: "1" });
    expect(String(await passedOn({ own: slow, common: quick }, { id: "2" })).split("\n")[0]).toBe(
      "Validation failed: tenant: Invalid input: expected string, received undefined; id: no such user",
    );
  });

  test("a field that both schemas reject for the same reason is reported once", async () => {
    const told = await passedOn(
      { common: z.object({ id: z.string() }), own: z.object({ id: z.string() }) },
      {},
    );
    expect(String(told).split("\n")[0]).toBe(
      "Validation failed: id: Invalid input: expected string, received undefined",
    );
  });

  test.each(["constructor", "toString", "hasOwnProperty", "__defineGetter__"])(
    "a field may be named %s",
    async (name) => {
      const schema = z.object({ [name]: z.string().optional() });
      expect(await passedOn({ own: schema }, {})).toEqual({});
      expect(await passedOn({ own: schema }, { [name]: "x" })).toEqual({ [name]: "x" });
      expect(await passedOn({ own: schema, common }, { tenant: "t" })).toEqual({ tenant: "t" });
    },
  );

  test("a field named __proto__ is dropped by its schema and changes no prototype", async () => {
    const schema = z.object({ ["__proto__"]: z.unknown() });
    const args = JSON.parse('{"action":"a","__proto__":{"admin":true}}') as object;
    const builder = createTool("t").action({
      name: "a",
      schema,
      handler: (_ctx, given) => `${JSON.stringify(given)} ${"admin" in given}`,
    });
    expect(await builder.execute(undefined, args)).toEqual(text("{} false"));
  });

  test.each<readonly [string, unknown]>([
    ["a class instance", new URL("https://a.example")],
    ["an array", ["1"]],
    ["a string", "1"],
  ])("a schema that returns %s fails with a clear error", async (kind, value) => {
    expect(await passedOn({ own: z.object({}).transform(() => value) }, {})).toBe(
      `[t] Action "a": the schema must return a plain object; got ${kind}.`,
    );
  });
});

describe("errors", () => {
  const failing = (handler: () => never, layers: readonly ActionMiddleware[] = []) =>
    createTool("platform")
      .use(...layers)
      .group("users", (g) => g.action({ name: "create", handler }))
      .execute(undefined, { action: "users.create" });
  const raise = (error: unknown) => () => {
    throw error;
  };

  test.each<readonly [string, unknown, string]>([
    ["an error", new Error("disk is full"), "disk is full"],
    ["an McpError", new McpError("NOT_FOUND", "no such team"), "no such team"],
    ["text", "just text", "just text"],
    ["nothing", undefined, "undefined"],
    ["an object without a prototype", Object.create(null), "failed"],
    ["an object whose text fails", { toString: raise(new Error("again")) }, "failed"],
    ["an error whose message is not a string", Object.assign(new Error(), { message: 7 }), "7"],
    ["a long text", new Error("x".repeat(5_000)), `${"x".repeat(1_000)}…`],
  ])(
    "F57: %s thrown in a handler is a result that names the tool and the action",
    async (_what, error, message) => {
      const expected = failure(`[platform/users.create] ${message}`);
      expect(await failing(raise(error))).toEqual(expected);
      const rejecting = createTool("platform").group("users", (g) =>
        g.action({ name: "create", handler: () => Promise.reject(error as Error) }),
      );
      expect(await rejecting.execute(undefined, { action: "users.create" })).toEqual(expected);
    },
  );

  test("F57: an error in middleware is a result too", async () => {
    expect(await failing(raise(new Error("inside")), [raise(new Error("outside"))])).toEqual(
      failure("[platform/users.create] outside"),
    );
  });

  test("F57: a returned McpError counts as thrown", async () => {
    const builder = createTool("t").action({ name: "a", handler: () => new McpError("CONFLICT", "taken") });
    expect(await builder.execute(undefined, { action: "a" })).toEqual(failure("[t/a] taken"));
  });

  test("F57: a schema that throws causes an error result from the tool", async () => {
    const schema = z.object({ id: z.string().refine(raise(new Error("database is down"))) });
    const builder = createTool("t").action({ name: "a", schema, handler: echo });
    expect(await builder.execute(undefined, { action: "a", id: "1" })).toEqual(
      failure("[t] database is down"),
    );
  });

  test.each<readonly [string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["a string", "closed"],
    ["an array", []],
  ])("F57: middleware that returns %s fails with a clear error", async (kind, value) => {
    for (const given of [value, Promise.resolve(value)]) {
      const layer = (() => given) as unknown as ActionMiddleware; // possible only in JavaScript
      const builder = createTool("t").use(layer).action({ name: "a", handler: echo });
      expect(await builder.execute(undefined, { action: "a" })).toEqual(
        failure(`[t/a] Middleware must return the result of next() or its own result; got ${kind}.`),
      );
    }
  });
});

describe("middleware", () => {
  const noting =
    (log: string[], name: string): ActionMiddleware =>
    async (_ctx, args, next) => {
      log.push(`${name} ${String(args["action"])}`);
      const result = await next();
      log.push(`after ${name}`);
      return result;
    };

  test("F44, F45, F58: runs from the outside in and sees the action", async () => {
    const log: string[] = [];
    const builder = createTool("platform")
      .use(noting(log, "global 1"))
      .group("users", (g) =>
        g.use(noting(log, "group")).action({
          name: "list",
          middleware: [noting(log, "own")],
          handler: (_ctx, args) => void log.push(JSON.stringify(args)),
        }),
      )
      .use(noting(log, "global 2"));
    await builder.execute(undefined, { action: "users.list" });
    expect(log).toEqual([
      "global 1 users.list",
      "global 2 users.list",
      "group users.list",
      "own users.list",
      "{}",
      "after own",
      "after group",
      "after global 2",
      "after global 1",
    ]);
  });

  test("F44: of a group wraps the actions that are added after it", async () => {
    const log: string[] = [];
    const builder = createTool("t").group("g", (g) =>
      g
        .action({ name: "before", handler: () => "" })
        .use(noting(log, "group"))
        .action({ name: "after", handler: () => "" }),
    );
    await builder.execute(undefined, { action: "g.before" });
    expect(log).toEqual([]);
    await builder.execute(undefined, { action: "g.after" });
    expect(log).toEqual(["group g.after", "after group"]);
  });

  test("F46: may return its own result instead of calling the handler", async () => {
    let ran = false;
    const builder = createTool("t")
      .use((ctx, args, next) => (ctx === args["action"] ? next() : text(`${String(ctx)} may not`)))
      .action({ name: "a", handler: () => void (ran = true) });
    expect(await builder.execute("guest", { action: "a" })).toEqual(text("guest may not"));
    expect(ran).toBe(false);
  });

  test("F53: sees validated arguments, so an invalid call never reaches it", async () => {
    const seen: unknown[] = [];
    const builder = createTool("t")
      .use((_ctx, args, next) => (seen.push(args), next()))
      .action({ name: "a", schema: z.object({ n: z.coerce.number() }), handler: echo });
    await builder.execute(undefined, { action: "a", n: "5", admin: true });
    await builder.execute(undefined, { action: "a", n: "x" });
    expect(seen).toEqual([{ action: "a", n: 5 }]);
  });

  test("F58: a caller cannot make it see a different action than the one that runs", async () => {
    const seen: unknown[] = [];
    const builder = createTool("t")
      .use((_ctx, args, next) => (seen.push(args["action"]), next()))
      .action({ name: "ban", handler: () => "banned" })
      .action({ name: "list", handler: () => "listed" });
    const [ban] = builder.getCallableTools("flat");
    expect(await ban?.execute(undefined, { action: "list" })).toEqual(text("banned"));
    expect(seen).toEqual(["ban"]);
  });

  test("F58: a schema that creates a field with the discriminator's name cannot either", async () => {
    const log: string[] = [];
    const schema = z.object({ x: z.string() }).transform(({ x }) => ({ x, action: x }));
    const builder = createTool("t")
      .use(noting(log, "global"))
      .action({ name: "harmless", schema, handler: echo });
    await builder.execute(undefined, { action: "harmless", x: "other" });
    expect(log[0]).toBe("global harmless");
  });

  test("may change the handler's arguments", async () => {
    const builder = createTool("t")
      .use((_ctx, args, next) => (Object.assign(args, { user: "ann", action: "z" }), next()))
      .action({ name: "a", handler: echo });
    expect(await builder.execute(undefined, { action: "a" })).toEqual(text('{"user":"ann"}'));
  });
});

describe("a handler's return value", () => {
  test.each<readonly [string, unknown, unknown]>([
    ["text", "hello", text("hello")],
    ["an object", { n: 1 }, text('{"n":1}')],
    ["a list", [1, 2], text("[1,2]")],
    ["nothing", undefined, { content: [] }],
    ["a number", 5, text("5")],
    ["a block", { type: "text", text: "b" }, text("b")],
    ["a result", { content: [], isError: true }, { content: [], isError: true }],
  ])("becomes a result: %s", async (_what, value, expected) => {
    const builder = createTool("t")
      .action({ name: "a", handler: () => value as string })
      .action({ name: "later", handler: () => Promise.resolve(value as string) });
    expect(await builder.execute(undefined, { action: "a" })).toEqual(expected);
    expect(await builder.execute(undefined, { action: "later" })).toEqual(expected);
  });

  test("and its context is the caller's value, unchanged", async () => {
    const ctx = { user: "ann" };
    const builder = createTool<typeof ctx>("t").action({
      name: "a",
      handler: (given) => String(given === ctx),
    });
    expect(await builder.execute(ctx, { action: "a" })).toEqual(text("true"));
  });
});
