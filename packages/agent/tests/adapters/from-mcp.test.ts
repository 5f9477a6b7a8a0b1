import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as OldTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { connectMcpServer } from "../../src/adapters/connect-mcp-server.js";
import { fromGrouped } from "../../src/adapters/from-grouped.js";
import { fromMcpClient, fromMcpServer } from "../../src/adapters/from-mcp-server.js";
import { toMcpTool } from "../../src/adapters/to-mcp-tool.js";
import type { ToolDefinition } from "../../src/tools/define-tool.js";
import { ToolRegistry } from "../../src/tools/tool-registry.js";
import { ToolService } from "../../src/tool-service.js";
import { createClient } from "tenon/client";
import { createTool } from "tenon/grouped";
import { defineServer } from "tenon";
import { toNodeHandler } from "tenon/node";
import { inspect, search, shout } from "../support/adapters/tools.js";

const INFO = { name: "tools", version: "1.0.0" };

interface App {
  readonly name: string;
}

function createServer() {
  return defineServer<App>(INFO)
    .tool("add", {
      description: "Adds two numbers",
      input: z.object({ a: z.number(), b: z.number().int().describe("The second") }),
      output: z.object({ sum: z.number() }),
      handler: ({ a, b }) => ({ sum: a + b }),
    })
    .tool("place/order", {
      description: "Places an order",
      input: z.object({
        customer: z.object({ name: z.string(), vip: z.boolean().optional() }),
        lines: z.array(z.object({ sku: z.string(), count: z.number() })),
        priority: z.enum(["low", "high"]).optional(),
        note: z.string().nullable().optional(),
        extra: z.union([z.string(), z.number()]).optional(),
        labels: z.record(z.string(), z.string()).optional(),
      }),
      handler: (args, call) => ({ by: call.context?.name, args }),
    })
    .tool("refuse", { handler: () => ({ content: [{ type: "text", text: "not today" }], isError: true }) })
    .tool("crash", {
      handler: () => {
        throw new Error("secret of the house");
      },
    })
    .tool("admin", { scopes: ["admin"], handler: () => "done" })
    .tool("talk", {
      handler: async (_args, call) => {
        await call.log("info", "half way");
        return "said";
      },
    });
}

function createSdkServer() {
  const server = new McpServer(INFO, { capabilities: { tools: {} } });
  server.registerTool(
    "add",
    { description: "Adds", inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
  );
  server.registerTool("wait", { description: "Waits" }, () => new Promise(() => {}));
  return server;
}

async function connectNewClient() {
  const server = createSdkServer();
  const client = new Client(INFO);
  const [one, two] = InMemoryTransport.createLinkedPair();
  await server.connect(two);
  await client.connect(one);
  onTestFinished(() => client.close());
  return client;
}

async function connectOldClient() {
  const server = createSdkServer();
  const client = new OldClient(INFO);
  const [one, two] = OldTransport.createLinkedPair();
  await server.connect(two);
  await client.connect(one);
  onTestFinished(() => client.close());
  return client;
}

async function toolsOf(server = createServer(), context?: App) {
  const tools = await fromMcpServer(server, context === undefined ? {} : { context });
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function run(tools: Iterable<ToolDefinition>, xmlParams: string, more: object = {}) {
  const registry = new ToolRegistry();
  for (const tool of tools) registry.register(tool);
  return new ToolService(registry).parseAndExecute({ xmlParams, getCurrentTask: () => "task", ...more });
}

describe("Tenon server tools as agent tools", () => {
  test("every tool is a complete definition with a valid example", async () => {
    const tools = await toolsOf();
    expect([...tools.keys()]).toEqual(["add", "place_order", "refuse", "crash", "admin", "talk"]);
    expect(tools.get("add")).toEqual({
      name: "add",
      description: "Adds two numbers",
      whenToUse: "When its description matches the task at hand",
      params: [
        { name: "a", description: "a", optional: false, type: "number" },
        { name: "b", description: "The second. Whole number", optional: false, type: "number" },
      ],
      useExamples: ["<add>\n  <a>1</a>\n  <b>1</b>\n</add>"],
      inputSchema: expect.objectContaining({ type: "object", required: ["a", "b"] }),
      invoke: expect.any(Function),
    });
  });

  test("a schema becomes tags, with JSON as the fallback", async () => {
    const { params = [] } = (await toolsOf()).get("place_order") ?? {};
    const optional = true;
    expect(params).toEqual([
      {
        name: "customer",
        description: "customer",
        optional: false,
        type: "object",
        params: [
          { name: "name", description: "name", optional: false },
          { name: "vip", description: "vip", optional, type: "boolean" },
        ],
      },
      {
        name: "lines",
        description: "lines",
        optional: false,
        type: "array",
        params: [
          {
            name: "item",
            description: "item",
            optional: false,
            type: "object",
            params: [
              { name: "sku", description: "sku", optional: false },
              { name: "count", description: "count", optional: false, type: "number" },
            ],
          },
        ],
      },
      { name: "priority", description: "priority. One of: low, high", optional },
      { name: "note", description: "note", optional },
      { name: "extra", description: "extra (as JSON)", optional, format: "json" },
      { name: "labels", description: "labels (as JSON)", optional, format: "json" },
    ]);
  });

  test("a call that a model writes reaches the server's handler with typed arguments", async () => {
    const tools = await toolsOf(createServer(), { name: "shop" });
    const { toolResult, message } = await run(
      tools.values(),
      `<place_order><customer><name>Ada</name><vip>true</vip></customer>
       <lines><item><sku>x</sku><count>2</count></item></lines>
       <extra>5</extra><labels>{"a":"b"}</labels></place_order>`,
    );
    const args = {
      customer: { name: "Ada", vip: true },
      lines: [{ sku: "x", count: 2 }],
      extra: 5,
      labels: { a: "b" },
    };
    expect(toolResult).toBe(JSON.stringify({ by: "shop", args }));
    expect(message).toBe(toolResult);
  });

  test("structured content is the result", async () => {
    const run1 = await run((await toolsOf()).values(), "<add><a>1</a><b>2</b></add>");
    expect(run1).toEqual({ message: '{"sum":3}', params: { a: 1, b: 2 }, toolResult: { sum: 3 } });
  });

  test.each([
    [
      "<add><a>1</a><b>2.5</b></add>",
      /^Tool 'add' parameter validation failed: b: Expected a whole number; got 2.5$/,
    ],
    ["<refuse></refuse>", /^Tool 'refuse' failed: not today$/],
    ["<add><a>1</a></add>", /^Tool 'add' parameter validation failed: b: /],
  ])("the model receives the server's error for an invalid call: %s", async (xml, text) => {
    expect((await run((await toolsOf()).values(), xml)).message).toMatch(text);
  });

  test("the model does not receive internal error messages", async () => {
    const { message, error } = await run((await toolsOf()).values(), "<crash></crash>");
    expect(message).toMatch(/^Tool 'crash' failed/);
    expect(message + String(error?.cause)).not.toContain("secret");
  });

  test("an agent with an identity sees only the tools that it may call", async () => {
    const auth = { principal: "ada", scopes: [] };
    const names = (await fromMcpServer(createServer(), { auth })).map(({ name }) => name);
    expect(names).not.toContain("admin");
    expect(names).toContain("add");
  });

  test("a tool's log messages are forwarded to the user", async () => {
    const posted: unknown[] = [];
    const postMessage = (message: unknown) => posted.push(message);
    expect((await run((await toolsOf()).values(), "<talk></talk>", { postMessage })).toolResult).toBe("said");
    expect(posted).toEqual(["half way"]);
  });

  test("an abort reaches the handler", async () => {
    let reason: unknown;
    const server = defineServer(INFO).tool("wait", {
      handler: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            reject(signal.reason as Error);
          });
        }),
    });
    const [tool] = await fromMcpServer(server);
    const controller = new AbortController();
    const context = { params: {}, getCurrentTask: () => "t", getToolFromName: () => undefined };
    const running = tool?.invoke({ ...context, signal: controller.signal });
    controller.abort(new Error("stop it"));
    await expect(running).rejects.toThrow("stop it");
    expect(reason).toBeDefined();
  });

  test("reads all pages of a tool list", async () => {
    const builder = defineServer({ ...INFO, pageSize: 7 });
    for (let index = 0; index < 30; index++) builder.tool(`tool_${index}`, { handler: () => "x" });
    expect(await fromMcpServer(builder)).toHaveLength(30);
  });

  test("a prefix prevents name collisions between servers", async () => {
    const tools = await fromMcpServer(createServer(), { prefix: "shop_" });
    expect(tools[0]?.name).toBe("shop_add");
    expect((await run(tools, "<shop_add><a>1</a><b>2</b></shop_add>")).toolResult).toEqual({ sum: 3 });
  });

  test("C9: a tool that is converted to a server and back behaves the same", async () => {
    const registry = new ToolRegistry().register(search).register(shout).register(inspect);
    const back = await fromMcpServer(defineServer(INFO).tools(toMcpTool(registry)));
    const xml =
      "<search><query>oak</query><limit>3</limit><filters><item>a</item><item>b</item></filters></search>";
    expect((await run(back, xml)).toolResult).toEqual({ query: "oak", limit: 3, filters: ["a", "b"] });
    expect((await run(back, "<shout><text>hey</text></shout>")).toolResult).toEqual({ result: "HEY" });
  });
});

describe("tools from an external server", () => {
  test("connects to a URL with a token", async () => {
    const seen = new Set<string | undefined>();
    const handle = toNodeHandler(createServer(), { context: { name: "Ada" } });
    const http = createHttpServer((request, response) => {
      seen.add(request.headers.authorization);
      handle(request, response);
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    onTestFinished(() => void http.close());
    onTestFinished(() => http.closeAllConnections());
    const { port } = http.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/mcp`;
    const connected = await connectMcpServer({ url, token: "a-token" });
    onTestFinished(() => connected.close());
    const { tools } = connected;
    expect((await run(tools, "<add><a>1</a><b>2</b></add>")).toolResult).toEqual({ sum: 3 });
    expect((await run(tools, "<refuse></refuse>")).message).toBe("Tool 'refuse' failed: not today");
    expect([...seen]).toEqual(["Bearer a-token"]);
  });

  test("does not follow redirects, which could send the token to a different URL", async () => {
    const paths: (string | undefined)[] = [];
    const http = createHttpServer((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    onTestFinished(() => void http.close());
    onTestFinished(() => http.closeAllConnections());
    const { port } = http.address() as AddressInfo;
    await expect(
      connectMcpServer({ url: `http://127.0.0.1:${port}/mcp`, token: "a-token" }),
    ).rejects.toThrow();
    expect(new Set(paths)).toEqual(new Set(["/mcp"]));
  });

  test("rejects if the server cannot be reached", async () => {
    await expect(connectMcpServer({ url: "http://127.0.0.1:1/mcp" })).rejects.toThrow();
  });

  test.each(["version 1", "version 2"])(
    "calls tools through an official SDK client of %s",
    async (version) => {
      const client = version === "version 1" ? await connectOldClient() : await connectNewClient();
      const tools = await fromMcpClient(client);
      expect((await run(tools, "<add><a>1</a><b>2</b></add>")).toolResult).toBe("3");
      const service = new ToolService(
        tools.reduce((registry, tool) => registry.register(tool), new ToolRegistry()),
      );
      const { message } = await service.execute({
        name: "add",
        params: { a: 1, b: "x" },
        getCurrentTask: () => "t",
      });
      expect(message).toBe("Tool 'add' parameter validation failed: b: Expected a number; got \"x\"");
    },
  );

  test.each(["version 1", "version 2"])("an abort reaches an SDK client of %s", async (version) => {
    const client = version === "version 1" ? await connectOldClient() : await connectNewClient();
    const [, wait] = await fromMcpClient(client);
    const controller = new AbortController();
    const context = { params: {}, getCurrentTask: () => "t", getToolFromName: () => undefined };
    const running = wait?.invoke({ ...context, signal: controller.signal });
    controller.abort(new Error("stop it"));
    await expect(running).rejects.toThrow("stop it");
  });

  test("calls tools through Tenon's own client", async () => {
    const client = await createClient(createServer(), { context: { name: "Ada" } });
    const tools = await fromMcpClient(client);
    expect((await run(tools, "<add><a>1</a><b>2</b></add>")).toolResult).toEqual({ sum: 3 });
    expect((await run(tools, "<refuse></refuse>")).message).toBe("Tool 'refuse' failed: not today");
  });

  test.each([[{}], [{ listTools: () => undefined }], [null]])(
    "rejects %j, which is not a client",
    async (client) => {
      await expect(fromMcpClient(client as never)).rejects.toThrow(
        new TypeError(
          "fromMcpClient: the client must have the methods `listTools` and `callTool`. Pass a connected client from " +
            "`createClient` of tenon/client, or a `Client` of the official SDK.",
        ),
      );
    },
  );

  test("the model receives an SDK server's error response", async () => {
    const client = await connectNewClient();
    const tools = await fromMcpClient({
      listTools: async () => ({ tools: [{ name: "gone", inputSchema: { type: "object" } }] }),
      callTool: (params: { name: string; arguments: Record<string, unknown> }) => client.callTool(params),
    });
    expect((await run(tools, "<gone></gone>")).message).toMatch(/^Tool 'gone' failed: .*gone/);
  });

  test.each([
    [
      "a list that never ends",
      1,
      "The MCP server lists too many tools (limit: 1000 tools, 100 pages, 8388608 bytes).",
    ],
    [
      "a page that is too large",
      2_000,
      "The MCP server lists too many tools (limit: 1000 tools, 100 pages, 8388608 bytes).",
    ],
  ])("rejects %s", async (_name, count, message) => {
    const tools = Array.from({ length: count }, (_, index) => ({ name: `t${index}`, inputSchema: {} }));
    const client = {
      listTools: async () => ({ tools, nextCursor: "more" }),
      callTool: async () => ({}),
    };
    await expect(fromMcpClient(client)).rejects.toThrow(message);
  });

  test("rejects a list that takes too much memory", async () => {
    const listTools = vi.fn(async () => ({
      tools: [{ name: "t", description: "x".repeat(1_000_000), inputSchema: {} }],
      nextCursor: "more",
    }));
    await expect(fromMcpClient({ listTools, callTool: async () => ({}) })).rejects.toThrow(
      "The MCP server lists too many tools (limit: 1000 tools, 100 pages, 8388608 bytes).",
    );
    expect(listTools).toHaveBeenCalledTimes(9);
  });

  test.each([
    ["a malformed result", { oops: true }, "Tool 't' failed: The MCP server sent an invalid tool result."],
    ["no result", undefined, "Tool 't' failed: The MCP server sent an invalid tool result."],
    [
      "an error result without text",
      { content: [], isError: true },
      "Tool 't' failed: The tool failed without an error message.",
    ],
  ])("%s is an error for the model", async (_name, result, message) => {
    const client = {
      listTools: async () => ({ tools: [{ name: "t", inputSchema: { type: "object" } }] }),
      callTool: async () => result,
    };
    expect((await run(await fromMcpClient(client), "<t></t>")).message).toBe(message);
  });

  test("texts from an external server are truncated and stripped of control characters", async () => {
    const client = {
      listTools: async () => ({
        tools: [{ name: "1 tool/über", description: `\u001b[2J${"x".repeat(50_000)}`, inputSchema: [] }],
      }),
      callTool: async () => ({ content: [{ type: "text", text: `\u0000${"y".repeat(500_000)}` }] }),
    };
    const tools = await fromMcpClient(client);
    expect(tools[0]?.name).toBe("_1_tool__ber");
    expect(tools[0]?.description).toHaveLength(20_001);
    expect(tools[0]?.description.startsWith("[2Jx")).toBe(true);
    const { message } = await run(tools, "<_1_tool__ber></_1_tool__ber>");
    expect(message).toHaveLength(100_001);
  });
});

describe("grouped tool actions as agent tools", () => {
  const users = () =>
    createTool<App>("users")
      .action({ name: "list", description: "Lists users", handler: (app) => `users of ${app.name}` })
      .action({
        name: "ban",
        schema: z.object({ id: z.string() }),
        handler: (app, { id }) => `${id} is out of ${app.name}`,
      });

  test("C9: each action is a tool", async () => {
    const tools = fromGrouped(users(), { context: { name: "shop" } });
    expect(tools.map(({ name }) => name)).toEqual(["users_list", "users_ban"]);
    expect((await run(tools, "<users_ban><id>ada</id></users_ban>")).toolResult).toBe("ada is out of shop");
  });

  test("C9: all actions can be one tool", async () => {
    const tools = fromGrouped(users(), { context: { name: "shop" }, expose: "grouped" });
    expect(tools.map(({ name }) => name)).toEqual(["users"]);
    const { toolResult } = await run(tools, "<users><action>list</action></users>");
    expect(toolResult).toBe("users of shop");
    expect((await run(tools, "<users><action>drop</action></users>")).message).toBe(
      'Tool \'users\' parameter validation failed: action: Expected one of "list", "ban"; got "drop"',
    );
  });
});
