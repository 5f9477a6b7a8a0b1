import express, { type ErrorRequestHandler } from "express";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "tenon";
import { createHttpMcpRouter, type HttpMcpRouter, type HttpMcpRouterOptions } from "../src/index.js";
import { connectV1 } from "../../../tools/official-clients/v1-client.js";
import { listenOn } from "./support/mounted-apps.js";

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const named = (name: string) =>
  defineServer({ name, version: "1.0.0" })
    .tool("who", {
      input: z.object({}),
      handler: (_, call) => `${name} for ${call.auth?.principal ?? "anyone"}`,
    })
    .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => String(text.length) });

/** Creates a router that is closed after the test. */
function routerOf(name: string, options: HttpMcpRouterOptions = {}): HttpMcpRouter {
  const router = createHttpMcpRouter({ mcpServer: named(name), ...options });
  stops.push(() => router.close(0));
  return router;
}

async function serveApp(app: express.Express): Promise<string> {
  const { origin, close } = await listenOn(app);
  stops.push(close);
  return origin;
}

interface Sent {
  readonly headers?: Record<string, string>;
  readonly args?: object;
}

/** Calls a tool in the stateless revision. */
function call(url: string, name: string, { headers = {}, args = {} }: Sent = {}): Promise<Response> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args, _meta },
    }),
  });
}

const textOf = async (response: Promise<Response>) => {
  const { result } = (await (await response).json()) as { readonly result: { content: [{ text: string }] } };
  return result.content[0].text;
};

describe("Z12: routers on one application", () => {
  test("coexist at any path, each with its own authentication", async () => {
    const app = express();
    app.use("/public", routerOf("open"));
    const authenticate: HttpMcpRouterOptions["authenticate"] = ({ header }) =>
      header("authorization") === "Bearer ada"
        ? { auth: { principal: "ada", scopes: [] } }
        : { status: 401, message: "who are you?", headers: { "www-authenticate": "Bearer" } };
    app.use("/very/deep/private", routerOf("closed", { authenticate }));
    const guard: express.RequestHandler = (request, response, next) =>
      request.header("x-key") === "key" ? next() : void response.status(403).send("no key");
    app.use("/guarded", guard, routerOf("guarded"));
    const origin = await serveApp(app);

    expect(await textOf(call(`${origin}/public`, "who"))).toBe("open for anyone");
    const refused = await call(`${origin}/very/deep/private`, "who");
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toBe("Bearer");
    const headers = { authorization: "Bearer ada" };
    expect(await textOf(call(`${origin}/very/deep/private`, "who", { headers }))).toBe("closed for ada");
    expect(await (await call(`${origin}/guarded`, "who")).text()).toBe("no key");
    expect(await textOf(call(`${origin}/guarded`, "who", { headers: { "x-key": "key" } }))).toBe(
      "guarded for anyone",
    );
  });

  test("do not affect other routes", async () => {
    const app = express();
    app.use(express.json());
    app.use("/mcp", routerOf("one"));
    app.post("/json", (request, response) => void response.json({ got: request.body as unknown }));
    const origin = await serveApp(app);
    const headers = { "content-type": "application/json" };
    const posted = await fetch(`${origin}/json`, { method: "POST", headers, body: '{"a":1}' });
    expect(await posted.json()).toEqual({ got: { a: 1 } });
    expect((await fetch(`${origin}/nothing`)).status).toBe(404);
    expect((await fetch(`${origin}/mcpx`)).status).toBe(404);
    expect(await textOf(call(`${origin}/mcp`, "who"))).toBe("one for anyone");
  });

  test("can share a server and close independently", async () => {
    const server = named("shared").build();
    const [first, second] = [routerOf("a", { mcpServer: server }), routerOf("b", { mcpServer: server })];
    const origin = await serveApp(express().use("/a", first).use("/b", second));
    await first.close(0);
    expect((await call(`${origin}/a`, "who")).status).toBe(503);
    expect(await textOf(call(`${origin}/b`, "who"))).toBe("shared for anyone");
  });

  test("have separate sessions", async () => {
    const origin = await serveApp(express().use("/a", routerOf("a")).use("/b", routerOf("b")));
    const { StreamableHTTPClientTransport } =
      await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const transport = new StreamableHTTPClientTransport(new URL(`${origin}/a`));
    const client = await connectV1(transport);
    stops.push(() => client.close());
    const elsewhere = await fetch(`${origin}/b`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": transport.sessionId ?? "",
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    expect(elsewhere.status).toBe(404);
  });

  // Express removes the mount path from `url`, which the endpoint would otherwise use.
  test("the legacy SSE transport sends the correct endpoint URL at any mount path", async () => {
    const origin = await serveApp(express().use("/api/mcp", routerOf("old", { legacySse: true })));
    const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
    const client = await connectV1(new SSEClientTransport(new URL(`${origin}/api/mcp/sse`)));
    stops.push(() => client.close());
    expect(await client.callTool("who")).toMatchObject({ content: [{ text: "old for anyone" }] });
  });
});

describe("Z12: a body parser before a router", () => {
  const PARSERS: Readonly<Record<string, express.RequestHandler>> = {
    "for JSON": express.json({ limit: "2mb" }),
    "for bytes": express.raw({ type: "application/json", limit: "2mb" }),
    "for text": express.text({ type: "application/json", limit: "2mb" }),
    "for another type": express.urlencoded(),
  };

  test.each(Object.entries(PARSERS))("%s does not break the router", async (_name, parser) => {
    const origin = await serveApp(express().use(parser).use("/mcp", routerOf("one")));
    const args = { text: "ü".repeat(200_000) };
    expect(await textOf(call(`${origin}/mcp`, "echo", { args }))).toBe("200000");
  });

  test.each(Object.entries(PARSERS))("%s does not raise the endpoint's own limit", async (_name, parser) => {
    const router = routerOf("one", { limits: { maxBytes: 1_000 } });
    const origin = await serveApp(express().use(parser).use("/mcp", router));
    const response = await call(`${origin}/mcp`, "echo", { args: { text: "x".repeat(2_000) } });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      error: { message: "The message is too large (limit: 1000 bytes)." },
    });
  });

  test("enforces its own limit before the router, and has no effect after it", async () => {
    const tell: ErrorRequestHandler = (error: { status: number }, _request, response, _next) =>
      void response.status(error.status).send("parser");
    const parser = express.json({ limit: 1_000 });
    const origin = await serveApp(
      express().use("/first", routerOf("one")).use(parser).use("/second", routerOf("two")).use(tell),
    );
    const args = { text: "x".repeat(2_000) };
    expect(await textOf(call(`${origin}/first`, "echo", { args }))).toBe("2000");
    const refused = await call(`${origin}/second`, "echo", { args });
    expect([refused.status, await refused.text()]).toEqual([413, "parser"]);
  });
});
