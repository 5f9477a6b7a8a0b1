/**
 * @fileoverview A client that leaves ends its request in `createMcpHandler`, in every revision: its tool is cancelled, and
 * its server is closed, as in the official SDK, version 2.
 * @module tests/sdk/v2/disconnected-clients
 */
import type * as official from "@modelcontextprotocol/server";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../../../tests/support/stdio-streams.js";
import { INFO, type Sdk, SDKS, settle, text } from "../support/v2/both-sides.js";
import { modern, post, readResponse } from "../support/v2/http.js";

/** Observed events of the servers that a factory has created. */
interface Log {
  readonly started: string[];
  readonly aborted: string[];
  readonly closed: string[];
  created: number;
}

function createServer(sdk: Sdk, log: Log) {
  const server = new sdk.McpServer(INFO);
  const name = `server${++log.created}`;
  server.registerTool("wait", { inputSchema: z.object({ key: z.string() }) }, async ({ key }, { mcpReq }) => {
    log.started.push(key);
    await new Promise<void>((resolve) => mcpReq.signal.addEventListener("abort", () => resolve()));
    log.aborted.push(key);
    return text("");
  });
  server.registerTool("tell", { inputSchema: z.object({ key: z.string() }) }, async ({ key }, { mcpReq }) => {
    await mcpReq.notify({ method: "notifications/progress", params: { progressToken: "t", progress: 1 } });
    log.started.push(key);
    await new Promise<void>((resolve) => mcpReq.signal.addEventListener("abort", () => resolve()));
    log.aborted.push(key);
    return text("");
  });
  server.registerTool("quick", {}, () => text("quick"));
  server.server.onclose = () => void log.closed.push(name);
  return server;
}

type Fetch = (request: Request) => Promise<Response>;

/** Each way to serve a request without a session. */
const WAYS: readonly (readonly [
  title: string,
  serve: (sdk: Sdk, factory: official.McpServerFactory) => Fetch,
])[] = [
  ["createMcpHandler", (sdk, factory) => sdk.createMcpHandler(factory).fetch],
  ["legacyStatelessFallback", (sdk, factory) => sdk.legacyStatelessFallback(factory)],
];

const CASES = WAYS.flatMap(([title, serve]) =>
  SDKS.map(([name, sdk]) => [`${name}: ${title}`, sdk, serve] as const),
);

function open(sdk: Sdk, serve: (typeof WAYS)[number][1], ready: Promise<unknown> = Promise.resolve()) {
  const log: Log = { started: [], aborted: [], closed: [], created: 0 };
  const fetch = serve(sdk, async () => {
    await ready;
    return createServer(sdk, log);
  });
  return { log, fetch };
}

const legacyCall = (name: string, key = "", id = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: { key }, _meta: { progressToken: "t" } },
});

/** Adds a signal to a request, as servers do. */
function abortable(request: Request): { readonly request: Request; readonly leave: () => void } {
  const controller = new AbortController();
  return { request: new Request(request, { signal: controller.signal }), leave: () => controller.abort() };
}

describe.each(CASES)("%s", (_title, sdk, serve) => {
  test("a 2025 client that aborts its request ends the tool and the server (drop-in B3)", async () => {
    const { log, fetch } = open(sdk, serve);
    const { request, leave } = abortable(post(legacyCall("wait", "a")));
    void fetch(request).catch(() => undefined);
    await expect.poll(() => log.started).toEqual(["a"]);
    leave();
    await expect.poll(() => [log.aborted, log.closed]).toEqual([["a"], ["server1"]]);
  });

  test("several clients: only the call of the one that leaves is cancelled (drop-in B3)", async () => {
    const { log, fetch } = open(sdk, serve);
    const clients = ["a", "b", "c"].map((key) => abortable(post(legacyCall("wait", key))));
    for (const { request } of clients) void fetch(request).catch(() => undefined);
    await expect.poll(() => log.started.length).toBe(3);
    clients[1]?.leave();
    await expect.poll(() => log.aborted).toEqual(["b"]);
    expect(await readResponse(await fetch(post(legacyCall("quick"))))).toMatchObject({ status: 200 });
    expect(log.aborted).toEqual(["b"]);
    await expect.poll(() => log.closed.length).toBe(2); // the aborted call, and the quick one
    for (const { leave } of clients) leave();
    await expect.poll(() => [log.aborted.toSorted(), log.closed.length]).toEqual([["a", "b", "c"], 4]);
  });

  test("a client that cancels the body of its response ends the tool and the server (drop-in B3)", async () => {
    const { log, fetch } = open(sdk, serve);
    const response = await fetch(post(legacyCall("tell", "a")));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    await expect.poll(() => log.started).toEqual(["a"]);
    await response.body?.cancel();
    await expect.poll(() => [log.aborted, log.closed]).toEqual([["a"], ["server1"]]);
  });

  test("an aborted batch ends all of its calls (drop-in B3)", async () => {
    const { log, fetch } = open(sdk, serve);
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`).toSorted();
    const batch = keys.map((key, id) => legacyCall("wait", key, id));
    const { request, leave } = abortable(post(batch, { "mcp-protocol-version": "2025-03-26" }));
    void fetch(request).catch(() => undefined);
    const warnings: unknown[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning.name);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    await expect.poll(() => log.started.length).toBe(keys.length);
    leave();
    await expect.poll(() => log.aborted.toSorted()).toEqual(keys);
    await expect.poll(() => log.closed.length).toBe(log.created);
    await settle();
    expect(warnings).toEqual([]);
  });

  test("the servers of finished requests and notifications are closed (drop-in B3)", async () => {
    const { log, fetch } = open(sdk, serve);
    await readResponse(await fetch(post(legacyCall("quick"))));
    await expect.poll(() => log.closed).toEqual(["server1"]);
    await fetch(post({ jsonrpc: "2.0", method: "notifications/initialized" }));
    await expect.poll(() => log.closed).toEqual(["server1", "server2"]);
  });

  test("an application's own `close` is called once (drop-in B3)", async () => {
    const close = vi.fn();
    class Closing extends sdk.McpServer {
      override async close() {
        close();
        await super.close();
      }
    }
    const onclose = vi.fn();
    const fetch = serve(sdk, () => {
      const server = new Closing(INFO);
      server.server.onclose = onclose;
      server.registerTool("quick", {}, () => text("quick"));
      return server;
    });
    await readResponse(await fetch(post(legacyCall("quick"))));
    await expect.poll(() => [close.mock.calls.length, onclose.mock.calls.length]).toEqual([1, 1]);
  });
});

test.each([
  ["2025", () => post(legacyCall("wait", "a"))],
  ["2026", () => modern("tools/call", { name: "wait", arguments: { key: "a" } })],
])(
  "E28: %s: a client that leaves while the factory runs gets no tool (drop-in B3)",
  async (_era, request) => {
    const [, [, sdk]] = SDKS as readonly [unknown, readonly [string, Sdk]];
    const { promise, resolve } = deferred<void>();
    const { log, fetch } = open(sdk, (each, factory) => each.createMcpHandler(factory).fetch, promise);
    const client = abortable(request());
    const response = fetch(client.request);
    await settle();
    client.leave();
    resolve();
    expect((await response).status).toBe(499);
    await expect.poll(() => log.closed).toEqual(["server1"]);
    expect(log.started).toEqual([]);
  },
);

test("an endpoint that closes while the factory runs closes the late server (drop-in B9)", async () => {
  const [, [, sdk]] = SDKS as readonly [unknown, readonly [string, Sdk]];
  const ready = deferred<void>();
  const log: Log = { started: [], aborted: [], closed: [], created: 0 };
  const handler = sdk.createMcpHandler(async () => {
    await ready.promise;
    return createServer(sdk, log);
  });
  onTestFinished(() => handler.close());
  const requests = [
    post(legacyCall("wait", "a")),
    modern("tools/call", { name: "wait", arguments: { key: "b" } }),
    modern("subscriptions/listen", { notifications: { toolsListChanged: true } }),
    post({ jsonrpc: "2.0", method: "notifications/initialized" }),
  ];
  const responses = requests.map(async (request) => (await handler.fetch(request)).text());
  await settle();
  await handler.close();
  ready.resolve();
  await Promise.all(responses);
  await expect.poll(() => log.closed.length).toBe(4);
  expect(log.started).toEqual([]);
});
