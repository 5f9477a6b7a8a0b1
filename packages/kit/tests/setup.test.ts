import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import connectApp from "connect";
import express from "express";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineServer } from "tenon";
import {
  type HttpSetup,
  setupHttpServer,
  type SetupHttpServerOptions,
  setupStdioServer,
  setupStdioTransport,
} from "../src/index.js";
import { type Logger } from "tenon";
import { connectV2 } from "../../../tools/official-clients/v2-client.js";
import { ROOT } from "../../../tools/source-files.js";
import { deferred, line, Valve } from "../../../tests/support/stdio-streams.js";

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const PING = line({ id: 1, method: "ping" });
const PONG = { jsonrpc: "2.0", id: 1, result: {} };

const serverFactory = () =>
  defineServer({ name: "setup", version: "1.0.0" }).tool("echo", {
    input: z.object({ text: z.string() }),
    handler: ({ text }) => text,
  });

/** Creates a logger that records its lines. */
function recorder() {
  const lines: string[] = [];
  const at = (level: string) => (text: string) => void lines.push(`${level}: ${text}`);
  const logger: Logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { lines, logger };
}

const streams = () => ({ input: new PassThrough(), output: new Valve() });

/** Sets up a server on a free port and closes it after the test. */
async function setUp(options: Partial<SetupHttpServerOptions> = {}): Promise<HttpSetup & { origin: string }> {
  const setup = await setupHttpServer({ serverFactory, app: express(), port: 0, ...options });
  stops.push(() => setup.close(0));
  const { port } = setup.httpServer.address() as AddressInfo; // listening on a port
  return { ...setup, origin: `http://127.0.0.1:${port}` };
}

/** Posts a message without a session, as in the stateless revision. */
function post(url: string, method: string, params: object = {}): Promise<Response> {
  const name = "name" in params ? { "mcp-name": String(params.name) } : {};
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
      "mcp-method": method,
      ...name,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
}

const ECHO = { name: "echo", arguments: { text: "here" } };

describe("Z8: setupStdioServer", () => {
  test("creates the server, responds, and resolves to undefined when the client disconnects", async () => {
    const { input, output } = streams();
    const { lines, logger } = recorder();
    let made = 0;
    const done = setupStdioServer({
      serverFactory: () => {
        made++;
        return serverFactory();
      },
      logger,
      streams: { input, output },
    });
    let isOver = false;
    void done.then(() => (isOver = true));
    input.write(PING);
    await vi.waitFor(() => expect(output.messages).toEqual([PONG]));
    expect(isOver).toBe(false);
    expect(lines).toEqual(["info: MCP server is ready (stdio)."]);
    input.end();
    expect(await done).toBeUndefined();
    expect(lines.slice(1)).toEqual(["info: MCP server has stopped."]);
    expect(made).toBe(1);
  });

  test("Z10: the logger is optional", async () => {
    const { input, output } = streams();
    const done = setupStdioServer({ serverFactory, streams: { input, output } });
    input.end(PING);
    await done;
    expect(output.messages).toEqual([PONG]);
  });

  test.each([
    [undefined, "setupStdioServer: `serverFactory` is required. Set it to a function that returns a server."],
    [
      serverFactory(),
      "setupStdioServer: `serverFactory` must be a function that returns a server; got an object.",
    ],
    [() => undefined, "`serverFactory` must return a Tenon server or an official SDK server; got undefined."],
    [
      async () => serverFactory(),
      "`serverFactory` must return a Tenon server or an official SDK server; got a promise.",
    ],
    [
      () => {
        throw new Error("no database");
      },
      "no database",
    ],
  ])("Z3: fails immediately for the factory %s: %s", async (factory, message) => {
    const { input, output } = streams();
    const setup = setupStdioServer({ serverFactory: factory as never, streams: { input, output } });
    await expect(setup).rejects.toMatchObject({ message });
    expect(input.listenerCount("data")).toBe(0);
  });
});

describe("Z12: setupStdioTransport", () => {
  test("connects a builder or a server, and can be closed", async () => {
    for (const server of [serverFactory(), serverFactory().build()]) {
      const { input, output } = streams();
      const transport = await setupStdioTransport(server, { input, output });
      input.write(PING);
      await vi.waitFor(() => expect(output.messages).toEqual([PONG]));
      await transport.close();
      expect(await transport.closed).toBeUndefined();
      input.write(PING);
      expect(output.messages).toHaveLength(1);
    }
  });

  test("Z3: fails immediately without a server", async () => {
    await expect(setupStdioTransport(undefined as never)).rejects.toThrow(
      new Error("`mcpServer` is required. Pass a Tenon server or an official SDK server."),
    );
    await expect(setupStdioTransport({} as never)).rejects.toThrow(
      new Error("`mcpServer` must be a Tenon server or an official SDK server; got an object."),
    );
  });

  test("on the process's own streams lets the process exit after close, even if stdin is open", async () => {
    const script = `
      import { defineServer } from "${ROOT}/packages/tenon/src/index.ts";
      import { setupStdioTransport } from "${ROOT}/packages/kit/src/index.ts";
      const { close } = await setupStdioTransport(defineServer({ name: "a", version: "1" }));
      setTimeout(() => void close(), 100);
    `;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
      cwd: ROOT,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const patience = setTimeout(() => child.kill("SIGKILL"), 60_000);
    child.stdin.write(PING);
    const [[code], [said]] = (await Promise.all([once(child, "exit"), once(child.stdout, "data")])) as [
      [number | null],
      [Uint8Array],
    ];
    clearTimeout(patience);
    expect(code).toBe(0);
    expect(JSON.parse(String(said))).toEqual(PONG);
  });
});

describe("Z9: setupHttpServer", () => {
  test("mounts at /mcp, listens, and returns a handle", async () => {
    const { lines, logger } = recorder();
    const app = express();
    app.get("/", (_request, response) => void response.send("home"));
    const result = await setUp({ app, logger });
    expect("httpServer" in result).toBe(true);
    expect(result.httpServer.listening).toBe(true);
    expect(await (await post(`${result.origin}/mcp`, "tools/call", ECHO)).json()).toMatchObject({
      result: { content: [{ text: "here" }] },
    });
    expect(await (await fetch(result.origin)).text()).toBe("home");
    expect((await fetch(`${result.origin}/elsewhere`)).status).toBe(404);
    const { port } = result.httpServer.address() as AddressInfo; // listening on a port
    await result.close();
    await result.close();
    expect(lines).toEqual([
      "debug: MCP endpoint is ready.",
      `info: MCP server is ready on port ${port}.`,
      "info: MCP server has stopped.",
    ]);
    expect(result.httpServer.listening).toBe(false);
  });

  test("Z10: accepts any compatible application, any path, and no logger", async () => {
    const { origin } = await setUp({ app: connectApp(), path: "/deep/down" });
    expect((await post(`${origin}/deep/down`, "server/discover")).status).toBe(200);
    expect((await post(`${origin}/mcp`, "server/discover")).status).toBe(404);
  });

  test("works with the official client", async () => {
    const { origin } = await setUp();
    const client = await connectV2("auto", new StreamableHTTPClientTransport(new URL(`${origin}/mcp`)));
    expect(await client.callTool("echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
    await client.close();
  });

  test.each<[Record<string, unknown>, string]>([
    [{ port: undefined }, "Port is required for HTTP transport"],
    [{ app: undefined }, "Express app is required for HTTP transport"],
    [{ app: {} }, "Express app is required for HTTP transport"],
    [
      { serverFactory: undefined },
      "setupHttpServer: `serverFactory` is required. Set it to a function that returns a server.",
    ],
    [
      { serverFactory: "server" },
      'setupHttpServer: `serverFactory` must be a function that returns a server; got "server".',
    ],
    [
      { serverFactory: () => ({}) },
      "`serverFactory` must return a Tenon server or an official SDK server; got an object.",
    ],
    [{ port: -1 }, "setupHttpServer: `port` must be an integer from 0 to 65535; got -1."],
    [{ port: 65_536 }, "setupHttpServer: `port` must be an integer from 0 to 65535; got 65536."],
    [{ port: 80.5 }, "setupHttpServer: `port` must be an integer from 0 to 65535; got 80.5."],
    [{ port: Number.NaN }, "setupHttpServer: `port` must be an integer from 0 to 65535; got NaN."],
    [
      { host: "0.0.0.0" },
      '`allowedHosts` is required to listen on "0.0.0.0", because other machines can reach it. ' +
        "Set `allowedHosts` to the host names that clients use.",
    ],
  ])("Z3: fails immediately with %o: %s", async (wrong, message) => {
    const app = express();
    const use = vi.spyOn(app, "use");
    const options = { serverFactory, app, port: 0, ...wrong } as SetupHttpServerOptions;
    await expect(setupHttpServer(options)).rejects.toMatchObject({ message });
    expect(use).not.toHaveBeenCalled();
  });

  test("Z3: reports a port in use and does not change the application", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    stops.push(async () => other.close());
    const { port } = other.address() as AddressInfo; // listening on a port
    const app = express();
    await expect(setupHttpServer({ serverFactory, app, port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    const { origin, close } = await setUp({ app });
    expect((await post(`${origin}/mcp`, "server/discover")).status).toBe(200);
    await close();
  });

  test("with allowedHosts it listens on any address and accepts only these host names", async () => {
    const { origin } = await setUp({ host: "0.0.0.0", allowedHosts: ["mcp.example.com"] });
    expect((await post(`${origin}/mcp`, "server/discover")).status).toBe(403);
  });

  test("close lets requests to the endpoint and to other routes finish", async () => {
    const begun = deferred<void>();
    const [go, goOn] = [deferred<void>(), deferred<void>()];
    const app = express();
    app.get("/slow", async (_request, response) => {
      await goOn.promise;
      response.send("finished");
    });
    const { origin, close } = await setUp({
      app,
      serverFactory: () =>
        defineServer({ name: "slow", version: "1.0.0" }).tool("slow", {
          input: z.object({}),
          handler: async () => {
            begun.resolve();
            await go.promise;
            return "finished";
          },
        }),
    });
    const call = post(`${origin}/mcp`, "tools/call", { name: "slow", arguments: {} });
    const page = fetch(`${origin}/slow`);
    await begun.promise;
    const closed = close(5_000);
    expect((await post(`${origin}/mcp`, "server/discover")).status).toBe(503);
    go.resolve();
    expect(await (await call).json()).toMatchObject({ result: { content: [{ text: "finished" }] } });
    await delay(50);
    goOn.resolve();
    expect(await (await page).text()).toBe("finished");
    await closed;
    await expect(fetch(origin)).rejects.toThrow();
  });

  test("close does not wait for idle streams", async () => {
    const { origin, close } = await setUp();
    const listening = await post(`${origin}/mcp`, "subscriptions/listen", {
      notifications: { toolsListChanged: true },
    });
    const began = performance.now();
    await close(60_000);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(await listening.text()).toContain('"resultType":"complete"');
  });

  test("close aborts a call that exceeds the grace period", async () => {
    const begun = deferred<void>();
    const { origin, close } = await setUp({
      serverFactory: () =>
        defineServer({ name: "slow", version: "1.0.0" }).tool("slow", {
          input: z.object({}),
          handler: () => {
            begun.resolve();
            return new Promise<string>(() => {});
          },
        }),
    });
    const call = post(`${origin}/mcp`, "tools/call", { name: "slow", arguments: {} });
    await begun.promise;
    await close(50);
    expect(await (await call).json()).toMatchObject({
      error: { message: expect.stringContaining("stopped before the call ended") },
    });
  });
});
