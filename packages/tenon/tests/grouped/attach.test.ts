import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { createTool, ToolRegistry } from "../../src/grouped/index.js";
import { readSourceFiles } from "../../../../tools/source-files.js";
import { HOSTS } from "../support/grouped/attach-hosts.js";
import { createRegistry, UNKNOWN } from "../support/grouped/attach-registry.js";

const DECLARED = { tools: {} };
const NO_HANDLER_SET =
  "attachToServer() could not set the handler for tools/list. " +
  'Attach before the server connects, or declare its "tools" capability.';

describe.each(Object.entries(HOSTS))("a registry on an official SDK %s", (kind, host) => {
  test("F17, F68: a client lists the tools and calls their actions", async () => {
    const { registry } = createRegistry();
    const server = host.make(DECLARED);
    registry.attachToServer(server);
    const client = await host.connect(server);
    const tools = await client.listTools();
    expect(tools).toEqual(registry.getAllTools());
    expect(tools.map(({ name }) => name)).toEqual(["platform", "admin"]);
    expect(await client.callTool("platform", { action: "users.create", name: "Ada" })).toEqual({
      text: '{\n  "id": 1,\n  "name": "Ada"\n}',
      isError: false,
    });
  });

  test("F51, F52, F54, F57: errors are results", async () => {
    const { registry } = createRegistry();
    const server = host.make(DECLARED);
    registry.attachToServer(server);
    const client = await host.connect(server);
    const keys = "users.create, billing.refund";
    const firstLines = await Promise.all(
      [undefined, { action: "users.drop" }, { action: "users.create" }].map(async (args) => {
        const { text, isError } = await client.callTool("platform", args);
        return [isError, text.split("\n")[0]];
      }),
    );
    expect(firstLines).toEqual([
      [true, `action is required. Available: ${keys}`],
      [true, `Unknown action. Available: ${keys}`],
      [true, "Validation failed: name: Invalid input: expected string, received undefined"],
    ]);
    expect(await client.callTool("platform", { action: "billing.refund", invoice: "7" })).toEqual({
      text: "[platform/billing.refund] no invoice 7",
      isError: true,
    });
  });

  test("F49: an unknown tool is a result that lists the available tools", async () => {
    const { registry } = createRegistry();
    const server = host.make(DECLARED);
    registry.attachToServer(server);
    const client = await host.connect(server);
    expect(await client.callTool("platfrom")).toEqual(UNKNOWN);
    for (const name of ["__proto__", "constructor", ""]) {
      expect((await client.callTool(name)).text).toContain(`Unknown tool: ${JSON.stringify(name)}.`);
    }
  });

  test.each([
    { filter: { tags: ["public"] }, hidden: "admin", shown: "platform" },
    { filter: { anyTag: ["public", "partner"] }, hidden: "admin", shown: "platform" },
    { filter: { exclude: ["internal"] }, hidden: "admin", shown: "platform" },
    { filter: { exclude: ["public"] }, hidden: "platform", shown: "admin" },
  ])("F17: $filter hides $hidden and rejects its call", async ({ filter, hidden, shown }) => {
    const { registry, seen } = createRegistry();
    const server = host.make(DECLARED);
    registry.attachToServer(server, { filter });
    const client = await host.connect(server);
    expect((await client.listTools()).map(({ name }) => name)).toEqual([shown]);
    const action = hidden === "admin" ? "wipe" : "users.create";
    expect(await client.callTool(hidden, { action, name: "Ada" })).toEqual({
      text: `Unknown tool: "${hidden}". Available tools: ${shown}`,
      isError: true,
    });
    expect(seen).toEqual({ contexts: [], wiped: [] });
  });

  test("contextFactory gets the SDK's `extra` and may be asynchronous", async () => {
    const { registry, seen } = createRegistry();
    const server = host.make(DECLARED);
    registry.attachToServer(server, {
      contextFactory: async (extra) => ({ user: "ada", request: host.requestId(extra) }),
    });
    const client = await host.connect(server);
    await client.callTool("platform", { action: "users.create", name: "Ada" });
    expect(seen.contexts).toEqual([{ user: "ada", request: expect.any(Number) }]);
  });

  test("without contextFactory, handlers get the SDK's `extra` itself", async () => {
    const { registry, seen } = createRegistry();
    const server = host.make(DECLARED);
    registry.attachToServer(server);
    const client = await host.connect(server);
    await client.callTool("platform", { action: "users.create", name: "Ada" });
    expect(seen.contexts.map(host.requestId)).toEqual([expect.any(Number)]);
  });

  test("a contextFactory that fails is a result with the tool's name, and no action runs", async () => {
    const { registry, seen } = createRegistry();
    const server = host.make(DECLARED);
    registry.attachToServer(server, {
      contextFactory: () => {
        throw new Error("sign in first");
      },
    });
    const client = await host.connect(server);
    expect(await client.callTool("admin", { action: "wipe" })).toEqual({
      text: "[admin] sign in first",
      isError: true,
    });
    expect(seen.wiped).toEqual([]);
  });

  test("expose: flat serves each action as a separate tool", async () => {
    const { registry } = createRegistry();
    const server = host.make(DECLARED);
    registry.attachToServer(server, { expose: "flat" });
    const client = await host.connect(server);
    const tools = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "platform_users_create",
      "platform_billing_refund",
      "admin_wipe",
    ]);
    expect(tools[0]?.["inputSchema"]).toEqual({
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
    });
    expect((await client.callTool("platform_users_create", { name: "Ada" })).text).toContain('"Ada"');
    expect((await client.callTool("platform")).text).toContain('Unknown tool: "platform".');
  });

  test("F71: after detaching, it rejects every call, and detaching again keeps the next registry", async () => {
    const { registry, seen } = createRegistry();
    const server = host.make(DECLARED);
    const detach = registry.attachToServer(server);
    const client = await host.connect(server);
    detach();
    expect(await client.listTools()).toEqual([]);
    expect(await client.callTool("admin", { action: "wipe" })).toEqual({
      text: "Tool handlers have been detached",
      isError: true,
    });
    expect(seen.wiped).toEqual([]);
    registry.attachToServer(server, { filter: { tags: ["internal"] } });
    detach();
    expect((await client.callTool("admin", { action: "wipe" })).text).toBe("gone");
  });

  test("a server without declared capabilities receives the tools capability", async () => {
    const { registry } = createRegistry();
    const server = host.make();
    registry.attachToServer(server);
    const client = await host.connect(server);
    expect(client.capabilities).toEqual({ tools: {} });
    expect(await client.listTools()).toHaveLength(2);
  });

  test("a capability that the server declared is kept", async () => {
    const { registry } = createRegistry();
    const server = host.make({ tools: { listChanged: true }, logging: {} });
    registry.attachToServer(server);
    const client = await host.connect(server);
    expect(client.capabilities).toEqual({ tools: { listChanged: true }, logging: {} });
  });

  test("a connected server accepts the tools if it declared them", async () => {
    const { registry } = createRegistry();
    const server = host.make(DECLARED);
    const client = await host.connect(server);
    registry.attachToServer(server);
    expect(await client.listTools()).toHaveLength(2);
  });

  test("a connected server that did not declare tools causes a clear error", async () => {
    const { registry } = createRegistry();
    const server = host.make();
    await host.connect(server);
    const attach = () => registry.attachToServer(server);
    expect(attach).toThrow(NO_HANDLER_SET);
    expect(reasonsOf(attach).join()).toMatch(/does not support tools/);
  });

  test(`F70: ${kind} is recognized by its shape`, () => {
    const { registry } = createRegistry();
    const server = host.make(DECLARED);
    // A different copy of the SDK has different classes, so only an object's methods can identify it.
    const stranger: object = Object.create(server);
    expect(() => registry.attachToServer(stranger)).not.toThrow();
  });
});

test("F70: servers that SDK version 2 creates for each stateless request are supported", async () => {
  const { registry } = createRegistry();
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "host", version: "1.0.0" });
    registry.attachToServer(server);
    return server;
  });
  const client = new Client(
    { name: "client", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch }));
  expect(client.getProtocolEra()).toBe("modern");
  expect((await client.listTools()).tools).toEqual(registry.getAllTools());
  const { content } = await client.callTool({
    name: "platform",
    arguments: { action: "users.create", name: "Ada" },
  });
  expect(content).toEqual([{ type: "text", text: '{\n  "id": 1,\n  "name": "Ada"\n}' }]);
  await client.close();
});

test("conflicting flat names are rejected before anything is attached", () => {
  const nothing = { name: "c", handler: () => "" };
  const registry = new ToolRegistry().registerAll(
    createTool("a").group("b", (g) => g.action(nothing)),
    createTool("a_b").action(nothing),
  );
  const duck = createDuck(String);
  expect(() => registry.attachToServer(duck, { expose: "flat" })).toThrow(
    new Error('Tool "a_b_c" is already registered.'),
  );
  expect(duck.ask("tools/list")).toBeUndefined();
});

describe("a value that is not a server", () => {
  const { registry } = createRegistry();
  test.each([
    ["nothing", undefined],
    ["null", null],
    ["text", "Server"],
    ["an empty object", {}],
    ["a wrapper without a server", { server: {} }],
    ["a wrapper of null", { server: null }],
    ["a field with the method's name", { setRequestHandler: true }],
    ["part of a Tenon server", { update: () => {} }],
  ])("F68: %s is rejected with a clear error", (_what, value) => {
    expect(() => registry.attachToServer(value)).toThrow(
      new Error(
        "attachToServer() requires a Server or McpServer instance. " +
          "The provided object does not have setRequestHandler().",
      ),
    );
  });
});

/** Returns the thrown error's causes. */
function reasonsOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    const { cause } = error as Error; // thrown by attachToServer
    return cause instanceof AggregateError ? cause.errors.map(String) : [];
  }
  return [];
}

type Handler = (request: unknown, extra: unknown) => unknown;

/** Creates a server that has only this method, as `McpServerLike` requires. */
function createDuck(methodOf: (given: unknown) => string) {
  const handlers = new Map<string, Handler>();
  const ask = (method: string, params?: unknown) => handlers.get(method)?.({ method, params }, {});
  return {
    ask,
    setRequestHandler: (given: unknown, handler: Handler) => void handlers.set(methodOf(given), handler),
  };
}

/** Request schema in the form that the SDK's first releases read. */
interface OldSchema {
  readonly shape: { readonly method: { readonly value: string } };
  parse(data: unknown): unknown;
}

describe("servers from any other SDK version", () => {
  test.each([
    ["takes names", (given: unknown) => String(given)],
    [
      "takes schemas, as the first releases did",
      (given: unknown) => {
        const schema = given as OldSchema; // as those releases assumed
        expect(schema.parse({ method: "x" })).toEqual({ method: "x" });
        return schema.shape.method.value;
      },
    ],
  ])("F69: setRequestHandler alone is enough if it %s", async (_how, methodOf) => {
    const { registry } = createRegistry();
    const duck = createDuck(methodOf);
    const detach = registry.attachToServer({ server: duck });
    expect(duck.ask("tools/list")).toEqual({ tools: registry.getAllTools() });
    const args = { action: "users.create", name: "Ada" };
    expect(await duck.ask("tools/call", { name: "platform", arguments: args })).toMatchObject({
      content: [{ type: "text", text: expect.stringContaining('"Ada"') as string }],
    });
    // Such a server may not have validated the request.
    for (const params of [undefined, null, "x", { name: 7 }]) {
      expect(await duck.ask("tools/call", params)).toMatchObject({ isError: true });
    }
    detach();
    expect(duck.ask("tools/list")).toEqual({ tools: [] });
  });

  test("F69, F70: nothing in tenon/grouped imports the SDK", () => {
    const grouped = readSourceFiles().filter(({ path }) => path.startsWith("tenon/grouped/"));
    expect(grouped.length).toBeGreaterThan(10);
    const packages = new Set(grouped.flatMap((file) => file.packages));
    expect([...packages].filter((name) => !name.startsWith("@tenon/internal/"))).toEqual([
      "@toon-format/toon",
    ]);
  });
});
