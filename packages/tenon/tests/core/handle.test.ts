import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  defineServer,
  FnToolHandler,
  type LogEntry,
  McpError,
  PROTOCOL_VERSION,
  Server,
  textResult,
} from "../../src/index.js";
import { LEGACY_REVISIONS } from "../../src/protocol/index.js";
import {
  exchangeOf,
  handle,
  MODERN,
  modernRequest,
  replyTo,
  request,
  toolCall,
} from "../../../../tests/support/requests.js";

const TOOLS = JSON.stringify([
  { name: "echo", description: "Echoes", inputSchema: { type: "object", required: ["text"] } },
  { name: "idle", inputSchema: { type: "object" } },
]);
const RESOURCES = JSON.stringify([
  { name: "readme", uri: "doc://readme", mimeType: "text/plain" },
  { name: "idle", uri: "doc://idle" },
]);

function basicServer() {
  return Server.builder()
    .serverInfo("basic", "2.0.0")
    .toolsJson(TOOLS)
    .resourcesJson(RESOURCES)
    .build()
    .handleTool("echo", new FnToolHandler((args) => textResult(String(args["text"]))))
    .handleResource("readme", { call: (uri) => ({ uri, text: "read me" }) });
}

describe("R2: handle returns a response for every message", () => {
  test("R18: initialize and the lists are cached, other results are created per request", async () => {
    const server = basicServer();
    const kindOf = async (method: string, params?: Record<string, unknown>) =>
      (await handle(server, request(method, params))).kind;
    expect(await kindOf("initialize", { protocolVersion: PROTOCOL_VERSION })).toBe("cached");
    expect(await kindOf("tools/list")).toBe("cached");
    expect(await kindOf("resources/list")).toBe("cached");
    expect(await kindOf("ping")).toBe("result");
    expect(await kindOf("tools/call", { name: "echo", arguments: { text: "a" } })).toBe("result");
    expect(await kindOf("resources/read", { uri: "doc://readme" })).toBe("result");
    expect(await kindOf("no/such")).toBe("error");
    expect((await handle(server, { jsonrpc: "2.0", method: "notifications/initialized" })).kind).toBe(
      "notification",
    );
  });

  test("R18, R31: only tools and resources receive the context, unchanged", async () => {
    const seen: unknown[] = [];
    const server = Server.builder<object>()
      .toolsJson(TOOLS)
      .resourcesJson(RESOURCES)
      .build()
      .handleTool("echo", new FnToolHandler((_args, context) => (seen.push(context), "ok")))
      .handleResource("readme", { call: (_uri, context) => (seen.push(context), "ok") });
    const claims = Object.freeze({ sub: "user-123", tenant_id: "acme" });
    for (const method of ["initialize", "ping", "tools/list", "resources/list"]) {
      await server.handle(request(method), claims);
    }
    expect(seen).toEqual([]);
    await server.handle(toolCall("echo", { text: "a" }), claims);
    await server.handle(request("resources/read", { uri: "doc://readme" }), claims);
    expect(seen[0]).toBe(claims);
    expect(seen[1]).toBe(claims);
  });

  test("R17: arguments are passed to the handler by reference", async () => {
    let seen: unknown;
    const server = basicServer().handleTool("idle", new FnToolHandler((args) => ((seen = args), "ok")));
    const args = { nested: { list: [1, 2, 3] } };
    await handle(server, toolCall("idle", args));
    expect(seen).toBe(args);
  });

  test("R3, R49: messages are routed and checked, and every error code comes from the error table", async () => {
    const server = basicServer();
    const cases: readonly (readonly [unknown, number, string])[] = [
      [{ jsonrpc: "1.0", id: 1, method: "ping" }, -32600, "jsonrpc must be '2.0'"],
      [{ id: 1, method: "ping" }, -32600, "jsonrpc must be '2.0'"],
      [{ jsonrpc: "2.0", id: null, method: "ping" }, -32600, "`id` must be a string or a safe integer."],
      [{ jsonrpc: "2.0", id: 1 }, -32600, "`method` must be a string."],
      [{ jsonrpc: "2.0", id: 1, method: 7 }, -32600, "`method` must be a string."],
      [{ jsonrpc: "2.0", id: 1, Method: "ping" }, -32600, "`method` must be a string."],
      ["ping", -32600, "The message must be a JSON object."],
      [[], -32600, "The message must be a JSON object."],
      [null, -32600, "The message must be a JSON object."],
      [request("nope"), -32601, "Method not found: nope"],
      [request("constructor"), -32601, "Method not found: constructor"],
      [request("__proto__"), -32601, "Method not found: __proto__"],
      [request("server/discover"), -32601, "Method not found: server/discover"],
      [{ ...request("ping"), params: [] }, -32602, "`params` must be an object."],
      [request("tools/call"), -32602, "params required"],
      [request("tools/call", { name: 3 }), -32602, "invalid params: name must be a string"],
      [
        request("tools/call", { name: "echo", arguments: [] }),
        -32602,
        "invalid params: arguments must be an object",
      ],
      [request("resources/read"), -32602, "params required"],
      [request("resources/read", {}), -32602, "either name or uri must be provided"],
      [request("prompts/get"), -32602, "params required"],
      [request("prompts/get", { name: "nope" }), -32602, "Unknown prompt: nope"],
      [request("tools/list", { cursor: 3 }), -32602, "invalid params: cursor must be a string"],
      [
        request("tools/list", { cursor: "" }),
        -32602,
        "The cursor is invalid or outdated. Request the first page again.",
      ],
      [
        request("logging/setLevel", { level: "loud" }),
        -32602,
        "invalid params: level must be one of debug, info, notice, warning, error, critical, alert, emergency",
      ],
      [request("completion/complete", {}), -32602, "invalid params: ref and argument must be objects"],
      [
        request("notifications/initialized"),
        -32600,
        "A notification must not have an `id`. Send it without one.",
      ],
    ];
    for (const [message, code, text] of cases) {
      expect((await replyTo(server, message)).error, JSON.stringify(message)).toEqual({
        code,
        message: text,
      });
    }
  });

  test("the response to an invalid message contains the message ID if it is valid, and null otherwise", async () => {
    const server = basicServer();
    expect((await replyTo(server, { jsonrpc: "1.0", id: "x", method: "ping" })).id).toBe("x");
    expect((await replyTo(server, { jsonrpc: "2.0", id: {}, method: "ping" })).id).toBeNull();
    expect((await replyTo(server, 5)).id).toBeNull();
  });

  test("R47: known and unknown notifications are accepted without a response", async () => {
    const server = basicServer();
    for (const method of [
      "notifications/initialized",
      "notifications/cancelled",
      "notifications/roots/list_changed",
      "notifications/anything",
      "tools/call",
    ]) {
      const response = await handle(server, { jsonrpc: "2.0", method, params: { requestId: 1 } });
      expect(response.isEmpty()).toBe(true);
      expect(response.status).toBe(202);
      expect(response.toText()).toBe("");
      expect(response.toBytes()).toHaveLength(0);
      expect(response.parts()).toEqual({ prefix: "", payload: "", suffix: "" });
      expect(response.intoJsonRpc()).toBeUndefined();
    }
  });

  test("an unexpected response is ignored", async () => {
    const server = basicServer();
    const reply = { jsonrpc: "2.0", id: 9, result: {} };
    expect((await handle(server, reply)).isEmpty()).toBe(true);
    expect((await handle(server, reply, exchangeOf())).isEmpty()).toBe(true);
  });
});

describe("tools", () => {
  test("R38: an unknown tool is -32601 in the legacy eras, -32602 in the modern era, or `unknownToolCode`", async () => {
    const server = basicServer();
    const message = "Unknown tool: nope";
    expect((await replyTo(server, toolCall("nope"))).error).toEqual({ code: -32601, message });
    const modern = await replyTo(
      server,
      modernRequest("tools/call", { name: "nope" }),
      exchangeOf({ era: "modern" }),
    );
    expect(modern.error).toEqual({ code: -32602, message });
    const own = defineServer({ name: "a", version: "1", unknownToolCode: -32099 }).build();
    expect((await replyTo(own, toolCall("nope"))).error?.code).toBe(-32099);
    expect((await replyTo(server, toolCall("__proto__"))).error?.code).toBe(-32601);
    expect((await replyTo(server, toolCall("x".repeat(1000)))).error?.message).toHaveLength(
      "Unknown tool: ".length + 129,
    );
  });

  test("R39: a declared tool or resource without a handler is -32603", async () => {
    const server = basicServer();
    expect((await replyTo(server, toolCall("idle"))).error).toEqual({
      code: -32603,
      message: "no handler for tool: idle",
    });
    expect((await replyTo(server, request("resources/read", { name: "idle" }))).error).toEqual({
      code: -32603,
      message: "no handler for resource: idle",
    });
  });

  test("R40: a failed handler returns a result with isError, and only the message of an McpError is sent", async () => {
    const entries: LogEntry[] = [];
    const server = defineServer({ name: "a", version: "1", log: (entry) => entries.push(entry) })
      .tool("told", {
        handler: () => {
          throw new McpError("NOT_FOUND", "No such invoice", { invoice: 42 });
        },
      })
      .tool("secret", {
        handler: async () => {
          throw new Error("password=hunter2");
        },
      })
      .build();
    expect((await replyTo(server, toolCall("told"))).result).toEqual({
      content: [{ type: "text", text: "No such invoice" }],
      isError: true,
    });
    expect((await replyTo(server, toolCall("secret"))).result).toEqual({
      content: [{ type: "text", text: "Tool secret failed" }],
      isError: true,
    });
    expect(entries).toEqual([
      {
        level: "error",
        event: "handler-failed",
        operation: "tools/call",
        name: "secret",
        error: new Error("password=hunter2"),
      },
    ]);
  });

  test("exposeErrors sends the message of unexpected errors and nothing else", async () => {
    const server = defineServer({ name: "a", version: "1", exposeErrors: true })
      .tool("open", {
        handler: () => {
          throw new Error("disk full");
        },
      })
      .tool("odd", {
        handler: () => {
          throw "just text";
        },
      })
      .build();
    expect(JSON.stringify(await replyTo(server, toolCall("open")))).toContain('"text":"disk full"');
    expect(JSON.stringify(await replyTo(server, toolCall("odd")))).toContain('"text":"Tool odd failed"');
  });

  test("a log sink that throws does not affect the response", async () => {
    const log = () => {
      throw new Error("sink is broken");
    };
    const server = defineServer({ name: "a", version: "1", log })
      .tool("secret", { handler: () => Promise.reject(new Error("x")) })
      .build();
    expect((await replyTo(server, toolCall("secret"))).result).toMatchObject({ isError: true });
  });

  test("a result that cannot be serialized is a tool error", async () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const server = defineServer({ name: "a", version: "1" })
      .tool("cycle", { handler: () => cycle })
      .tool("bigint", {
        handler: () => ({ content: [{ type: "text" as const, text: "a", _meta: { n: 1n } }] }),
      })
      .build();
    for (const name of ["cycle", "bigint"]) {
      expect((await replyTo(server, toolCall(name))).result).toMatchObject({ isError: true });
    }
  });
});

describe("resources", () => {
  test("R46: a resource is read by name or URI, and the name takes precedence", async () => {
    const server = Server.builder()
      .resourcesJson(RESOURCES)
      .build()
      .handleResource("readme", { call: () => "by readme" })
      .handleResource("idle", { call: () => "by idle" });
    const text = async (params: Record<string, unknown>) => {
      const { contents } = (await replyTo(server, request("resources/read", params))).result as {
        contents: { uri: string; text: string }[];
      };
      return contents[0]?.text;
    };
    expect(await text({ uri: "doc://readme" })).toBe("by readme");
    expect(await text({ name: "readme" })).toBe("by readme");
    expect(await text({ name: "idle", uri: "doc://readme" })).toBe("by idle");
  });

  test("a missing resource is -32002 in the legacy eras and -32602 in the modern era, with its URI", async () => {
    const server = basicServer();
    const params = { uri: "doc://nope" };
    const expected = { message: "resource not found", data: params };
    expect((await replyTo(server, request("resources/read", params))).error).toEqual({
      code: -32002,
      ...expected,
    });
    const exchange = exchangeOf({ era: "modern" });
    const response = await handle(server, modernRequest("resources/read", params), exchange);
    expect(response.intoJsonRpc()?.error).toEqual({ code: -32602, ...expected });
    expect(response.status).toBe(200);
  });

  test("R14: a handler returns text, bytes, content, or a full result, or fails with an McpError", async () => {
    const make = (value: unknown) =>
      defineServer({ name: "a", version: "1" })
        .resource("r", { uri: "doc://r", mimeType: "text/plain", handler: () => value as string })
        .build();
    const read = async (value: unknown) =>
      (await replyTo(make(value), request("resources/read", { name: "r" }))).result;
    const text = { contents: [{ uri: "doc://r", mimeType: "text/plain", text: "hi" }] };
    expect(await read("hi")).toEqual(text);
    expect(await read(Promise.resolve("hi"))).toEqual(text);
    expect(await read(new TextEncoder().encode("hi"))).toEqual({
      contents: [{ uri: "doc://r", mimeType: "text/plain", blob: "aGk=" }],
    });
    expect(await read({ uri: "doc://other", text: "x" })).toEqual({
      contents: [{ uri: "doc://other", text: "x" }],
    });
    expect(await read([{ uri: "doc://a", text: "x" }])).toEqual({
      contents: [{ uri: "doc://a", text: "x" }],
    });
    expect(await read({ contents: [], _meta: { a: 1 } })).toEqual({ contents: [], _meta: { a: 1 } });
    const wrong = await replyTo(
      make({ uri: "doc://a", text: "x", blob: "eA==" }),
      request("resources/read", { name: "r" }),
    );
    expect(wrong.error).toEqual({ code: -32603, message: "Internal error" });
    const failed = await replyTo(
      make(new McpError("NOT_FOUND", "gone", { since: "May" })),
      request("resources/read", { name: "r" }),
    );
    expect(failed.error).toEqual({ code: -32002, message: "gone", data: { since: "May" } });
  });
});

describe("initialize and discover", () => {
  test("R42, R43: initialize returns capabilities, server info, and the revision, which defaults to PROTOCOL_VERSION", async () => {
    const reply = await replyTo(basicServer(), request("initialize"));
    expect(reply.result).toEqual({
      protocolVersion: "2025-03-26",
      capabilities: { tools: {}, resources: {}, logging: {} },
      serverInfo: { name: "basic", version: "2.0.0" },
    });
  });

  test.each(LEGACY_REVISIONS)("R43: %s is negotiated as requested", async (protocolVersion) => {
    const exchange = exchangeOf();
    const reply = await replyTo(basicServer(), request("initialize", { protocolVersion }), exchange);
    expect(reply.result).toMatchObject({ protocolVersion, capabilities: { tools: { listChanged: true } } });
    expect(exchange.connection).toMatchObject({ era: "legacy", revision: protocolVersion });
  });

  test("R43: an unknown revision is negotiated to the newest legacy revision", async () => {
    const reply = await replyTo(basicServer(), request("initialize", { protocolVersion: "1999-01-01" }));
    expect(reply.result).toMatchObject({ protocolVersion: "2025-11-25" });
  });

  test("R44: ping returns {}", async () => {
    expect((await handle(basicServer(), request("ping", undefined, "p"))).toText()).toBe(
      '{"jsonrpc":"2.0","id":"p","result":{}}',
    );
  });

  test("R48: initialize logs one structured entry with sanitized client text", async () => {
    const entries: LogEntry[] = [];
    const server = defineServer({ name: "a", version: "1", log: (entry) => entries.push(entry) }).build();
    await handle(
      server,
      request("initialize", {
        protocolVersion: "2025-06-18",
        clientInfo: { name: "evil\n\u001b[31m", version: 3 },
      }),
    );
    expect(entries).toEqual([
      { level: "info", event: "initialize", revision: "2025-06-18", client: "evil??[31m/unknown" },
    ]);
  });

  test("R45: the lists contain every definition and are empty without definitions", async () => {
    const names = async (server: ReturnType<typeof basicServer>, method: string, key: string) => {
      const result = (await replyTo(server, request(method))).result as Record<string, { name: string }[]>;
      return result[key]?.map(({ name }) => name);
    };
    expect(await names(basicServer(), "tools/list", "tools")).toEqual(["echo", "idle"]);
    expect(await names(basicServer(), "resources/list", "resources")).toEqual(["readme", "idle"]);
    const empty = Server.builder().build();
    expect(await names(empty, "tools/list", "tools")).toEqual([]);
    expect(await names(empty, "resources/list", "resources")).toEqual([]);
    expect(await names(empty, "resources/templates/list", "resourceTemplates")).toEqual([]);
    expect(await names(empty, "prompts/list", "prompts")).toEqual([]);
  });

  test("server/discover returns the modern revisions, the capabilities, and a cache hint", async () => {
    const server = defineServer({ name: "w", version: "1", instructions: "Be kind.", listTtlMs: 5 })
      .prompt("p", { handler: () => "hi" })
      .build();
    const response = await handle(server, modernRequest("server/discover"), exchangeOf());
    expect(response.kind).toBe("cached");
    expect(response.intoJsonRpc()?.result).toEqual({
      resultType: "complete",
      supportedVersions: [MODERN],
      capabilities: { prompts: { listChanged: true }, logging: {} },
      instructions: "Be kind.",
      ttlMs: 5,
      cacheScope: "public",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "w", version: "1" } },
    });
  });

  test("server/discover does not set the era, and the first other request sets it permanently", async () => {
    const server = basicServer();
    const exchange = exchangeOf();
    await replyTo(server, modernRequest("server/discover"), exchange);
    expect(exchange.connection.era).toBeUndefined();
    await replyTo(server, request("initialize", { protocolVersion: "2025-06-18" }), exchange);
    expect(exchange.connection.era).toBe("legacy");
    expect((await replyTo(server, request("ping"), exchange)).result).toEqual({});

    const modern = exchangeOf();
    await replyTo(server, modernRequest("tools/list"), modern);
    expect(modern.connection.era).toBe("modern");
    const bare = await handle(server, request("tools/list"), modern);
    expect(bare.intoJsonRpc()?.error).toEqual({
      code: -32602,
      message:
        '`_meta` must be an object with "io.modelcontextprotocol/protocolVersion" and ' +
        '"io.modelcontextprotocol/clientCapabilities".',
    });
    expect(bare.status).toBe(400);
  });

  test.each(["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"])(
    "%s does not exist in the modern era: -32601, 404",
    async (method) => {
      const response = await handle(basicServer(), modernRequest(method), exchangeOf({ era: "modern" }));
      expect(response.intoJsonRpc()?.error).toEqual({ code: -32601, message: `Method not found: ${method}` });
      expect(response.status).toBe(404);
    },
  );

  test("an unsupported revision in an envelope is -32022, with the supported revisions", async () => {
    const message = request("tools/list", {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2031-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    });
    const response = await handle(basicServer(), message, exchangeOf());
    expect(response.intoJsonRpc()?.error).toEqual({
      code: -32022,
      message: "Unsupported protocol version",
      data: { supported: [MODERN], requested: "2031-01-01" },
    });
    expect(response.status).toBe(400);
  });

  test("headers are checked against the body if the transport uses headers", async () => {
    const server = defineServer({ name: "a", version: "1" })
      .tool("region", {
        input: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
        handler: ({ region }) => region,
      })
      .build();
    const call = (headers: Record<string, string>) =>
      handle(
        server,
        modernRequest("tools/call", { name: "region", arguments: { region: "eu" } }),
        exchangeOf({ era: "modern" }, { header: (name) => headers[name] }),
      );
    const good = {
      "mcp-protocol-version": MODERN,
      "mcp-method": "tools/call",
      "mcp-name": "region",
      "mcp-param-region": "eu",
    };
    expect((await call(good)).intoJsonRpc()?.result).toMatchObject({
      content: [{ type: "text", text: "eu" }],
    });
    for (const wrong of [
      { ...good, "mcp-param-region": "us" },
      { ...good, "mcp-name": "other" },
      { ...good, "mcp-method": "tools/list" },
      { ...good, "mcp-protocol-version": "2025-11-25" },
      { "mcp-method": "tools/call" },
    ]) {
      const response = await call(wrong);
      expect(response.intoJsonRpc()?.error?.code).toBe(-32020);
      expect(response.status).toBe(400);
    }
  });
});
