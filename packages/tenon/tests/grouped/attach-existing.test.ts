import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { McpServer as McpServer2, Server as Server2 } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../src/core/define-server.js";
import { createTool, ToolRegistry } from "../../src/grouped/index.js";
import { createClient } from "../../src/testing/index.js";
import { HOSTS } from "../support/grouped/attach-hosts.js";
import { createRegistry } from "../support/grouped/attach-registry.js";

const INFO = { name: "host", version: "1.0.0" };
const TOOLS = { capabilities: { tools: {} } };
const ECHO = { name: "echo", inputSchema: { type: "object" as const } };
const PONG = { content: [{ type: "text" as const, text: "own pong" }] };

/** Servers that already have a tool named `echo`. */
const EXISTING: Readonly<Record<string, () => object>> = {
  "Server of version 1": () => {
    const server = new Server(INFO, TOOLS);
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [ECHO] }));
    server.setRequestHandler(CallToolRequestSchema, () => PONG);
    return server;
  },
  "McpServer of version 1": () => {
    const server = new McpServer(INFO);
    server.registerTool("echo", { inputSchema: { text: z.string().optional() } }, () => PONG);
    return server;
  },
  "Server of version 2": () => {
    const server = new Server2(INFO, TOOLS);
    server.setRequestHandler("tools/list", () => ({ tools: [ECHO] }));
    server.setRequestHandler("tools/call", () => PONG);
    return server;
  },
  "McpServer of version 2": () => {
    const server = new McpServer2(INFO);
    server.registerTool("echo", { inputSchema: z.object({ text: z.string().optional() }) }, () => PONG);
    return server;
  },
};

describe.each(Object.entries(HOSTS))("%s with a tool of its own", (kind, host) => {
  const make = () => EXISTING[kind]?.() ?? {};
  const namesOf = async (client: Awaited<ReturnType<typeof host.connect>>) =>
    (await client.listTools()).map(({ name }) => name);

  test("first-run-c6: its tool stays listed and callable next to the registry's", async () => {
    const { registry } = createRegistry();
    const server = make();
    registry.attachToServer(server);
    const client = await host.connect(server);
    expect(await namesOf(client)).toEqual(["echo", "platform", "admin"]);
    expect((await client.callTool("echo")).text).toBe("own pong");
    expect((await client.callTool("platform", { action: "users.create", name: "Ada" })).text).toContain(
      "Ada",
    );
  });

  test("first-run-c6: after detaching, it has its own tool again", async () => {
    const { registry, seen } = createRegistry();
    const server = make();
    const detach = registry.attachToServer(server);
    const client = await host.connect(server);
    detach();
    expect(await namesOf(client)).toEqual(["echo"]);
    expect((await client.callTool("echo")).text).toBe("own pong");
    expect(seen.wiped).toEqual([]);
    registry.attachToServer(server, { filter: { tags: ["internal"] } });
    expect(await namesOf(client)).toEqual(["echo", "admin"]);
  });

  test("first-run-c6: two registries can be attached and detached in any order", async () => {
    const { registry } = createRegistry();
    const other = new ToolRegistry().register(
      createTool("more").action({ name: "a", handler: () => "more" }),
    );
    const server = make();
    const detachFirst = registry.attachToServer(server);
    const detachSecond = other.attachToServer(server);
    const client = await host.connect(server);
    expect(await namesOf(client)).toEqual(["echo", "platform", "admin", "more"]);
    detachFirst();
    expect(await namesOf(client)).toEqual(["echo", "more"]);
    expect((await client.callTool("more", { action: "a" })).text).toBe("more");
    detachSecond();
    expect(await namesOf(client)).toEqual(["echo"]);
  });

  test("first-run-c6: attaching a name twice fails, and the first tool stays", async () => {
    const { registry } = createRegistry();
    const server = make();
    registry.attachToServer(server);
    expect(() => registry.attachToServer(server)).toThrow(
      new Error('Tool "platform" is already registered.'),
    );
    const client = await host.connect(server);
    expect(await namesOf(client)).toEqual(["echo", "platform", "admin"]);
  });
});

test.each(["McpServer of version 1", "McpServer of version 2"])(
  "first-run-c6: a registry with the name of a tool of %s is rejected, and unknown tools list all names",
  async (kind) => {
    const server = EXISTING[kind]?.() ?? {};
    const echo = createTool("echo").action({ name: "a", handler: () => "" });
    expect(() => new ToolRegistry().register(echo).attachToServer(server)).toThrow(
      new Error('Tool "echo" is already registered.'),
    );
    createRegistry().registry.attachToServer(server);
    const client = await HOSTS[kind]?.connect(server);
    expect(await client?.callTool("nothing")).toEqual({
      text: 'Unknown tool: "nothing". Available tools: echo, platform, admin',
      isError: true,
    });
  },
);

test("first-run-c6: only a server's first page contains the registry's tools", async () => {
  const server = new Server(INFO, TOOLS);
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    params?.cursor === undefined
      ? { tools: [{ ...ECHO, name: "one" }], nextCursor: "2" }
      : { tools: [{ ...ECHO, name: "two" }] },
  );
  createRegistry().registry.attachToServer(server);
  const handlers = (server as unknown as { _requestHandlers: Map<string, (request: unknown) => unknown> })
    ._requestHandlers;
  const list = (params: object) => handlers.get("tools/list")?.({ method: "tools/list", params });
  expect(await list({})).toMatchObject({
    tools: [{ name: "one" }, { name: "platform" }, { name: "admin" }],
    nextCursor: "2",
  });
  expect(await list({ cursor: "2" })).toMatchObject({ tools: [{ name: "two" }] });
});

test("first-run-c6: a server whose tools cannot be kept is rejected", () => {
  const server = {
    setRequestHandler: () => {},
    assertCanSetRequestHandler: (method: string) => {
      throw new Error(`A request handler for ${method} already exists`);
    },
  };
  expect(() => createRegistry().registry.attachToServer(server)).toThrow(
    "attachToServer() would drop the tools that the server already has. " +
      "Attach to a server without tools, or move its tools to the registry.",
  );
});

test("first-run-c6: a Tenon server keeps its own tools", async () => {
  const server = defineServer(INFO)
    .tool("echo", { handler: () => "own pong" })
    .build();
  const detach = createRegistry().registry.attachToServer(server);
  const client = await createClient(server);
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["echo", "platform", "admin"]);
  detach();
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["echo"]);
});
