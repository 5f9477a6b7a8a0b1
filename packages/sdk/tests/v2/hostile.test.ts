/**
 * @fileoverview Hostile clients and broken applications: bounds, hidden details, and shared state.
 * @module tests/sdk/v2/hostile
 */
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as tenon from "../../src/v2/index.js";
import { connectSide, INFO, type Register, type Sdk, settle, text } from "../support/v2/both-sides.js";
import { META, modern, post, readResponse } from "../support/v2/http.js";

const sdk = tenon as unknown as Sdk;

function handlerOf(register: Register, options: tenon.CreateMcpHandlerOptions = {}) {
  return tenon.createMcpHandler(() => {
    const server = new tenon.McpServer(INFO, { capabilities: { resources: { subscribe: true } } });
    register(server, sdk);
    return server;
  }, options);
}

const ping: Register = (server) => server.registerTool("ping", {}, () => text("pong"));

describe("clients cannot", () => {
  test("listen to more URIs than the limit, or to URIs that are too long", async () => {
    const handler = handlerOf(ping);
    const field = "Invalid params: 'notifications.resourceSubscriptions'";
    for (const [resourceSubscriptions, message] of [
      [
        Array.from({ length: 1_001 }, (_, n) => `a://${n}`),
        `${field} has 1001 URIs (limit: 1000). Send several requests.`,
      ],
      [["a".repeat(9_000)], `${field} has a URI of 9000 characters (limit: 8192).`],
    ] as const) {
      const seen = await readResponse(
        await handler.fetch(modern("subscriptions/listen", { notifications: { resourceSubscriptions } })),
      );
      expect(seen.messages).toMatchObject([{ error: { code: -32602, message } }]);
    }
  });

  test("pass inherited names as tools, prompts, or responses", async () => {
    const handler = handlerOf((server) => {
      server.registerTool("keys", {}, ({ mcpReq }) =>
        text(JSON.stringify(tenon.inputResponse(mcpReq.inputResponses, "toString"))),
      );
      server.registerPrompt("p", {}, () => ({ messages: [] }));
    });
    for (const name of ["constructor", "__proto__", "toString"]) {
      expect(
        (await readResponse(await handler.fetch(modern("tools/call", { name })))).messages,
      ).toMatchObject([{ error: { code: -32602 } }]);
      expect(
        (await readResponse(await handler.fetch(modern("prompts/get", { name })))).messages,
      ).toMatchObject([{ error: { code: -32602 } }]);
    }
    const seen = await readResponse(
      await handler.fetch(modern("tools/call", { name: "keys", inputResponses: {} })),
    );
    expect(seen.messages).toMatchObject([{ result: text('{"kind":"missing"}') }]);
  });

  test("use a state of another kind of request to skip verification", async () => {
    const handler = tenon.createMcpHandler(() => {
      const server = new tenon.McpServer(INFO, {
        requestState: {
          verify: () => {
            throw new Error("no");
          },
        },
      });
      server.registerTool("t", {}, () => text("ran"));
      return server;
    });
    for (const requestState of ["x", "", 5, null, {}]) {
      const seen = await readResponse(await handler.fetch(modern("tools/call", { name: "t", requestState })));
      expect(seen.messages).toMatchObject([
        { error: { code: -32602, message: "Invalid or expired requestState" } },
      ]);
      expect(JSON.stringify(seen)).not.toContain("ran");
    }
  });

  test("see the message of a factory, a hook, or a scope challenge that fails", async () => {
    const secret = "postgres://user:password@db";
    const fail = () => {
      throw new Error(secret);
    };
    const handlers = [
      tenon.createMcpHandler(fail),
      tenon.createMcpHandler(() => {
        const server = new tenon.McpServer(INFO, { requestState: { verify: fail } });
        server.registerTool("ping", {}, () => text(""));
        return server;
      }),
      handlerOf((server) => server.registerTool("ping", { scopeChallenge: fail }, () => text(""))),
    ];
    for (const handler of handlers) {
      const response = await handler.fetch(modern("tools/call", { name: "ping", requestState: "s" }));
      expect(await response.text()).not.toContain("password");
    }
  });

  test("smuggle headers or another host into the application's request", async () => {
    const seen: (string | null)[] = [];
    const handler = tenon.createMcpHandler(({ requestInfo }) => {
      seen.push(requestInfo?.url ?? null, requestInfo?.headers.get("origin") ?? null);
      const server = new tenon.McpServer(INFO);
      server.registerTool("ping", {}, () => text(""));
      return server;
    });
    const response = await handler.fetch(modern("tools/list", {}, { origin: "https://evil.example" }));
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(seen).toEqual(["http://anywhere.example/mcp", "https://evil.example"]);
  });

  test("mix the requests of two callers", async () => {
    const handler = tenon.createMcpHandler(({ authInfo }) => {
      const server = new tenon.McpServer(INFO);
      server.registerTool("who", {}, async ({ http }) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
        return text(`${authInfo?.clientId} ${http?.authInfo?.clientId}`);
      });
      return server;
    });
    const names = Array.from({ length: 20 }, (_, n) => `caller${n}`);
    const replies = await Promise.all(
      names.map(async (clientId) =>
        (
          await handler.fetch(modern("tools/call", { name: "who" }), {
            authInfo: { token: "", clientId, scopes: [] },
          })
        ).text(),
      ),
    );
    replies.forEach((reply, index) => expect(reply).toContain(`${names[index]} ${names[index]}`));
  });
});

describe("over stdio, clients cannot", () => {
  async function open(factory: tenon.McpServerFactory) {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const received: { id?: unknown; error?: { code: number } }[] = [];
    near.onmessage = (message) => void received.push(message as { id?: unknown });
    await near.start();
    const handle = tenon.serveStdio(factory, { transport: far });
    return { near, received, handle };
  }

  test("queue messages without limit while the factory runs", async () => {
    let finish = () => {};
    const ready = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { near, received, handle } = await open(async () => {
      await ready;
      const server = new tenon.McpServer(INFO);
      server.registerTool("ping", {}, () => text(""));
      return server;
    });
    for (let id = 0; id < 1_050; id++) await near.send({ jsonrpc: "2.0", id, method: "tools/list" });
    for (let turn = 0; turn < 5; turn++) await settle();
    expect(received.length).toBeGreaterThanOrEqual(50);
    expect(received.every(({ error }) => error !== undefined)).toBe(true);
    finish();
    await expect.poll(() => received.length).toBe(1_050);
    await handle.close();
  });

  test("start a second server with later messages", async () => {
    let count = 0;
    const { near, received, handle } = await open(() => {
      count++;
      const server = new tenon.McpServer(INFO);
      server.registerTool("ping", {}, () => text(""));
      return server;
    });
    for (let id = 0; id < 20; id++)
      await near.send({ jsonrpc: "2.0", id, method: "tools/list", params: { _meta: META } } as never);
    await expect.poll(() => received.length).toBe(20);
    expect(count).toBe(1);
    await handle.close();
  });
});

test("messages that a handler sends stay with their server, even if servers call each other", async () => {
  const inner = new tenon.McpServer(INFO, { capabilities: { logging: {} } });
  inner.registerTool("name", {}, ({ mcpReq }) =>
    text(`inner ${mcpReq.method} ${inner.server.getClientVersion()?.name}`),
  );
  const side = await connectSide(sdk, (server) => {
    server.registerTool("outer", { inputSchema: z.object({}) }, async () => {
      const before = server.server.getClientVersion()?.name;
      const { client } = await connectInner();
      const result = await client.callTool({ name: "name" });
      return text(JSON.stringify([before, result.content, server.server.getClientVersion()?.name]));
    });
  });
  async function connectInner() {
    const { Client } = await import("@modelcontextprotocol/client");
    const [near, far] = InMemoryTransport.createLinkedPair();
    await inner.connect(far);
    const client = new Client({ name: "inner client", version: "1" });
    await client.connect(near);
    return { client };
  }
  expect(await side.client.callTool({ name: "outer" })).toMatchObject(
    text('["client",[{"type":"text","text":"inner tools/call inner client"}],"client"]'),
  );
});

test("a legacy batch is served, and each message gets its own reply", async () => {
  const handler = handlerOf(ping);
  const response = await handler.fetch(
    post(
      [
        { jsonrpc: "2.0", id: 1, method: "tools/list" },
        { jsonrpc: "2.0", id: 2, method: "ping" },
      ],
      { "mcp-protocol-version": "2025-03-26" },
    ),
  );
  expect(response.status).toBe(200);
  expect(((await response.json()) as { id: number }[]).map(({ id }) => id)).toEqual([1, 2]);
});
