import { PassThrough } from "node:stream";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import express from "express";
import { afterEach, describe, expect, test, vi } from "vitest";
import { defineServer } from "tenon";
import { createHttpMcpRouter, type HttpMcpRouterOptions, setupStdioTransport } from "../src/index.js";
import { connectV1 } from "../../../tools/official-clients/v1-client.js";
import { connectV2 } from "../../../tools/official-clients/v2-client.js";
import { readSourceFiles } from "../../../tools/source-files.js";
import { line, Valve } from "../../../tests/support/stdio-streams.js";
import { listenOn } from "./support/mounted-apps.js";
import { CLIENTS, recording } from "./support/sdk-clients.js";
import { SDK_SERVERS } from "./support/sdk-servers.js";

const kinds = Object.entries(SDK_SERVERS);
const V1 = CLIENTS["client of version 1"] as (typeof CLIENTS)[string]; // present in the table
const make = SDK_SERVERS["McpServer of version 1"] as (typeof SDK_SERVERS)[string]; // as above

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** Starts a router and returns its URL. */
async function serveRouter(options: HttpMcpRouterOptions): Promise<URL> {
  const router = createHttpMcpRouter(options);
  const { origin, close } = await listenOn(express().use("/mcp", router));
  stops.push(() => router.close(500).then(close));
  return new URL(`${origin}/mcp`);
}

/** Connects a client to a router. */
async function connectTo(url: URL) {
  const client = await V1.overHttp(url);
  stops.push(() => client.close());
  return client;
}

const textOf = async (result: Promise<object>) =>
  ((await result) as { readonly content: readonly [{ readonly text: string }] }).content[0].text;

describe.each(kinds)("Z11: sessions of %s", (_name, makeOne) => {
  test("each have their own server", async () => {
    const { made, serverFactory } = recording(makeOne);
    const url = await serveRouter({ serverFactory });
    const [first, second] = [await connectTo(url), await connectTo(url)];
    await Promise.all([first.callTool("add", { a: 1, b: 1 }), first.callTool("grow")]);
    expect(JSON.parse(await textOf(second.callTool("who")))).toMatchObject({ calls: 1 });
    expect(JSON.parse(await textOf(first.callTool("who")))).toMatchObject({ calls: 3 });
    expect((await second.toolPages()).flat()).not.toContain("grown");
    expect(second.notifications).toEqual([]);
    expect(made).toHaveLength(2);
  });

  test("close only their own server when they end", async () => {
    const { made, serverFactory } = recording(makeOne);
    const url = await serveRouter({ serverFactory });
    const transport = new StreamableHTTPClientTransport(url);
    const leaving = await connectV2("unset", transport);
    stops.push(() => leaving.close());
    const staying = await connectTo(url);
    await transport.terminateSession();
    await vi.waitFor(() => expect(made.map(({ closed }) => closed())).toEqual([true, false]));
    expect(await textOf(staying.callTool("count"))).toBe("counted");
  });

  test("are optional: one server per request", async () => {
    const { made, serverFactory } = recording(makeOne);
    const client = await connectTo(await serveRouter({ serverFactory, legacy: "stateless" }));
    const steps: unknown[] = [];
    expect(await client.callTool("add", { a: 2, b: 3 })).toMatchObject({ structuredContent: { sum: 5 } });
    await client.callTool("count", {}, { onprogress: (step) => steps.push(step) });
    expect(steps).toHaveLength(3);
    expect(JSON.parse(await textOf(client.callTool("who")))).toMatchObject({ calls: 1 });
    await vi.waitFor(() => expect(made.every(({ closed }) => closed())).toBe(true));
    expect(made.length).toBeGreaterThan(4);
  });

  test("a single instance serves one session and explains how to serve more", async () => {
    const url = await serveRouter({ mcpServer: makeOne().server });
    expect(await textOf((await connectTo(url)).callTool("count"))).toBe("counted");
    await expect(connectTo(url)).rejects.toThrow(
      "This server supports only one session. Set `serverFactory` to serve more than one.",
    );
  });

  test("rejects a server that is returned twice, because clients would receive each other's messages", async () => {
    const { server } = makeOne();
    const url = await serveRouter({ serverFactory: () => server });
    await connectTo(url);
    await expect(connectTo(url)).rejects.toThrow(
      "`serverFactory` returned a server that is already in use. Return a new server on each call.",
    );
  });

  test("a tool has its caller", async () => {
    const url = await serveRouter({
      serverFactory: recording(makeOne).serverFactory,
      authenticate: () => ({ auth: { principal: "ada", scopes: ["read"] } }),
    });
    expect(JSON.parse(await textOf((await connectTo(url)).callTool("who")))).toMatchObject({ client: "ada" });
  });

  test("a server that closes itself ends pending calls", async () => {
    const url = await serveRouter({ serverFactory: recording(makeOne).serverFactory });
    const client = await connectTo(url);
    const text = "The server has closed this session. Open a new session.";
    await expect(client.callTool("close")).rejects.toThrow(text);
    await expect(client.callTool("count")).rejects.toThrow(text);
    // A different session has its own server.
    expect(await textOf((await connectTo(url)).callTool("count"))).toBe("counted");
  });

  test("responds to messages that the SDK would silently drop", async () => {
    const [input, output] = [new PassThrough(), new Valve()];
    const transport = await setupStdioTransport(makeOne().server, { input, output });
    stops.push(() => transport.close());
    const malformed = [[1], null, { _meta: 5 }, { _meta: { progressToken: 1.5 } }];
    for (const [id, params] of malformed.entries()) input.write(line({ id, method: "ping", params }));
    input.write(line({ id: 9, method: "ping", unknown: true }));
    input.write(line({ id: 1.5, method: "ping" }));
    await vi.waitFor(() => expect(output.messages).toHaveLength(6));
    const error = {
      code: -32602,
      message:
        "`params` and `params._meta` must be objects, and `progressToken` must be a string or a safe integer.",
    };
    expect(output.messages.filter((message) => message.error?.code === -32602)).toEqual(
      malformed.map((_, id) => ({ jsonrpc: "2.0", id, error })),
    );
    expect(output.messages).toContainEqual({ jsonrpc: "2.0", id: 9, result: {} });
    expect(output.messages).toContainEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32600, message: "`id` must be a string or a safe integer." },
    });
  });

  test("responds to a batch in the revision that supports batches", async () => {
    const [input, output] = [new PassThrough(), new Valve()];
    const transport = await setupStdioTransport(makeOne().server, { input, output });
    stops.push(() => transport.close());
    const clientInfo = { name: "old", version: "1" };
    const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo };
    input.write(line({ id: 0, method: "initialize", params }));
    await vi.waitFor(() => expect(output.messages).toHaveLength(1));
    input.write(`${JSON.stringify([1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "ping" })))}\n`);
    await vi.waitFor(() => expect(output.messages).toHaveLength(2));
    expect(output.messages[1]).toEqual([1, 2].map((id) => ({ jsonrpc: "2.0", id, result: {} })));
  });
});

describe("Z3, Z11: a factory", () => {
  test.each([
    [undefined, "undefined"],
    [null, "null"],
    [{}, "an object"],
    ["server", "a string"],
    [Promise.resolve(make().server), "a promise"],
  ])("that returns %s fails immediately", (garbage, kind) => {
    const serverFactory = () => garbage as never;
    expect(() => createHttpMcpRouter({ serverFactory })).toThrow(
      new Error(`\`serverFactory\` must return a Tenon server or an official SDK server; got ${kind}.`),
    );
  });

  test("that returns an invalid server later fails only that session", async () => {
    const given: unknown[] = [make().server, {}, make().server];
    const url = await serveRouter({ serverFactory: () => given.shift() as never });
    await connectTo(url);
    await expect(connectTo(url)).rejects.toThrow("`serverFactory` must return a Tenon server");
    expect(await textOf((await connectTo(url)).callTool("count"))).toBe("counted");
  });

  test("that throws logs the reason, and the client gets a generic error", async () => {
    const errors: string[] = [];
    const ignore = () => {};
    const logger = {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (text: string) => void errors.push(text),
    };
    let calls = 0;
    const serverFactory = () => {
      if (++calls > 1) throw new Error("postgres://user:secret@host is down");
      return make().server;
    };
    const url = await serveRouter({ serverFactory, logger });
    await connectTo(url);
    const refused: unknown = await connectTo(url).catch((error: unknown) => error);
    expect(String(refused)).toContain("Could not create a server for this session. Try again later.");
    expect(String(refused)).not.toContain("secret");
    expect(errors).toEqual([
      "Could not create a server for a new session: Error: postgres://user:secret@host is down",
    ]);
  });

  test("of Tenon servers is called once, and its server is shared in both eras", async () => {
    let calls = 0;
    const url = await serveRouter({
      serverFactory: () => {
        calls++;
        return defineServer({ name: "ours", version: "1.0.0" });
      },
    });
    const clients = [
      await connectTo(url),
      await connectTo(url),
      await connectV2("pinned", new StreamableHTTPClientTransport(url)),
    ];
    stops.push(async () => clients[2]?.close());
    expect(clients.map(({ revision }) => revision)).toEqual(["2025-11-25", "2025-11-25", "2026-07-28"]);
    expect(calls).toBe(1);
  });

  test("excludes other sources of servers", () => {
    const both = { mcpServer: make().server, serverFactory: () => make().server };
    expect(() => createHttpMcpRouter(both)).toThrow(
      new Error("Set either `mcpServer` or `serverFactory`, not both."),
    );
    expect(() => createHttpMcpRouter({})).toThrow(new Error("Set `mcpServer` or `serverFactory`."));
    expect(() => createHttpMcpRouter({ mcpServer: {} as never })).toThrow(
      new Error("`mcpServer` must be a Tenon server or an official SDK server; got an object."),
    );
    expect(() => createHttpMcpRouter({ mcpServer: make().server, legacy: "stateless" })).toThrow(
      new Error(
        "`serverFactory` is required in stateless mode, because each request requires its own server.",
      ),
    );
  });
});

describe("the stateless revision", () => {
  test("a client that is pinned to it gets a clear error", async () => {
    const url = await serveRouter({ serverFactory: () => make().server });
    await expect(connectV2("pinned", new StreamableHTTPClientTransport(url))).rejects.toThrow();
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "server/discover",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "server/discover",
        params: {
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        message: "This endpoint does not support stateless requests. Send `initialize` to open a session.",
      },
    });
  });
});

test("a legacy SSE session has its own server", async () => {
  const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
  const { made, serverFactory } = recording(make);
  const router = createHttpMcpRouter({ serverFactory, legacySse: true });
  const { origin, close } = await listenOn(router);
  stops.push(() => router.close(500).then(close));
  const client = await connectV1(new SSEClientTransport(new URL(`${origin}/sse`)));
  expect(await textOf(client.callTool("count"))).toBe("counted");
  expect(await textOf(client.callTool("ask"))).toContain("Ada");
  await client.close();
  await vi.waitFor(() => expect(made.map(({ closed }) => closed())).toEqual([true]));
});

test("Z10: no package imports Express or the SDK, except the drop-in for the SDK", () => {
  const theirs = /^(@modelcontextprotocol|express|connect|fastify|hono|@hono)(\/|$)/;
  const imports = readSourceFiles().flatMap(({ path, packages }) => packages.map((name) => ({ path, name })));
  expect(imports.length).toBeGreaterThan(0);
  const found = imports.filter(({ name }) => theirs.test(name)).map(({ path }) => path);
  expect([...new Set(found)].toSorted()).toEqual([
    // Only types, which are optional.
    "sdk/official-packages.d.ts",
    // Loads the error class when a request to the client fails.
    "sdk/v1/messenger.ts",
  ]);
});
