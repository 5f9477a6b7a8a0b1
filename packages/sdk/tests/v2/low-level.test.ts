/**
 * @fileoverview The low-level server, custom methods, and capabilities behave as in the official SDK, version 2.
 * @module tests/sdk/v2/low-level
 */
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  answersOf,
  type Behavior,
  bothSides,
  compare,
  ERAS,
  INFO,
  outcomeOf,
  plain,
  type Register,
  type Sdk,
  SDKS,
  settle,
  text,
} from "../support/v2/both-sides.js";

const search: Register = (server) =>
  server.server.setRequestHandler(
    "example/search",
    {
      params: z.object({ query: z.string(), limit: z.number().default(3) }),
      result: z.object({ hits: z.array(z.string()) }),
    },
    ({ query, limit }, ctx) => ({ hits: [query, String(limit), ctx.mcpReq.method] }),
  );
const searchFor =
  (params: object): Behavior["ask"] =>
  async ({ client }) =>
    client.request(
      { method: "example/search", params: { ...params } },
      z.object({ hits: z.array(z.string()) }),
    );

describe("custom methods", () => {
  compare([
    {
      title: "receive parsed parameters",
      register: search,
      ask: searchFor({ query: "q" }),
      shows: { answer: { hits: ["q", "3", "example/search"] } },
    },
    {
      title: "reject invalid parameters",
      register: search,
      ask: searchFor({ query: 1 }),
      shows: {
        refused: {
          code: -32602,
          message:
            "Invalid params for example/search: query: Invalid input: expected string, received number",
        },
      },
    },
    {
      title: "send errors",
      register: (server, sdk) =>
        server.server.setRequestHandler("example/search", { params: z.object({}) }, () => {
          throw new sdk.ProtocolError(-32044, "no", { a: 1 });
        }),
      ask: searchFor({}),
      shows: { refused: { code: -32044, message: "no", data: { a: 1 } } },
    },
    {
      title: "that are unknown are rejected",
      register: () => undefined,
      ask: searchFor({ query: "q" }),
      shows: { refused: {} },
    },
    {
      title: "reach the fallback handler",
      register: (server) => {
        server.server.fallbackRequestHandler = async ({ method, params }) => ({
          hits: [method, JSON.stringify(params)],
        });
      },
      ask: searchFor({ query: "q" }),
      shows: { answer: { hits: ["example/search", '{"query":"q"}'] } },
    },
    {
      title: "of MCP reach the fallback handler if nothing is registered",
      register: (server) => {
        server.server.fallbackRequestHandler = async ({ method }) => ({ prompts: [{ name: method }] });
      },
      ask: async ({ client }) => client.request({ method: "prompts/list" }),
      shows: { answer: { prompts: [{ name: "prompts/list" }] } },
    },
    {
      title: "can be removed",
      register: (server, sdk) => {
        search(server, sdk);
        server.server.removeRequestHandler("example/search");
      },
      ask: searchFor({ query: "q" }),
      shows: { refused: {} },
    },
    {
      title: "need schemas",
      register: () => undefined,
      ask: async ({ server }) => server().server.setRequestHandler("example/x" as "ping", () => ({})),
      shows: {
        refused: {
          name: "TypeError",
          message:
            "'example/x' is not a spec request method; pass schemas as the second argument to setRequestHandler().",
        },
      },
      eras: ["2025"],
    },
    {
      title: "may not be set twice",
      register: search,
      ask: async ({ server }) => server().server.assertCanSetRequestHandler("example/search"),
      shows: {
        refused: {
          message: "A request handler for example/search already exists, which would be overridden",
        },
      },
      eras: ["2025"],
    },
  ]);
});

describe("handlers of MCP methods", () => {
  const own: Register = (server) => {
    server.server.registerCapabilities({ tools: {}, resources: { subscribe: true } });
    server.server.setRequestHandler("tools/list", () => ({
      tools: [{ name: "own", inputSchema: { type: "object" } }],
      nextCursor: "n",
    }));
    server.server.setRequestHandler("tools/call", ({ params }, ctx) =>
      text(`${params.name} ${JSON.stringify(params.arguments)} ${ctx.mcpReq.method}`),
    );
    server.server.setRequestHandler("resources/subscribe", ({ params }) => ({ _meta: { uri: params.uri } }));
  };
  compare([
    {
      title: "replace lists",
      register: own,
      ask: async ({ client }) =>
        client.listTools({ cursor: "" }).catch(async () => client.request({ method: "tools/list" })),
      shows: { answer: { tools: [{ name: "own" }] } },
    },
    {
      title: "replace calls",
      register: own,
      ask: async ({ client }) => client.callTool({ name: "x", arguments: { a: 1 } }),
      shows: { answer: text('x {"a":1} tools/call') },
    },
    {
      title: "handle subscriptions",
      register: own,
      ask: async ({ client }) => client.subscribeResource({ uri: "a://b" }),
      shows: { answer: { _meta: { uri: "a://b" } } },
      eras: ["2025"],
    },
    {
      title: "are needed for subscriptions",
      register: (server) => server.registerResource("a", "a://b", {}, () => ({ contents: [] })),
      ask: async ({ client }) => client.request({ method: "resources/subscribe", params: { uri: "a://b" } }),
      shows: { refused: { code: -32601, message: "Method not found" } },
      eras: ["2025"],
    },
    {
      title: "need the capability",
      register: () => undefined,
      ask: async ({ server }) => server().server.setRequestHandler("tools/list", () => ({ tools: [] })),
      shows: {
        refused: {
          name: "SdkError",
          code: "CAPABILITY_NOT_SUPPORTED",
          message: "Server does not support tools (required for tools/list)",
        },
      },
      eras: ["2025"],
    },
  ]);
});

describe("capabilities and information", () => {
  const facts: Behavior["ask"] = async ({ client }) => [
    client.getServerCapabilities(),
    client.getServerVersion(),
    client.getInstructions(),
  ];
  compare([
    {
      title: "are those of the registrations",
      register: (server, sdk) => {
        server.registerTool("t", {}, () => text(""));
        server.registerPrompt(
          "p",
          { argsSchema: z.object({ a: sdk.completable(z.string(), () => []) }) },
          () => ({ messages: [] }),
        );
        server.registerResource("r", "a://b", {}, () => ({ contents: [] }));
      },
      ask: facts,
      shows: {
        answer: [
          {
            tools: { listChanged: true },
            prompts: { listChanged: true },
            resources: { listChanged: true },
            completions: {},
          },
          INFO,
          undefined,
        ],
      },
    },
    {
      title: "include declared ones",
      register: (server) => server.registerTool("t", {}, () => text("")),
      ask: facts,
      shows: {
        answer: [
          {
            tools: { listChanged: false },
            logging: {},
            experimental: { x: { y: 1 } },
            extensions: { "a/b": {} },
          },
          {},
          "Ask away.",
        ],
      },
      options: {
        server: {
          instructions: "Ask away.",
          capabilities: {
            logging: {},
            tools: { listChanged: false },
            experimental: { x: { y: 1 } },
            extensions: { "a/b": {} },
          },
        },
      },
    },
    {
      title: "can be registered",
      register: (server) =>
        server.server.registerCapabilities({ resources: { subscribe: true }, logging: {} }),
      ask: facts,
      shows: { answer: [{ resources: { subscribe: true }, logging: {} }, INFO, undefined] },
    },
    {
      title: "cannot be registered after connecting",
      register: () => undefined,
      ask: async ({ server }) => server().server.registerCapabilities({ logging: {} }),
      shows: {
        refused: {
          code: "ALREADY_CONNECTED",
          message: "Cannot register capabilities after connecting to transport",
        },
      },
      eras: ["2025"],
    },
    {
      title: "can be read",
      register: (server) => server.registerTool("t", {}, () => text("")),
      ask: async ({ server }) => server().server.getCapabilities(),
      shows: { answer: { tools: { listChanged: true } } },
    },
  ]);

  test.each([
    ["2025-06-18", { supportedProtocolVersions: ["2025-06-18", "2025-03-26"] }],
    ["2025-11-25", {}],
    ["2025-11-25", { supportedProtocolVersions: ["2030-01-01"] }],
    ["2025-12-01", { supportedProtocolVersions: ["2025-12-01"] }],
  ])("the version %s is negotiated", async (version, options) => {
    const versions = [];
    for (const [, sdk] of SDKS) {
      const server = new sdk.McpServer(INFO, options);
      const [near, far] = InMemoryTransport.createLinkedPair();
      const received: { result?: { protocolVersion?: string } }[] = [];
      near.onmessage = (message) => void received.push(message as { result?: { protocolVersion?: string } });
      await server.connect(far);
      await near.start();
      await near.send({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
      });
      await settle();
      versions.push(received[0]?.result?.protocolVersion);
    }
    expect(versions[0]).toBe(version);
    expect(versions[1]).toBe(version);
  });
});

describe("notifications from the client", () => {
  test("reach handlers, with parsed parameters", async () => {
    const outcomes = [];
    for (const side of await bothSides(() => undefined, {
      client: { capabilities: { roots: { listChanged: true } } },
    })) {
      const seen: unknown[] = [];
      const { server } = side.server();
      server.setNotificationHandler(
        "example/note",
        { params: z.object({ a: z.number() }) },
        (params, { method }) => void seen.push([params, method]),
      );
      server.setNotificationHandler(
        "notifications/roots/list_changed",
        ({ method }) => void seen.push(method),
      );
      server.fallbackNotificationHandler = async ({ method }) => void seen.push(["fallback", method]);
      await side.client.notification({ method: "example/note", params: { a: 1, b: 2 } });
      await side.client.notification({ method: "notifications/roots/list_changed" });
      await side.client.notification({ method: "example/other" });
      await side.client.notification({ method: "example/note", params: { a: "wrong" } });
      await settle();
      outcomes.push([seen, side.errors.length]);
    }
    expect(outcomes[0]).toEqual([
      [[{ a: 1 }, "example/note"], "notifications/roots/list_changed", ["fallback", "example/other"]],
      1,
    ]);
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  test("oninitialized is called", async () => {
    const seen: string[] = [];
    for (const [name, sdk] of SDKS) {
      const server = new sdk.McpServer(INFO);
      server.server.oninitialized = () => void seen.push(name);
      const [near, far] = InMemoryTransport.createLinkedPair();
      await server.connect(far);
      await new Client({ name: "c", version: "1" }).connect(near);
    }
    await settle();
    expect(seen).toEqual(["official", "tenon"]);
  });
});

describe("connections", () => {
  test("open and close", async () => {
    const seen: unknown[][] = [];
    for (const [, sdk] of SDKS) {
      const events: unknown[] = [];
      const server = new sdk.McpServer(INFO);
      server.server.onclose = () => void events.push("closed");
      const [near, far] = InMemoryTransport.createLinkedPair();
      events.push(server.isConnected());
      await server.connect(far);
      events.push(server.isConnected(), server.server.transport === far);
      const [, other] = InMemoryTransport.createLinkedPair();
      const again = await outcomeOf(server.connect(other));
      events.push((again as { refused: { code: unknown } }).refused.code);
      await server.close();
      events.push(server.isConnected(), server.server.transport);
      await server.connect(other);
      events.push(server.isConnected());
      void near;
      seen.push(events);
    }
    expect(seen[0]).toEqual([false, true, true, "ALREADY_CONNECTED", "closed", false, undefined, true]);
    expect(seen[1]).toEqual(seen[0]);
  });
});

describe("a low-level server on its own", () => {
  const create = (sdk: Sdk) => {
    const server = new sdk.Server(INFO, { capabilities: { tools: {} }, instructions: "Low." });
    server.setRequestHandler("tools/list", () => ({
      tools: [{ name: "raw", inputSchema: { type: "object" } }],
    }));
    server.setRequestHandler("tools/call", ({ params }) =>
      server.projectCallToolResult(
        { content: [], structuredContent: [params.name] },
        {
          type: "array",
        },
      ),
    );
    return server;
  };
  test.each(ERAS)("%s: serves its handlers", async (era) => {
    const outcomes = [];
    for (const [, sdk] of SDKS) {
      const handler = sdk.createMcpHandler(() => create(sdk));
      const mode = era === "2025" ? "legacy" : { pin: "2026-07-28" };
      const client = new Client({ name: "c", version: "1" }, { versionNegotiation: { mode } } as never);
      const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
      await client.connect(
        new StreamableHTTPClientTransport(new URL("http://localhost/"), {
          fetch: (url, init) => handler.fetch(new Request(url, init)),
        }),
      );
      outcomes.push(
        plain([
          await client.listTools(),
          await outcomeOf(client.callTool({ name: "raw" })),
          client.getInstructions(),
          client.getServerCapabilities(),
        ]),
      );
    }
    expect(outcomes[0]).toMatchObject([
      { tools: [{ name: "raw" }] },
      { answer: { content: [{ type: "text", text: '["raw"]' }] } },
      "Low.",
      { tools: {} },
    ]);
    expect(outcomes[1]).toEqual(outcomes[0]);
  });
});

test("2026: a custom method with a result reaches the client as it is", async () => {
  const [wanted, given] = await answersOf(
    (server) =>
      server.server.setRequestHandler("example/raw", { params: z.object({}) }, () => ({
        a: [1],
        _meta: { b: 2 },
      })),
    async ({ client }) => client.request({ method: "example/raw", params: {} }, z.looseObject({})),
    { era: "2026" },
  );
  expect(wanted).toMatchObject({ answer: { a: [1], _meta: { b: 2 } } });
  expect(plain(given)).toEqual(plain(wanted));
});

test("an update is sent once, even if the application handles subscriptions itself", async () => {
  const heard: number[] = [];
  const register: Register = ({ server }) => {
    server.registerCapabilities({ resources: { subscribe: true } });
    server.setRequestHandler("resources/subscribe", () => ({}));
  };
  for (const side of await bothSides(register)) {
    let count = 0;
    side.client.setNotificationHandler("notifications/resources/updated", () => void count++);
    await side.client.subscribeResource({ uri: "a://b" });
    await side.server().server.sendResourceUpdated({ uri: "a://b" });
    await settle();
    heard.push(count);
  }
  expect(heard).toEqual([1, 1]);
});

test("the transport learns the negotiated version", async () => {
  const versions: unknown[] = [];
  for (const [, { McpServer }] of SDKS) {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const seen: string[] = [];
    Object.assign(far, { setProtocolVersion: (version: string) => void seen.push(version) });
    await new McpServer(INFO).connect(far);
    const client = new Client({ name: "c", version: "1" });
    await client.connect(near);
    versions.push(seen);
    await client.close();
  }
  expect(versions[1]).toEqual(versions[0]);
  expect(versions[0]).toEqual(["2025-11-25"]);
});

test.each(ERAS)("%s: a built-in handler can be wrapped through `_requestHandlers`", async (era) => {
  const counts = { list: 0 };
  const register: Register = (server) => {
    server.registerTool("add", {}, () => ({ content: [] }));
    const { _requestHandlers: handlers } = server.server as unknown as {
      readonly _requestHandlers: Map<string, (...given: unknown[]) => Promise<unknown>>;
    };
    const original = handlers.get("tools/list");
    handlers.set("tools/list", (...given) => {
      counts.list++;
      return original?.(...given) ?? Promise.resolve({});
    });
  };
  const options = { era, server: { cacheHints: { "tools/list": { ttlMs: 5_000 } } } };
  const [wanted, given] = await answersOf(register, ({ client }) => client.listTools(), options);
  expect(plain(given)).toEqual(plain(wanted));
  expect(given).toMatchObject({ answer: { tools: [{ name: "add" }] } });
  expect(counts.list).toBe(2);
});
