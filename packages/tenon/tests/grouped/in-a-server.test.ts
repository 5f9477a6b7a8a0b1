import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Call } from "../../src/core/call/call.js";
import { defineServer } from "../../src/core/define-server.js";
import { form } from "../../src/core/call/forms.js";
import type { LogEntry } from "../../src/core/wire/log.js";
import type { ServerOptions } from "../../src/core/definitions/options.js";
import { createTool, type GroupedToolBuilder } from "../../src/grouped/index.js";
import { LATEST_LEGACY, McpError } from "../../src/protocol/index.js";
import { createClient } from "../../src/testing/index.js";
import { ClientError } from "../../src/client/errors.js";
import type { ClientOptions } from "../../src/client/client-options.js";
import { MODERN } from "../../../../tests/support/requests.js";
import { failure, text, textOf } from "../support/grouped/results.js";

const INFO = { name: "s", version: "1" };
const ERAS = [LATEST_LEGACY, MODERN] as const;
/** Both expositions in both eras. */
const EVERYWHERE = ERAS.flatMap((revision) =>
  (["grouped", "flat"] as const).map((expose) => ({ revision, expose })),
);
type Place = (typeof EVERYWHERE)[number];

const echo = (_ctx: unknown, args: unknown) => JSON.stringify(args);

const platform = () =>
  createTool("platform")
    .description("Run it")
    .commonSchema(z.object({ tenant: z.string() }))
    .group("users", (g) =>
      g.action({ name: "list", readOnly: true, idempotent: true, handler: echo }).action({
        name: "ban",
        description: "Lock out",
        destructive: true,
        schema: z.object({ id: z.string() }),
        handler: echo,
      }),
    );

/** Creates a client for a server with one tool, and a function that calls an action in grouped or flat mode. */
async function open(
  builder: GroupedToolBuilder<never, never> | GroupedToolBuilder,
  { revision, expose }: Place,
  {
    server = {},
    client = {},
  }: { readonly server?: Partial<ServerOptions>; readonly client?: ClientOptions<unknown> } = {},
) {
  const served = defineServer({ ...INFO, ...server }).tools(builder, { expose });
  const connected = await createClient(served, { revision, ...client });
  const call = async (key: string, args: Record<string, unknown> = {}, options = {}) => {
    const name = expose === "grouped" ? builder.getName() : [builder.getName(), ...key.split(".")].join("_");
    const sent = expose === "grouped" ? { action: key, ...args } : args;
    const { content, isError } = await connected.callTool(name, sent, options);
    return isError === true ? { content, isError } : { content };
  };
  return { client: connected, call };
}

describe("a list", () => {
  test.each(ERAS)("F13: shows one tool in %s, with the builder's definition", async (revision) => {
    const builder = platform();
    const { client } = await open(builder, { revision, expose: "grouped" });
    expect(await client.listTools()).toEqual([JSON.parse(JSON.stringify(builder.buildToolDefinition()))]);
  });

  test.each(ERAS)("F16: shows one tool for each action in %s, if it is exposed flat", async (revision) => {
    const { client } = await open(platform(), { revision, expose: "flat" });
    expect(await client.listTools()).toEqual([
      {
        name: "platform_users_list",
        inputSchema: { type: "object", properties: { tenant: { type: "string" } }, required: ["tenant"] },
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      },
      {
        name: "platform_users_ban",
        description: "Lock out",
        inputSchema: {
          type: "object",
          properties: { tenant: { type: "string" }, id: { type: "string" } },
          required: ["tenant", "id"],
        },
        annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
      },
    ]);
  });
});

describe.each(EVERYWHERE)("in $revision, $expose,", (place) => {
  test("F55, F56, F58: a handler receives only its action's fields", async () => {
    const { call } = await open(platform(), place);
    expect(await call("users.ban", { tenant: "t", id: "1", role: "admin" })).toEqual(
      text('{"id":"1","tenant":"t"}'),
    );
    expect(await call("users.list", { tenant: "t", id: "1" })).toEqual(text('{"tenant":"t"}'));
  });

  test("F54: invalid arguments are a result with a hint", async () => {
    const { call } = await open(platform(), place);
    expect(await call("users.ban", { tenant: "t", di: "1" })).toEqual(
      failure(
        "Validation failed: id: Invalid input: expected string, received undefined\n" +
          'Did you mean "id" instead of "di"? "users.ban" takes: tenant (required), id (required).',
      ),
    );
  });

  test("F54: invalid arguments are a protocol error, if the server is configured so", async () => {
    const { call } = await open(platform(), place, { server: { validationErrors: "protocol" } });
    const refused = await call("users.ban", { id: "1" }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ClientError);
    expect(refused).toMatchObject({
      code: -32602,
      message: expect.stringMatching(
        /^Validation failed: tenant: Invalid input: expected string, received undefined\n/,
      ) as string,
    });
  });

  test("F58: server middleware sees the action and validated arguments, the handler only its arguments", async () => {
    const seen: unknown[] = [];
    const builder = createTool("t").action({
      name: "a",
      schema: z.object({ n: z.coerce.number() }),
      handler: (_ctx, args) => (seen.push(["handler", args]), "done"),
    });
    const server = defineServer(INFO)
      .use((operation, next) => (seen.push([operation.kind, operation.name, operation.args]), next()))
      .tools(builder, { expose: place.expose });
    const client = await createClient(server, { revision: place.revision });
    const [name, args] = place.expose === "grouped" ? ["t", { action: "a" }] : ["t_a", {}];
    await client.callTool(name, { ...args, n: "5", role: "admin" });
    await client.callTool(name, { ...args, n: "x" });
    expect(seen).toEqual([
      ["tool", name, { action: "a", n: 5 }],
      ["handler", { n: 5 }],
    ]);
  });

  test("F45: the server's middleware is outside the builder's", async () => {
    const order: string[] = [];
    const builder = createTool("t")
      .use((_ctx, _args, next) => (order.push("builder"), next()))
      .action({ name: "a", handler: () => void order.push("handler") });
    const server = defineServer(INFO)
      .use((_operation, next) => (order.push("server"), next()))
      .tools(builder, { expose: place.expose });
    const client = await createClient(server, { revision: place.revision });
    if (place.expose === "grouped") await client.callTool("t", { action: "a" });
    else await client.callTool("t_a");
    expect(order).toEqual(["server", "builder", "handler"]);
  });

  test("F57: an McpError is shown with its message and not logged", async () => {
    const log: LogEntry[] = [];
    const builder = createTool("platform").group("users", (g) =>
      g.action({
        name: "create",
        handler: async () => {
          throw new McpError("CONFLICT", "the name is taken");
        },
      }),
    );
    const { call } = await open(builder, place, { server: { log: (entry) => log.push(entry) } });
    expect(await call("users.create")).toEqual(failure("[platform/users.create] the name is taken"));
    expect(log.filter(({ level }) => level === "error")).toEqual([]);
  });

  test.each([false, true])(
    "F57: other errors' messages are shown only if exposeErrors is on: %j",
    async (exposeErrors) => {
      const log: LogEntry[] = [];
      const error = new Error("password of the database is hunter2");
      const builder = createTool("platform").group("users", (g) =>
        g.action({
          name: "create",
          handler: () => {
            throw error;
          },
        }),
      );
      const { call } = await open(builder, place, {
        server: { exposeErrors, log: (entry) => log.push(entry) },
      });
      expect(await call("users.create")).toEqual(
        failure(exposeErrors ? `[platform/users.create] ${error.message}` : "[platform/users.create] failed"),
      );
      expect(log.filter(({ level }) => level === "error")).toMatchObject([
        { event: "handler-failed", operation: "tools/call", error },
      ]);
    },
  );

  test("F57: the same applies to middleware and rejections", async () => {
    const builder = createTool("t")
      .use(async (_ctx, args, next) => {
        if (args["action"] === "closed") throw new McpError("FORBIDDEN", "closed today");
        return next();
      })
      .action({ name: "closed", handler: () => "" })
      .action({ name: "broken", handler: () => Promise.reject(new Error("inside")) });
    const { call } = await open(builder, place);
    expect(await call("closed")).toEqual(failure("[t/closed] closed today"));
    expect(await call("broken")).toEqual(failure("[t/broken] failed"));
  });

  test("F14: an action asks the user and continues with the answer", async () => {
    let runs = 0;
    const sure = form({ message: "Really?", schema: z.object({ sure: z.boolean() }) });
    const builder = createTool("t")
      .use((_ctx, _args, next) => next())
      .action({
        name: "drop",
        schema: z.object({ id: z.string() }),
        handler: async (_ctx, { id }, call?: Call) => {
          runs++;
          const answer = await call?.input("sure", sure);
          return answer?.action === "accept" ? `${id} ${answer.content.sure ? "dropped" : "kept"}` : "left";
        },
      });
    const client = { input: () => ({ action: "accept", content: { sure: true } }) as const };
    const { call } = await open(builder, place, { client });
    expect(await call("drop", { id: "7" })).toEqual(text("7 dropped"));
    expect(runs).toBe(place.revision === MODERN ? 2 : 1);
  });

  test("F57: a client that does not support questions receives its era's error", async () => {
    const sure = form({ message: "Really?", schema: z.object({ sure: z.boolean() }) });
    const builder = createTool("t").action({
      name: "drop",
      handler: async (_ctx, _args, call) => (await call?.input("sure", sure))?.action ?? "nobody",
    });
    const { call } = await open(builder, place);
    const outcome = await call("drop").catch((error: unknown) => error);
    if (place.revision === MODERN) {
      expect(outcome).toMatchObject({
        code: -32021,
        message: "The client does not support elicitation.",
      });
    } else {
      expect(outcome).toEqual(failure("[t/drop] The client does not support elicitation."));
    }
  });

  test("an action reports progress, and its timeout ends it", async () => {
    const aborted: unknown[] = [];
    const builder = createTool("t").action({
      name: "slow",
      handler: async (_ctx, _args, call) => {
        await call?.progress(1, 2, "half");
        await new Promise((resolve) => call?.signal.addEventListener("abort", resolve));
        aborted.push(call?.signal.reason);
      },
    });
    const { call } = await open(builder, place, { server: { deadlineMs: 40 } });
    const heard: unknown[] = [];
    const name = place.expose === "grouped" ? "t" : "t_slow";
    expect(await call("slow", {}, { onProgress: (one: unknown) => heard.push(one) })).toEqual(
      failure(`Tool "${name}" timed out after 40 ms.`),
    );
    expect(heard).toEqual([{ progress: 1, total: 2, message: "half" }]);
    expect(aborted).toHaveLength(1);
  });

  test("cancelling a call aborts the action's signal", async () => {
    let stopped: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => (stopped = resolve));
    const builder = createTool("t").action({
      name: "slow",
      handler: (_ctx, _args, call) =>
        new Promise<string>(() => call?.signal.addEventListener("abort", () => stopped?.())),
    });
    const { call } = await open(builder, place);
    const controller = new AbortController();
    const calling = call("slow", {}, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 10);
    await expect(calling).rejects.toThrow("enough");
    await ended;
  });

  test("the context is the application's own", async () => {
    interface App {
      readonly user: string;
    }
    const builder = createTool<App>("t").action({ name: "who", handler: ({ user }) => user });
    const client = await createClient(defineServer<App>(INFO).tools(builder, { expose: place.expose }), {
      revision: place.revision,
      context: { user: "ann" },
    });
    const [name, args] = place.expose === "grouped" ? ["t", { action: "who" }] : ["t_who", {}];
    expect(textOf(await client.callTool(name, args))).toBe("ann");
  });
});

describe("a grouped tool in a server", () => {
  test.each(ERAS)("F51, F52: hints in %s at its actions", async (revision) => {
    const client = await createClient(defineServer(INFO).tools(platform()), { revision });
    expect(await client.callTool("platform", { tenant: "t" })).toMatchObject(
      failure(
        "action is required. Available: users.list, users.ban\n" +
          'Did you mean "users.list"? "users.list" takes: tenant (required).',
      ),
    );
    expect(textOf(await client.callTool("platform", { action: "nothing like it" }))).toBe(
      "Unknown action. Available: users.list, users.ban",
    );
  });

  test("F52: keys that could reach a prototype match nothing", async () => {
    const client = await createClient(defineServer(INFO).tools(platform()));
    for (const action of ["__proto__", "constructor", "hasOwnProperty"]) {
      expect(textOf(await client.callTool("platform", { action }))).toBe(
        "Unknown action. Available: users.list, users.ban",
      );
    }
  });

  test("F58: a flat tool takes no discriminator, and its middleware sees the action", async () => {
    const seen: unknown[] = [];
    const server = defineServer(INFO)
      .use((operation, next) => (seen.push(operation.args), next()))
      .tools(platform(), { expose: "flat" });
    const client = await createClient(server);
    await client.callTool("platform_users_ban", { action: "users.list", tenant: "t", id: "1" });
    expect(seen).toEqual([{ id: "1", tenant: "t", action: "users.ban" }]);
  });

  test("F50, F60: can be combined with other tools, and added and removed by update", async () => {
    const server = defineServer(INFO)
      .tool("plain", { handler: () => "plain" })
      .build();
    server.update((editor) => editor.tools(platform()));
    const client = await createClient(server);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["plain", "platform"]);
    server.update((editor) => editor.removeTool("platform"));
    await expect(client.request("tools/call", { name: "platform" })).rejects.toThrow(
      "Unknown tool: platform",
    );
  });

  test("one builder serves several servers, each with its own middleware", async () => {
    const builder = createTool("t").action({ name: "a", handler: echo });
    const plain = await createClient(defineServer(INFO).tools(builder));
    const guarded = await createClient(
      defineServer(INFO)
        .use((operation, next) => (operation.name === "t" ? text("no") : next()))
        .tools(builder),
    );
    expect(await plain.callTool("t", { action: "a" })).toEqual(text("{}"));
    expect(await guarded.callTool("t", { action: "a" })).toEqual(text("no"));
  });
});
