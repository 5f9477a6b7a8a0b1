/**
 * @fileoverview `createMcpHandler` behaves as in the official SDK, version 2: statuses, options, and the factory.
 * @module tests/sdk/v2/handler
 */
import type { McpRequestContext } from "@modelcontextprotocol/server";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { INFO, type Register, SDKS, text } from "../support/v2/both-sides.js";
import { handlersOf, META, modern, post, readResponse, sendBoth } from "../support/v2/http.js";

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
};
const legacyCall = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "ping" } };

/** Status, code, and data of an error, or the whole result. */
const outline = ({ status, messages }: Awaited<ReturnType<typeof readResponse>>) =>
  messages.map((message) => {
    const { error, result, method } = message as {
      error?: { code: number };
      result?: unknown;
      method?: string;
    };
    return [status, error?.code ?? result ?? method];
  });

describe("responses have the same status and code", () => {
  test.each<readonly [title: string, request: () => Request, status: number]>([
    ["a tool call", () => modern("tools/call", { name: "ping" }), 200],
    ["server/discover", () => modern("server/discover"), 200],
    ["an unknown method", () => modern("example/unknown"), 404],
    ["a method of an earlier revision", () => modern("ping"), 404],
    ["a method without the capability", () => modern("prompts/list"), 404],
    ["an unknown tool", () => modern("tools/call", { name: "nope" }), 200],
    [
      "a missing method header",
      () =>
        post(
          { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: META } },
          { "mcp-protocol-version": "2026-07-28" },
        ),
      400,
    ],
    [
      "a missing version header",
      () =>
        post(
          { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: META } },
          { "mcp-method": "tools/list" },
        ),
      400,
    ],
    ["a wrong method header", () => modern("tools/list", {}, { "mcp-method": "prompts/list" }), 400],
    ["a wrong name header", () => modern("tools/call", { name: "ping" }, { "mcp-name": "pong" }), 400],
    ["a missing name header", () => modern("tools/call", { name: "ping" }, { "mcp-name": "" }), 400],
    [
      "an incomplete envelope",
      () => modern("tools/list", { _meta: { "io.modelcontextprotocol/clientCapabilities": undefined } }),
      400,
    ],
    [
      "an unsupported version",
      () =>
        modern(
          "tools/list",
          { _meta: { "io.modelcontextprotocol/protocolVersion": "2099-01-01" } },
          { "mcp-protocol-version": "2099-01-01" },
        ),
      400,
    ],
    [
      "a version header that differs from the body",
      () => modern("tools/list", {}, { "mcp-protocol-version": "2025-11-25" }),
      400,
    ],
    [
      "an unsupported version in the body only",
      () => modern("tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": "2099-01-01" } }),
      400,
    ],
    ["tasks/result", () => modern("tasks/result", { taskId: "x" }), 404],
    [
      "a version header without an envelope",
      () => post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, { "mcp-protocol-version": "2026-07-28" }),
      400,
    ],
    ["initialize with a 2026 header", () => post(initialize, { "mcp-protocol-version": "2026-07-28" }), 400],
    ["invalid JSON", () => post("{"), 400],
    ["a body that is not a message", () => post({ hello: 1 }), 400],
    [
      "a batch with a 2026 request",
      () => post([{ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: META } }]),
      400,
    ],
    ["initialize", () => post(initialize), 200],
    ["a call of an earlier revision", () => post(legacyCall, { "mcp-protocol-version": "2025-11-25" }), 200],
    ["an unknown method of an earlier revision", () => post({ ...legacyCall, method: "example/x" }), 200],
  ])("%s", async (_title, request, status) => {
    const [wanted, given] = await sendBoth(handlersOf(), request);
    expect(wanted.status).toBe(status);
    expect(outline(given)).toEqual(outline(wanted));
  });

  test.each<readonly [title: string, request: () => Request, status: number]>([
    ["GET", () => new Request("http://localhost/", { headers: { accept: "text/event-stream" } }), 405],
    ["DELETE", () => new Request("http://localhost/", { method: "DELETE" }), 405],
    ["PUT", () => new Request("http://localhost/", { method: "PUT", body: "x" }), 405],
    ["another content type", () => post("{}", { "content-type": "text/plain" }), 415],
    ["a notification", () => post({ jsonrpc: "2.0", method: "notifications/initialized" }), 202],
    [
      "a 2026 notification",
      () =>
        post(
          { jsonrpc: "2.0", method: "example/note", params: { _meta: META } },
          { "mcp-protocol-version": "2026-07-28", "mcp-method": "example/note" },
        ),
      202,
    ],
  ])("%s", async (_title, request, status) => {
    const [wanted, given] = await sendBoth(handlersOf(), request);
    expect([wanted.status, given.status]).toEqual([status, status]);
  });

  test.each(["logging/setLevel", "resources/subscribe", "resources/unsubscribe"])(
    "%s of a legacy handler is unknown in 2026",
    async (method) => {
      const register: Register = ({ server }) => {
        server.registerCapabilities({ logging: {}, resources: { subscribe: true } });
        for (const name of ["resources/subscribe", "resources/unsubscribe"] as const)
          server.setRequestHandler(name, () => ({}));
      };
      const [wanted, given] = await sendBoth(handlersOf(register), () =>
        modern(method, { uri: "a://b", level: "info" }),
      );
      expect(wanted).toMatchObject({ status: 404, messages: [{ error: { code: -32601 } }] });
      expect(given).toEqual(wanted);
    },
  );

  test("405 names the allowed method", async () => {
    for (const handler of handlersOf()) {
      const response = await handler.fetch(new Request("http://localhost/"));
      expect(response.headers.get("allow")).toBe("POST");
      expect(await response.json()).toEqual({
        jsonrpc: "2.0",
        error: { code: -32000, message: "Method not allowed." },
        id: null,
      });
    }
  });

  test.each([
    ["initialize", () => post(initialize)],
    ["a call", () => post(legacyCall, { "mcp-protocol-version": "2025-06-18" })],
    ["a call without a version", () => post(legacyCall)],
  ])("legacy: reject, %s", async (_title, request) => {
    const [wanted, given] = await sendBoth(handlersOf(undefined, { legacy: "reject" }), request);
    expect(wanted).toMatchObject({
      status: 400,
      messages: [{ error: { code: -32022, data: { supported: ["2026-07-28"] } } }],
    });
    expect(given).toEqual(wanted);
  });

  test("legacy: reject accepts and drops notifications", async () => {
    const seen = await sendBoth(handlersOf(undefined, { legacy: "reject" }), () =>
      post({ jsonrpc: "2.0", method: "notifications/initialized" }),
    );
    expect(seen.map(({ status }) => status)).toEqual([202, 202]);
  });
});

describe("options", () => {
  test("maxRequestBodySize rejects larger bodies with 413", async () => {
    const handlers = handlersOf(undefined, { maxRequestBodySize: 300 });
    const seen = await sendBoth(handlers, () =>
      modern("tools/call", { name: "ping", arguments: { a: "x".repeat(400) } }),
    );
    expect(seen.map(({ status }) => status)).toEqual([413, 413]);
  });

  test.each([
    ["maxRequestBodySize", { maxRequestBodySize: 0 }],
    ["legacy", { legacy: () => undefined }],
  ])("an invalid `%s` throws", (_name, options) => {
    for (const [, sdk] of SDKS)
      expect(() => sdk.createMcpHandler(() => new sdk.McpServer(INFO), options as never)).toThrow();
  });

  const noisy: Register = (server) =>
    server.registerTool("work", {}, async ({ mcpReq }) => {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken: "t", progress: 1 } });
      return text("done");
    });
  test.each([
    ["auto", noisy, "work", "text/event-stream", 2],
    ["auto", undefined, "ping", "application/json", 1],
    ["sse", undefined, "ping", "text/event-stream", 1],
    ["sse", noisy, "work", "text/event-stream", 2],
    ["json", noisy, "work", "application/json", 1],
  ] as const)("responseMode %s: %s", async (responseMode, register, name, type, count) => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const [wanted, given] = await sendBoth(handlersOf(register, { responseMode }), () =>
      modern("tools/call", { name }),
    );
    expect([wanted.type, wanted.messages.length]).toEqual([type, count]);
    expect(given).toEqual(wanted);
  });

  test("a parsed body replaces the request's own", async () => {
    const body = await modern("tools/call", { name: "ping" }).json();
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "ping" };
    const [wanted, given] = await sendBoth(handlersOf(), () => post("consumed", headers), {
      parsedBody: body,
    });
    expect(wanted).toMatchObject({ status: 200, messages: [{ result: text("pong") }] });
    expect(given).toEqual(wanted);
  });

  test("onerror receives the reasons for rejected requests", async () => {
    const counts = [];
    for (const [, sdk] of SDKS) {
      const errors: Error[] = [];
      const handler = sdk.createMcpHandler(() => new sdk.McpServer(INFO), {
        onerror: (error) => void errors.push(error),
      });
      await handler.fetch(modern("tools/list", {}, { "mcp-method": "x" }));
      counts.push(errors.length);
    }
    expect(counts).toEqual([1, 1]);
  });
});

describe("the factory", () => {
  test.each([
    ["modern", () => modern("tools/list")],
    ["legacy", () => post({ jsonrpc: "2.0", id: 1, method: "tools/list" })],
  ])("is called once for each %s request, with its era, authorization, and request", async (era, request) => {
    const authInfo = { token: "t", clientId: "c", scopes: [] };
    for (const [, sdk] of SDKS) {
      const contexts: McpRequestContext[] = [];
      const handler = sdk.createMcpHandler((ctx) => {
        contexts.push(ctx);
        const server = new sdk.McpServer(INFO);
        server.registerTool("ping", {}, () => text(""));
        return server;
      });
      const sent = request();
      await readResponse(await handler.fetch(sent, { authInfo }));
      await readResponse(await handler.fetch(request()));
      expect(contexts).toHaveLength(2);
      expect(contexts[0]).toMatchObject({ era, authInfo });
      expect(contexts[0]?.requestInfo?.url).toBe(sent.url);
      expect(contexts[1]).not.toHaveProperty("authInfo");
    }
  });

  test("is not called for rejected requests", async () => {
    for (const [, sdk] of SDKS) {
      const factory = vi.fn(() => new sdk.McpServer(INFO));
      const handler = sdk.createMcpHandler(factory);
      await handler.fetch(modern("tools/list", {}, { "mcp-method": "x" }));
      await handler.fetch(
        modern(
          "tools/list",
          { _meta: { "io.modelcontextprotocol/protocolVersion": "2099-01-01" } },
          { "mcp-protocol-version": "2099-01-01" },
        ),
      );
      expect(factory).not.toHaveBeenCalled();
    }
  });

  test("that throws causes 500, without its message", async () => {
    const seen = [];
    for (const [, sdk] of SDKS) {
      const errors: Error[] = [];
      const handler = sdk.createMcpHandler(
        () => {
          throw new Error("no database");
        },
        { onerror: (error) => void errors.push(error) },
      );
      seen.push([
        await readResponse(await handler.fetch(modern("tools/list"))),
        errors.map(({ message }) => message),
      ]);
    }
    expect(seen[0]).toMatchObject([
      { status: 500, messages: [{ id: 1, error: { code: -32603, message: "Internal server error" } }] },
      ["no database"],
    ]);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("may be asynchronous, and its server's onclose is called", async () => {
    for (const [, sdk] of SDKS) {
      const onclose = vi.fn();
      const handler = sdk.createMcpHandler(async () => {
        const server = new sdk.McpServer(INFO);
        server.server.onclose = onclose;
        server.registerTool("ping", {}, () => text("pong"));
        return Promise.resolve(server);
      });
      expect(await readResponse(await handler.fetch(modern("tools/call", { name: "ping" })))).toMatchObject({
        status: 200,
      });
      await expect.poll(() => onclose.mock.calls.length).toBe(1);
    }
  });
});

describe("close", () => {
  test("rejects later requests", async () => {
    for (const handler of handlersOf()) {
      await handler.close();
      await expect(handler.fetch(modern("tools/list"))).rejects.toThrow("This MCP handler has been closed");
    }
  });

  test("cancels calls in flight", async () => {
    const aborted: boolean[] = [];
    const register: Register = (server) =>
      server.registerTool("wait", {}, async ({ mcpReq: { signal } }) => {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        aborted.push(true);
        return text("");
      });
    for (const handler of handlersOf(register)) {
      const response = handler.fetch(modern("tools/call", { name: "wait" }));
      await new Promise((resolve) => setTimeout(resolve, 20));
      await handler.close();
      expect((await response).status).toBe(499);
    }
    await expect.poll(() => aborted.length).toBe(2);
  });
});

describe("Mcp-Param headers", () => {
  const register: Register = (server) =>
    server.registerTool(
      "q",
      { inputSchema: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }) },
      ({ region }) => text(region),
    );
  test.each([
    ["that match", { "mcp-param-region": "eu" }, 200],
    ["that are missing", {}, 400],
    ["that differ", { "mcp-param-region": "us" }, 400],
  ])("%s", async (_title, headers, status) => {
    const [wanted, given] = await sendBoth(handlersOf(register), () =>
      modern("tools/call", { name: "q", arguments: { region: "eu" } }, headers),
    );
    expect(wanted.status).toBe(status);
    expect(outline(given)).toEqual(outline(wanted));
  });
});
