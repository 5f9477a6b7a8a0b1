import { tmpdir } from "node:os";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import express from "express";
import { defineServer, type Logger } from "tenon";
import { describe, expect, test, vi } from "vitest";
import {
  createFileServingRouter,
  createHttpMcpRouter,
  parseConfig,
  saveFile,
  setupHttpServer,
  setupStdioServer,
  setupStdioTransport,
  setupTransport,
} from "../../src/index.js";
import { deferred, line, Valve } from "../../../../tests/support/stdio-streams.js";

const serverFactory = () => defineServer({ name: "options", version: "1.0.0" });
const store = { routePrefix: "/", resourceStoreUri: pathToFileURL(tmpdir()).href };

describe("first-run-a3: misspelled options of kit", () => {
  test.each<[string, () => unknown, string]>([
    [
      "authorization of an endpoint",
      () => createHttpMcpRouter({ serverFactory, auth: {} } as never),
      "createHttpMcpRouter: unknown option `auth`. Did you mean `authorization`?",
    ],
    [
      "authorization of a server",
      () => setupHttpServer({ serverFactory, app: express(), port: 0, authorisation: {} } as never),
      "setupHttpServer: unknown option `authorisation`. Did you mean `authorization`?",
    ],
    [
      "the address",
      () => setupHttpServer({ serverFactory, app: express(), port: 0, hostname: "::1" } as never),
      "setupHttpServer: unknown option `hostname`. Did you mean `host`?",
    ],
    [
      "the logger",
      () => setupStdioServer({ serverFactory, log: console } as never),
      "setupStdioServer: unknown option `log`. Did you mean `logger`?",
    ],
    [
      "a stream",
      () => setupStdioTransport(serverFactory(), { stdin: process.stdin } as never),
      "`streams`: unknown option `stdin`.",
    ],
    [
      "the factory",
      () => setupTransport({ transport: { type: "stdio" }, factory: serverFactory } as never),
      "setupTransport: unknown option `factory`. Did you mean `serverFactory`?",
    ],
    [
      "access control for files",
      () => createFileServingRouter({ ...store, getMetaData: () => null } as never),
      "createFileServingRouter: unknown option `getMetaData`. Did you mean `getMetadata`?",
    ],
    [
      "the limit of a file",
      () => saveFile("x", { resourceStoreUri: store.resourceStoreUri, filename: "a", maxSize: 1 } as never),
      "saveFile: unknown option `maxSize`. Did you mean `maxBytes`?",
    ],
  ])("%s: fails at startup with a suggestion", async (_, start, message) => {
    await expect((async () => start())()).rejects.toThrow(message);
  });
});

describe("first-run-d4: setupTransport", () => {
  test("serves over HTTP if the configuration says so", async () => {
    const config = parseConfig(["--port", "0"], {});
    const result = await setupTransport({ ...config, serverFactory, app: express() });
    if (!("httpServer" in result)) throw new Error("expected an HTTP server");
    expect(result.httpServer.listening).toBe(true);
    await result.close(0);
    expect(result.httpServer.listening).toBe(false);
  });

  test("serves over stdio otherwise, resolves when the server is ready, and can be closed", async () => {
    const [input, output] = [new PassThrough(), new Valve()];
    const lines: string[] = [];
    const note = (text: string) => void lines.push(text);
    const logger: Logger = { debug: note, info: note, warn: note, error: note };
    const config = parseConfig([], {});
    const result = await setupTransport({ ...config, serverFactory, logger, streams: { input, output } });
    expect("httpServer" in result).toBe(false);
    input.write(line({ id: 1, method: "ping" }));
    await vi.waitFor(() => expect(output.messages).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]));
    await result.close();
    expect(lines).toEqual(["MCP server is ready (stdio).", "MCP server has stopped."]);
  });

  test.each<[string, object, string]>([
    [
      "the application",
      { transport: { type: "http", port: 0 } },
      "Express app is required for HTTP transport",
    ],
    ["the port", { transport: { type: "http" }, app: express() }, "Port is required for HTTP transport"],
    [
      "the transport",
      {},
      '`transport` is required. Set it to { type: "stdio" } or { type: "http", port }. `parseConfig` returns one.',
    ],
    [
      "a known transport",
      { transport: { type: "sse" } },
      '`transport` must be { type: "stdio" } or { type: "http", port }; got "sse". ' +
        "`parseConfig` returns one.",
    ],
    [
      "the factory",
      { transport: { type: "stdio" }, serverFactory: undefined },
      "`serverFactory` is required",
    ],
    ["a handler for --help", parseConfig(["--help"], {}), "Print the text in `help` instead of starting"],
  ])("fails immediately without %s", async (_, options, message) => {
    await expect(setupTransport({ serverFactory, ...options } as never)).rejects.toThrow(message);
  });

  test("passes the context to handlers on both transports", async () => {
    const seen = deferred<unknown>();
    const withContext = () =>
      defineServer<{ readonly db: string }>({ name: "c", version: "1" }).tool("t", {
        handler: (_args, call) => {
          seen.resolve(call.context);
        },
      });
    const [input, output] = [new PassThrough(), new Valve()];
    const result = await setupTransport({
      transport: { type: "stdio" },
      serverFactory: withContext,
      context: { db: "x" },
      streams: { input, output },
    });
    input.write(line({ id: 1, method: "tools/call", params: { name: "t" } }));
    expect(await seen.promise).toEqual({ db: "x" });
    await result.close();
  });
});
