import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { parseOptions } from "@tenon/internal/options/define-options";
import { TASKS_OPTIONS } from "../../../src/tasks/options.js";
import { defineServer } from "../../../src/core/define-server.js";
import type { Running } from "../../../src/transport/node/run-http.js";
import { serve } from "../../../src/transport/node/serve.js";
import { parseServeOptions, type ServeOptions } from "../../../src/transport/node/serve-options.js";
import { allMessages, readEvents } from "../../../../../tests/support/http-events.js";
import { FACES, post, read, until } from "../../../../../tests/support/http-faces.js";
import { modernCall, modernPost, openSession } from "../../../../../tests/support/http-messages.js";
import { exchange, openSocket, rawPost } from "../../../../../tests/support/http-raw.js";
import { MODERN, modernRequest } from "../../../../../tests/support/requests.js";

const HTTP = { type: "http", port: 0 } as const;
const NOT_FOUND = '{"error":"not found","message":"The MCP endpoint is /mcp."}';
const STOPPING = {
  jsonrpc: "2.0",
  id: null,
  error: { code: -32600, message: "The server is shutting down. Try again later." },
};

const setUp = () => {
  const seen = { started: 0, aborted: 0, release: () => {} };
  const gate = new Promise<void>((resolve) => {
    seen.release = resolve;
  });
  const server = defineServer({ name: "stop", version: "1.0.0" })
    .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
    .tool("large", { input: z.object({ length: z.int() }), handler: ({ length }) => "x".repeat(length) })
    .tool("wait", {
      handler: async (_, call) => {
        seen.started++;
        call.signal.addEventListener("abort", () => seen.aborted++);
        await gate;
        return "waited";
      },
    })
    .build();
  return { server, seen };
};

/** Serves until the test ends. */
const start = async (server: ReturnType<typeof setUp>["server"], options: ServeOptions<unknown> = {}) => {
  const running = await serve(server, { transport: HTTP, signals: false, ...options });
  onTestFinished(async () => {
    running.httpServer?.closeAllConnections();
    await running.close();
  });
  return { running, send: sender(running) };
};

const sender = ({ url = "" }: Running) => ({
  url,
  port: Number(new URL(url).port),
  fetch: (init: RequestInit, path = "/mcp") => fetch(new URL(path, url), init),
  close: async () => {},
});

const later = (ms: number) =>
  new Promise<string>((resolve) => {
    setTimeout(() => resolve("later"), ms);
  });

describe("serve on HTTP", () => {
  test("listens on loopback only, and returns its URL", async () => {
    const { server } = setUp();
    const { running, send } = await start(server);
    expect(running.url).toBe(`http://127.0.0.1:${send.port}/mcp`);
    expect(running.httpServer?.address()).toMatchObject({ address: "127.0.0.1" });
    expect((await send.fetch(modernPost("server/discover"))).status).toBe(200);
  });

  test.each([
    "0.0.0.0",
    "::",
    "192.168.0.1",
    "10.0.0.1",
    "example.com",
    "",
    "127.0.0.1.evil.com",
    "::ffff:127.0.0.1",
  ])("refuses to start on %j without allowedHosts", async (host) => {
    const { server } = setUp();
    await expect(serve(server, { transport: HTTP, signals: false, host })).rejects.toThrow(
      new Error(
        `\`allowedHosts\` is required to listen on "${host}", because other machines can reach it. ` +
          "Set `allowedHosts` to the host names that clients use.",
      ),
    );
  });

  test("with allowedHosts only those host names are accepted", async () => {
    const { server } = setUp();
    const { send } = await start(server, { allowedHosts: ["mcp.example.com"] });
    const body = JSON.stringify(modernRequest("server/discover"));
    const headers = { "MCP-Protocol-Version": MODERN, "Mcp-Method": "server/discover" };
    const socket = await openSocket(send.port);
    const statuses: (number | undefined)[] = [];
    for (const host of ["mcp.example.com", "MCP.example.com:8080", "localhost", "127.0.0.1"]) {
      const [reply] = await exchange(socket, rawPost(body, { ...headers, Host: host }));
      statuses.push(reply?.status);
    }
    expect(statuses).toEqual([200, 200, 403, 403]);
  });

  test("rejects if the port is in use, and leaves no signal listeners", async () => {
    const { server } = setUp();
    const taken = createServer();
    await new Promise<void>((resolve) => {
      taken.listen(0, "127.0.0.1", resolve);
    });
    onTestFinished(() => {
      taken.close();
    });
    const { port } = taken.address() as AddressInfo; // it listens on a port
    const before = process.listenerCount("SIGTERM");
    await expect(serve(server, { transport: { type: "http", port } })).rejects.toThrow(
      `Port ${port} is already in use on 127.0.0.1.`,
    );
    expect(process.listenerCount("SIGTERM")).toBe(before);
  });

  test("sets timeouts for headers and bodies", async () => {
    const { server } = setUp();
    const { running } = await start(server);
    expect(running.httpServer?.headersTimeout).toBe(15_000);
    expect(running.httpServer?.requestTimeout).toBe(60_000);
  });

  test.each([
    ["GET", "/healthz", 200, '{"status":"ok"}'],
    ["GET", "/healthz?deep=1", 200, '{"status":"ok"}'],
    ["POST", "/healthz", 404, NOT_FOUND],
    ["GET", "/", 404, NOT_FOUND],
    ["POST", "/mcp/", 404, NOT_FOUND],
    ["POST", "/MCP", 404, NOT_FOUND],
    ["POST", "/mcp%2f", 404, NOT_FOUND],
    ["POST", "/mcp/deeper", 404, NOT_FOUND],
    ["GET", "/sse", 404, NOT_FOUND],
    ["POST", "/messages", 404, NOT_FOUND],
    ["GET", "/.well-known/x", 404, NOT_FOUND],
  ])("responds to %s %s with %i", async (method, path, status, body) => {
    const { server } = setUp();
    const { send } = await start(server);
    const response = await send.fetch({ method }, path);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe(body);
  });

  test("serves a custom path with any query", async () => {
    const { server } = setUp();
    const { running, send } = await start(server, { path: "/api/v1" });
    expect(running.url).toMatch(/\/api\/v1$/);
    expect((await send.fetch(modernPost("server/discover"), "/api/v1?x=1")).status).toBe(200);
    expect((await send.fetch(modernPost("server/discover"))).status).toBe(404);
  });
});

describe("shutdown of serve", () => {
  test("lets calls in flight finish, responds to new ones with 503, and then closes", async () => {
    const { server, seen } = setUp();
    const { running, send } = await start(server);
    const client = await openSession(send);
    const modern = send.fetch(modernCall("wait"));
    const legacy = client.call("wait", {}, 5);
    await until(() => seen.started === 2);
    const closing = running.close();
    expect(running.close()).toBe(closing);
    const refused = await send.fetch(modernCall("echo", { text: "too late" }));
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("connection")).toBe("close");
    expect(await read(refused)).toEqual({ status: 503, body: STOPPING });
    expect(await Promise.race([closing, later(20)])).toBe("later");
    seen.release();
    expect(await (await modern).json()).toMatchObject({ result: { content: [{ text: "waited" }] } });
    expect(await allMessages(await legacy)).toMatchObject([
      { id: 5, result: { content: [{ text: "waited" }] } },
    ]);
    await closing;
    await running.closed;
    expect(seen.aborted).toBe(0);
    expect(running.httpServer?.listening).toBe(false);
    await expect(send.fetch(modernPost("server/discover"))).rejects.toThrow("fetch failed");
  });

  test("aborts unfinished calls after the grace period", async () => {
    const { server, seen } = setUp();
    const { running, send } = await start(server, { graceMs: 60, streamAfterMs: 1 });
    const client = await openSession(send);
    const modern = await send.fetch(modernCall("wait"));
    const legacy = await client.call("wait", {}, 5);
    await until(() => seen.started === 2);
    const began = Date.now();
    await running.close();
    expect(Date.now() - began).toBeGreaterThanOrEqual(55);
    expect(Date.now() - began).toBeLessThan(30_000);
    const error = { message: expect.stringContaining("stopped before the call ended") };
    expect(await allMessages(modern)).toMatchObject([{ id: 1, error }]);
    expect(await allMessages(legacy)).toMatchObject([{ id: 5, error }]);
    await until(() => seen.aborted === 2);
  });

  test("is quick without calls in flight, even with open keep-alive connections", async () => {
    const { server } = setUp();
    const { running, send } = await start(server, { graceMs: 55_000 });
    await (await send.fetch(modernPost("server/discover"))).text();
    const idle = await openSocket(send.port);
    const began = Date.now();
    await running.close();
    expect(Date.now() - began).toBeLessThan(30_000);
    await until(() => idle.destroyed || idle.readableEnded || !idle.readable);
  });

  test("ends listening streams gracefully, in both eras", async () => {
    const { server } = setUp();
    const { running, send } = await start(server, { graceMs: 55_000 });
    const legacy = readEvents(await (await openSession(send)).get());
    const listen = modernPost(
      "subscriptions/listen",
      { notifications: { toolsListChanged: true } },
      { id: "sub" },
    );
    const modern = readEvents(await send.fetch(listen));
    await modern.message();
    const began = Date.now();
    await running.close();
    expect(Date.now() - began).toBeLessThan(30_000);
    expect(await modern.message()).toMatchObject({ id: "sub", result: { resultType: "complete" } });
    expect(await legacy.rest()).toEqual([{ id: "main_0", retry: "1000", data: "" }]);
  });

  test("waits for a reply that is in transfer to a slow reader", async () => {
    const { server } = setUp();
    const { running, send } = await start(server);
    const length = 30_000_000;
    const socket = await openSocket(send.port);
    const body = JSON.stringify(modernRequest("tools/call", { name: "large", arguments: { length } }));
    const headers = { "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "large" };
    let got = 0;
    socket.on("data", (chunk: Uint8Array) => {
      if (got === 0) socket.pause();
      got += chunk.length;
    });
    socket.write(rawPost(body, headers));
    await until(() => got > 0);
    const closing = running.close();
    expect(await Promise.race([closing, later(50)])).toBe("later");
    expect(got).toBeLessThan(length);
    socket.resume();
    await closing;
    await until(() => got > length, "the whole reply");
  });

  test("disconnects a client that never reads its reply after the grace period", async () => {
    const { server } = setUp();
    const { running, send } = await start(server, { graceMs: 80 });
    const socket = await openSocket(send.port);
    const body = JSON.stringify(
      modernRequest("tools/call", { name: "large", arguments: { length: 30_000_000 } }),
    );
    const headers = { "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "large" };
    socket.pause();
    socket.write(rawPost(body, headers));
    await later(100);
    await running.close();
    expect(running.httpServer?.listening).toBe(false);
  });

  test("removes its signal listeners", async () => {
    const { server } = setUp();
    const counts = () => ["SIGINT", "SIGTERM"].map((signal) => process.listenerCount(signal));
    const before = counts();
    const { running } = await start(server, { signals: true });
    expect(counts()).toEqual(before.map((count) => count + 1));
    await running.close();
    expect(counts()).toEqual(before);
  });
});

describe.each(FACES)("closing a handler on $name", (face) => {
  test("waits for calls in flight and rejects new ones", async () => {
    const { server, seen } = setUp();
    const endpoint = await face.open(server);
    const pending = endpoint.fetch(modernCall("wait"));
    await until(() => seen.started === 1);
    const closing = endpoint.close(5_000);
    expect(await read(await endpoint.fetch(post("{}")))).toEqual({ status: 503, body: STOPPING });
    expect(await Promise.race([closing, later(20)])).toBe("later");
    seen.release();
    expect((await pending).status).toBe(200);
    await closing;
  });

  test("stops waiting after the grace period, and ends sessions with their streams and calls", async () => {
    const { server, seen } = setUp();
    const endpoint = await face.open(server, { streamAfterMs: 1 });
    const client = await openSession(endpoint);
    const listening = readEvents(await client.get());
    const calling = await client.call("wait");
    await until(() => seen.started === 1);
    await endpoint.close(30);
    expect(await listening.rest()).toHaveLength(1);
    expect(await allMessages(calling)).toMatchObject([
      { id: 1, error: { message: expect.stringContaining("stopped before the call ended") } },
    ]);
    expect(seen.aborted).toBe(1);
  });

  test("lets a page from an allowed origin read the rejection", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server, { corsOrigins: ["https://app.example.com"] });
    await endpoint.close(10);
    const response = await endpoint.fetch(post("{}", { origin: "https://app.example.com" }));
    expect(response.status).toBe(503);
    expect(response.headers.get("access-control-allow-origin")).toBe("https://app.example.com");
  });
});

describe("a server that drains", () => {
  const statusOf = async (send: ReturnType<typeof sender>, path: string) => {
    const response = await send.fetch({ method: "GET" }, path);
    await response.text();
    return { status: response.status, retryAfter: response.headers.get("retry-after") };
  };

  test("is not ready at once, and serves new requests until it closes", async () => {
    const { server } = setUp();
    const { running, send } = await start(server, { drainMs: 300 });
    const before = performance.now();
    const drained = running.drain();
    expect(await statusOf(send, "/readyz")).toEqual({ status: 503, retryAfter: "1" });
    expect(await statusOf(send, "/healthz")).toEqual({ status: 200, retryAfter: null });
    expect((await send.fetch(modernCall("echo", { text: "hi" }))).status).toBe(200);
    const client = await openSession(send);
    await drained;
    expect(performance.now() - before).toBeGreaterThan(250);
    expect((await client.call("echo", { text: "hi" })).status).toBe(200);
  });

  test("ends the wait when it is closed", async () => {
    const { server } = setUp();
    const { running } = await start(server, { drainMs: 3_600_000 });
    const drained = running.drain();
    await running.close();
    await expect(drained).resolves.toBeUndefined();
  });

  test("has defaults that leave a margin to the 30 seconds of an orchestrator", () => {
    const { graceMs, drainMs } = parseServeOptions({ port: 0 });
    const { closeGraceMs } = parseOptions(TASKS_OPTIONS, {});
    expect({ drainMs, graceMs }).toEqual({ drainMs: 5_000, graceMs: 10_000 });
    // Tasks stop at the same time as calls. Workers get three more seconds, and a shared store two.
    expect(drainMs + Math.max(graceMs, closeGraceMs) + 3_000 + 2_000).toBeLessThan(30_000);
  });
});
