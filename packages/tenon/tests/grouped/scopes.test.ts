/**
 * @fileoverview Actions with scopes: callers that lack them neither see nor reach the action.
 * @module tests/grouped/scopes
 */
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineServer } from "../../src/index.js";
import {
  createTool,
  DEFAULT_STRATEGIES,
  type GroupedToolBuilder,
  type Strategies,
  ToolRegistry,
} from "../../src/grouped/index.js";
import { catalog } from "../../src/model/index.js";
import { LATEST_LEGACY, type McpToolDefinition } from "../../src/protocol/index.js";
import { tasks } from "../../src/tasks/index.js";
import { receive } from "../../src/core/wire/receive.js";
import { toFetch } from "../../src/transport/fetch/index.js";
import { createClient } from "../../src/testing/index.js";
import { exchangeOf, handle, MODERN, modernRequest, request } from "../../../../tests/support/requests.js";

const INFO = { name: "s", version: "1" };
const ERAS = [LATEST_LEGACY, MODERN] as const;
const ran = vi.fn((_ctx: unknown, args: unknown) => JSON.stringify(args));

/** Texts that only the hidden parts of the tool contain. */
const SECRETS = [
  "destroy",
  "Destroy",
  "vault",
  "Vault",
  "purge",
  "confirmCode",
  "DESTRUCTIVE",
  "secret-value",
];

/** One group that everybody may use in part, and one that only administrators may use. */
const createPlatform = (strategies: Partial<Strategies> = {}) =>
  createTool("platform", { strategies })
    .description("Run it")
    .commonSchema(z.object({ tenant: z.string() }))
    .group("users", "People", (g) =>
      g
        .action({ name: "list", description: "List people", readOnly: true, handler: ran })
        .action({
          name: "edit",
          description: "Edit people",
          scopes: ["users:write"],
          schema: z.object({ id: z.string(), mode: z.enum(["shown"]).optional() }),
          handler: ran,
        })
        .action({
          name: "destroy",
          description: "Destroy people",
          destructive: true,
          scopes: ["users:write", "admin"],
          schema: z.object({
            confirmCode: z.string().describe("Vault code"),
            mode: z.enum(["secret-value"]).optional(),
          }),
          handler: ran,
        }),
    )
    .group("vault", "Vault of secrets", (g) =>
      g.scopes("admin").action({ name: "purge", schema: z.object({ key: z.string() }), handler: ran }),
    );

const serve = (
  builder: GroupedToolBuilder<never, never> | GroupedToolBuilder,
  expose: "grouped" | "flat" = "grouped",
) => defineServer(INFO).tools(builder, { expose }).build();

const authOf = (scopes: readonly string[]) => ({ auth: { principal: "ada", scopes } });

type TestServer = ReturnType<typeof serve>;

const listFor = async (
  server: TestServer,
  scopes: readonly string[],
  revision: (typeof ERAS)[number] = MODERN,
) => (await createClient(server, { revision, ...authOf(scopes) })).listTools();

const callAs = async (server: TestServer, scopes: readonly string[], args: Record<string, unknown>) =>
  handle(
    server,
    modernRequest("tools/call", { name: "platform", arguments: args }),
    exchangeOf({ era: "modern" }, authOf(scopes)),
  );

const textOf = async (server: TestServer, scopes: readonly string[], args: Record<string, unknown>) => {
  const { result } = JSON.parse((await callAs(server, scopes, args)).toText()) as {
    readonly result: { readonly content: readonly { readonly text: string }[]; readonly isError?: boolean };
  };
  return result.content[0]?.text;
};

describe("a list", () => {
  test.each(ERAS)("in %s contains nothing about actions that the caller may not use", async (revision) => {
    const [tool, ...others] = await listFor(serve(createPlatform()), [], revision);
    expect(others).toEqual([]);
    expect(tool).toEqual({
      name: "platform",
      description:
        "Run it. Modules: users (list)\n\nWorkflow:\nEvery action requires: tenant\n# users: People\nlist(): List people",
      inputSchema: {
        type: "object",
        properties: {
          action: expect.objectContaining({ enum: ["users.list"] }) as unknown,
          tenant: expect.objectContaining({ type: "string" }) as unknown,
        },
        required: ["action", "tenant"],
      },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: false },
    });
    for (const secret of SECRETS) expect(JSON.stringify(tool)).not.toContain(secret);
  });

  test.each<[readonly string[], readonly string[]]>([
    [[], ["users.list"]],
    [["other"], ["users.list"]],
    [["users:write"], ["users.list", "users.edit"]],
    [["admin"], ["users.list", "vault.purge"]],
    [
      ["admin", "users:write"],
      ["users.list", "users.edit", "users.destroy", "vault.purge"],
    ],
  ])("for scopes %j has the actions %j", async (scopes, keys) => {
    const [tool] = await listFor(serve(createPlatform()), scopes);
    expect(actionsOf(tool)).toEqual(keys);
    expect(tool?.annotations?.destructiveHint).toBe(keys.includes("users.destroy"));
  });

  test("has the definition that a tool without the hidden actions would have", async () => {
    expect(await listFor(serve(createPlatform()), [])).toEqual(await listFor(serve(createVisible()), []));
    expect(await listFor(serve(createPlatform().toonDescription()), [])).toEqual(
      await listFor(serve(createVisible().toonDescription()), []),
    );
  });

  test("has one tool for each permitted action if the tool is exposed flat", async () => {
    const server = serve(createPlatform(), "flat");
    const names = async (scopes: readonly string[]) =>
      (await listFor(server, scopes)).map(({ name }) => name);
    expect(await names([])).toEqual(["platform_users_list"]);
    expect(await names(["admin"])).toEqual(["platform_users_list", "platform_vault_purge"]);
    expect(await names(["admin", "users:write"])).toHaveLength(4);
  });

  test("omits a tool without permitted actions", async () => {
    const tool = createTool("t")
      .action({ name: "a", scopes: ["x"], handler: ran })
      .action({ name: "b", scopes: ["y"], handler: ran });
    const server = serve(tool);
    expect(await listFor(server, ["z"])).toEqual([]);
    expect((await listFor(server, ["y"])).map(actionsOf)).toEqual([["b"]]);
  });

  test("shows everything without authorization", async () => {
    const server = serve(createPlatform());
    const [tool] = await (await createClient(server)).listTools();
    expect(tool).toEqual(JSON.parse(JSON.stringify(createPlatform().buildToolDefinition())));
  });

  test("is private, and callers with the same relevant scopes share its bytes", async () => {
    const server = serve(createPlatform());
    const page = async (scopes: readonly string[]) =>
      (
        await handle(server, modernRequest("tools/list"), exchangeOf({ era: "modern" }, authOf(scopes)))
      ).parts().payload;
    for (const scopes of [[], ["admin"], ["admin", "users:write"]]) {
      const payload = await page(scopes);
      expect(new TextDecoder().decode(payload as Uint8Array)).toContain('"cacheScope":"private"');
      expect(await page([...scopes, "unrelated"])).toBe(payload);
    }
  });

  test("is built once for each set of scopes, and a bounded number of them is kept", async () => {
    const description = vi.fn(DEFAULT_STRATEGIES.description);
    const tool = createTool("t", { strategies: { description } }).action({ name: "open", handler: ran });
    for (let index = 0; index < 70; index++)
      tool.action({ name: `a${index}`, scopes: [`s${index}`], handler: ran });
    const server = serve(tool);
    const list = (index: number) =>
      handle(server, request("tools/list"), exchangeOf({}, authOf([`s${index}`])));
    const call = (index: number) =>
      handle(
        server,
        request("tools/call", { name: "t", arguments: { action: `a${index}` } }),
        exchangeOf({}, authOf([`s${index}`])),
      );
    const before = description.mock.calls.length;
    for (let round = 0; round < 3; round++) {
      await list(0);
      await call(0);
    }
    expect(description.mock.calls.length - before).toBe(1);
    for (let index = 1; index < 70; index++) await list(index);
    expect(description.mock.calls.length - before).toBe(70);
    await list(0);
    expect(description.mock.calls.length - before).toBe(71);
  });
});

/** The part of the platform that everybody may use. */
function createVisible() {
  return createTool("platform")
    .description("Run it")
    .commonSchema(z.object({ tenant: z.string() }))
    .group("users", "People", (g) =>
      g.action({ name: "list", description: "List people", readOnly: true, handler: ran }),
    );
}

function actionsOf(tool: McpToolDefinition | undefined): unknown {
  const { properties } = (tool?.inputSchema ?? {}) as {
    readonly properties?: { action?: { enum?: unknown } };
  };
  return properties?.action?.enum;
}

describe("strategies", () => {
  test("receive only the actions that the caller may use", async () => {
    const seen = new Map<string, Set<string>>();
    const note = (strategy: string, keys: readonly string[]) => {
      const all = seen.get(strategy) ?? new Set();
      for (const key of keys) all.add(key);
      seen.set(strategy, all);
    };
    const spies: Strategies = {
      inputSchema: (input) => (
        note("inputSchema", keysOf(input.actions)),
        DEFAULT_STRATEGIES.inputSchema(input)
      ),
      description: (input) => (
        note("description", keysOf(input.actions)),
        DEFAULT_STRATEGIES.description(input)
      ),
      toonDescription: (input, encode) => (
        note("toonDescription", keysOf(input.actions)),
        DEFAULT_STRATEGIES.toonDescription(input, encode)
      ),
      annotations: (actions, explicit) => (
        note("annotations", keysOf(actions)),
        DEFAULT_STRATEGIES.annotations(actions, explicit)
      ),
      requiredFields: (action, common) => (
        note("requiredFields", [action.key]),
        DEFAULT_STRATEGIES.requiredFields(action, common)
      ),
      // The chains are compiled once, for all actions. Nothing in them is shown to callers.
      middleware: DEFAULT_STRATEGIES.middleware,
    };
    for (const isToon of [false, true]) {
      const tool = createPlatform(spies);
      const server = serve(isToon ? tool.toonDescription() : tool);
      seen.clear();
      await listFor(server, []);
      const described = isToon ? "toonDescription" : "description";
      for (const strategy of ["inputSchema", described, "annotations", "requiredFields"]) {
        expect([strategy, [...(seen.get(strategy) ?? [])]]).toEqual([strategy, ["users.list"]]);
      }
    }
  });
});

const keysOf = (actions: readonly { readonly key: string }[]) => actions.map(({ key }) => key);

describe("a call", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["users.edit", [], ["users:write"]],
    ["users.destroy", ["users:write"], ["users:write", "admin"]],
    ["users.destroy", ["admin"], ["users:write", "admin"]],
    ["vault.purge", ["users:write"], ["admin"]],
  ])("of %s with scopes %j is rejected like that of a plain tool", async (action, scopes, required) => {
    ran.mockClear();
    const response = await callAs(serve(createPlatform()), scopes, {
      action,
      tenant: "t",
      key: "k",
      id: "1",
    });
    expect(response).toMatchObject({ status: 403, error: "INSUFFICIENT_SCOPE" });
    expect(response.intoJsonRpc()?.error).toEqual({
      code: -32600,
      message: `Action "${action}" of tool "platform" requires these scopes: ${required.join(", ")}.`,
      data: { requiredScopes: required },
    });
    expect(ran).not.toHaveBeenCalled();
  });

  test("of a permitted action runs its handler, with the server's middleware too", async () => {
    const layers = vi.fn();
    for (const server of [
      serve(createPlatform()),
      defineServer(INFO)
        .use((_operation, next) => (layers(), next()))
        .tools(createPlatform())
        .build(),
    ]) {
      expect(await textOf(server, ["users:write"], { action: "users.edit", tenant: "t", id: "1" })).toBe(
        '{"id":"1","tenant":"t"}',
      );
      expect((await callAs(server, [], { action: "users.edit", tenant: "t", id: "1" })).error).toBe(
        "INSUFFICIENT_SCOPE",
      );
    }
    expect(layers).toHaveBeenCalledTimes(1);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["without an action", { tenant: "t", key: "k" }, "action is required. Available: users.list"],
    ["of an unknown action", { action: "users.nope" }, "Unknown action. Available: users.list"],
    ["of a misspelled hidden action", { action: "vault.purg" }, "Unknown action. Available: users.list"],
    [
      "of a hidden action's name without its group",
      { action: "purge" },
      "Unknown action. Available: users.list",
    ],
    [
      "with the fields of a hidden action",
      { tenant: "t", confirmCode: "c" },
      "action is required. Available: users.list",
    ],
  ])("%s gets no hint about hidden actions", async (_case, args, line) => {
    const text = await textOf(serve(createPlatform()), [], args);
    expect(text?.split("\n")[0]).toBe(line);
    for (const secret of SECRETS) expect(text).not.toContain(secret);
  });

  test("of a tool without permitted actions is like a call of a tool that does not exist", async () => {
    const tool = createTool("platform")
      .action({ name: "a", scopes: ["x"], handler: ran })
      .action({ name: "b", scopes: ["y"], handler: ran });
    const without = defineServer(INFO)
      .tool("other", { handler: () => "" })
      .build();
    for (const args of [{}, { action: "c" }, { action: 7 }]) {
      const hidden = await callAs(serve(tool), [], args);
      expect(hidden.toText()).toBe((await callAs(without, [], args)).toText());
    }
    expect((await callAs(serve(tool), [], { action: "a" })).error).toBe("INSUFFICIENT_SCOPE");
  });

  test("of a flat tool is rejected with the action's scopes", async () => {
    const server = serve(createPlatform(), "flat");
    const response = await handle(
      server,
      modernRequest("tools/call", { name: "platform_vault_purge", arguments: { tenant: "t", key: "k" } }),
      exchangeOf({ era: "modern" }, authOf([])),
    );
    expect(response.intoJsonRpc()?.error).toMatchObject({ data: { requiredScopes: ["admin"] } });
  });

  test("that is not permitted creates no task", async () => {
    const handler = vi.fn(() => "done");
    const tool = createTool("t")
      .action({ name: "open", task: "optional", handler })
      .action({ name: "shut", task: "required", scopes: ["admin"], handler });
    const server = defineServer(INFO).extension(tasks()).tools(tool).build();
    const client = await createClient(server, { tasks: true, ...authOf([]) });
    await expect(client.startTask("t", { action: "shut" })).rejects.toMatchObject({
      data: { requiredScopes: ["admin"] },
    });
    expect(handler).not.toHaveBeenCalled();
    const admin = await createClient(server, { tasks: true, ...authOf(["admin"]) });
    expect(await (await admin.startTask("t", { action: "shut" })).result()).toMatchObject({
      content: [{ text: "done" }],
    });
    server.close();
  });

  test("is checked for each message of a batch", async () => {
    const calls = ["users.list", "vault.purge", "users.list"].map((action, id) =>
      request("tools/call", { name: "platform", arguments: { action, tenant: "t", key: "k" } }, id),
    );
    const exchange = exchangeOf({ era: "legacy", revision: "2025-03-26" }, authOf([]));
    const reply = await receive(serve(createPlatform()), JSON.stringify(calls), {
      context: undefined,
      exchange,
    });
    expect([reply].flat().map(({ error }) => error)).toEqual([undefined, "INSUFFICIENT_SCOPE", undefined]);
  });

  test("over HTTP gets a challenge with the action's scopes", async () => {
    const fetch = toFetch(serve(createPlatform()), {
      allowedHosts: ["localhost"],
      authorization: {
        authenticate: () => ({ auth: { principal: "ada", scopes: [] } }),
        challenge: (scopes) => ({ "www-authenticate": `Bearer scope="${scopes.join(" ")}"` }),
      },
    });
    const body = modernRequest("tools/call", {
      name: "platform",
      arguments: { action: "users.destroy", tenant: "t" },
    });
    const response = await fetch(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": MODERN,
          "mcp-method": "tools/call",
          "mcp-name": "platform",
        },
        body: JSON.stringify(body),
      }),
    );
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([
      403,
      'Bearer scope="users:write admin"',
    ]);
  });
});

describe("scopes", () => {
  test("of a builder apply to all actions, including earlier ones", async () => {
    const tool = createTool("t")
      .action({ name: "a", handler: ran })
      .scopes("x")
      .action({ name: "b", scopes: ["y"], handler: ran });
    const server = serve(tool);
    expect(await listFor(server, ["y"])).toEqual([]);
    expect((await listFor(server, ["x"])).map(actionsOf)).toEqual([["a"]]);
    expect((await listFor(server, ["x", "y"])).map(actionsOf)).toEqual([["a", "b"]]);
    expect(tool.getActionMetadata().map(({ key, scopes }) => [key, scopes])).toEqual([
      ["a", ["x"]],
      ["b", ["x", "y"]],
    ]);
    const response = await handle(
      server,
      modernRequest("tools/call", { name: "t", arguments: { action: "nope" } }),
      exchangeOf({ era: "modern" }, authOf([])),
    );
    expect(response.intoJsonRpc()?.error).toMatchObject({ message: 'Tool "t" requires these scopes: x.' });
  });

  test("of a group apply to actions that are added afterwards", async () => {
    const tool = createTool("t").group("g", (g) =>
      g.action({ name: "a", handler: ran }).scopes("x").scopes("y", "x").action({ name: "b", handler: ran }),
    );
    expect(tool.getActionMetadata().map(({ scopes }) => scopes)).toEqual([undefined, ["x", "y"]]);
    expect((await listFor(serve(tool), ["x"])).map(actionsOf)).toEqual([["g.a"]]);
  });

  test("stay in effect after an update, in a view, and in an attached registry", async () => {
    const server = defineServer(INFO)
      .tool("other", { tags: ["o"], handler: () => "" })
      .build();
    const detach = new ToolRegistry().register(createPlatform().tags("p")).attachToServer(server);
    server.update((editor) => editor.tool("more", { handler: () => "" }));
    for (const one of [server, server.view({ tags: ["p"] })]) {
      const list = await listFor(one, []);
      expect(actionsOf(list.find(({ name }) => name === "platform"))).toEqual(["users.list"]);
      expect((await callAs(one, [], { action: "vault.purge", tenant: "t", key: "k" })).error).toBe(
        "INSUFFICIENT_SCOPE",
      );
    }
    detach();
    expect((await listFor(server, [])).map(({ name }) => name)).toEqual(["other", "more"]);
  });

  test("are part of the server's description, and the catalog contains all actions", () => {
    const server = serve(createPlatform());
    const [tool] = server.describe().tools;
    expect(tool?.scopes).toEqual([]);
    expect(tool?.outline?.actions.map(({ name, scopes }) => [name, scopes])).toEqual([
      ["list", undefined],
      ["edit", ["users:write"]],
      ["destroy", ["users:write", "admin"]],
      ["purge", ["admin"]],
    ]);
    const [platform] = catalog(server).childGroups;
    expect(platform?.childGroups.map(({ name }) => name)).toEqual(["users", "vault"]);
  });

  const wrong = (value: unknown) => value as never; // plain JavaScript may pass anything
  test.each<[string, () => unknown, string]>([
    [
      "text",
      () => createTool("t").action({ name: "a", scopes: wrong("x"), handler: ran }),
      'Action "a": `scopes` must be an array of strings; got "x". Use `scopes: ["x"]`.',
    ],
    [
      "a number",
      () => createTool("t").scopes(wrong(7)),
      'Builder "t": `scopes` must be an array of strings; got an array whose item 0 is invalid.',
    ],
    [
      "undefined",
      () => createTool("t").group("g", (g) => g.scopes(wrong(undefined))),
      'Group "g": `scopes` must be an array of strings; got an array whose item 0 is invalid.',
    ],
    [
      "an alias",
      () => createTool("t").action(wrong({ name: "a", requiredScopes: ["x"], handler: ran })),
      'Action "a": unknown option `requiredScopes`. Did you mean `scopes`?',
    ],
  ])("must be an array of strings; %s is rejected", (_case, build, message) => {
    expect(build).toThrow(new TypeError(message));
  });

  test("cannot be added to a built tool", () => {
    const tool = createTool("t").action({ name: "a", handler: ran });
    tool.buildToolDefinition();
    expect(() => tool.scopes("x")).toThrow('Builder "t" is frozen after buildToolDefinition().');
  });
});
