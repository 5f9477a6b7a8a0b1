import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createTool } from "../../src/grouped/index.js";
import { defineServer } from "../../src/index.js";
import { type HttpOptions, toFetch } from "../../src/transport/fetch/index.js";
import { createClient } from "../../src/testing/index.js";
import { listen, serve, type ServeOptions, toNodeHandler } from "../../src/transport/node/index.js";
import { serveStdio } from "../../src/transport/stdio/index.js";
import { PassThrough } from "node:stream";
import { OTHER_OPTIONS } from "@tenon/internal/options/define-options";

/** Misspelled and contradictory options were ignored. A server with `auth:` instead of `authorization:` was open. */

const INFO = { name: "a", version: "1" };
const server = () => defineServer(INFO).tool("hi", { handler: () => "hi" });

/** Starts a server with options that must be rejected. Returns the message. */
const messageOf = async (start: () => unknown): Promise<string> => {
  try {
    const started = await start();
    await (started as { close?: () => Promise<void> }).close?.();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as Error).message;
  }
  return "accepted";
};

const given = (options: object) => options as ServeOptions<unknown>;

afterEach(() => {
  vi.restoreAllMocks();
});

describe("first-run-a3: unknown options are rejected with a suggestion", () => {
  test.each<[string, object]>([
    ["serve: unknown option `auth`. Did you mean `authorization`?", { port: 0, auth: {} }],
    ["serve: unknown option `prot`. Did you mean `port`?", { prot: 3000 }],
    ["serve: unknown option `hostname`. Did you mean `host`?", { port: 0, hostname: "localhost" }],
    ["serve: unknown option `cors`. Did you mean `corsOrigins`?", { port: 0, cors: "*" }],
    ["serve: unknown option `allowedHost`. Did you mean `allowedHosts`?", { port: 0, allowedHost: ["a"] }],
    ["serve: `log` is an option of `defineServer`, not of `serve`. Move it there.", { log: () => {} }],
    [
      "serve: `logLevel` is an option of `defineServer`, not of `serve`. Move it there.",
      { port: 0, logLevel: "info" },
    ],
    [
      "serve: `host` is an option of `serve`, not of `transport`. Move it out of `transport`.",
      { transport: { type: "http", port: 0, host: "::1" } },
    ],
    [
      "serve: `sessions`: unknown option `maxSesions`. Did you mean `maxSessions`?",
      { port: 0, sessions: { maxSesions: 1 } },
    ],
    [
      "serve: `sessions.streams`: unknown option `maxEvent`. Did you mean `maxEvents`?",
      { port: 0, sessions: { streams: { maxEvent: 1 } } },
    ],
    ["serve: `limits`: unknown option `maxByte`. Did you mean `maxBytes`?", { limits: { maxByte: 1 } }],
  ])("%s", async (message, options) => {
    expect(await messageOf(() => serve(server(), given(options)))).toBe(message);
  });

  test("by the other functions too", async () => {
    const wrong = { auth: {} } as HttpOptions<unknown>;
    expect(await messageOf(() => toFetch(server(), wrong))).toBe(
      "toFetch: unknown option `auth`. Did you mean `authorization`?",
    );
    expect(await messageOf(() => toNodeHandler(server(), wrong))).toBe(
      "toNodeHandler: unknown option `auth`. Did you mean `authorization`?",
    );
    expect(await messageOf(() => toNodeHandler(server(), { port: 3000 } as HttpOptions<unknown>))).toMatch(
      /^toNodeHandler: unknown option `port`\. /,
    );
    expect(await messageOf(() => listen(() => {}, { port: 0, hostname: "a" } as { port: number }))).toBe(
      "listen: unknown option `hostname`. Did you mean `host`?",
    );
    expect(await messageOf(() => serveStdio(server(), { stdin: new PassThrough() } as object))).toBe(
      "serveStdio: unknown option `stdin`. Did you mean `input`?",
    );
    expect(await messageOf(() => serveStdio(server(), { connection: { maxCall: 1 } } as object))).toBe(
      "serveStdio: `connection`: unknown option `maxCall`. Did you mean `maxCalls`?",
    );
    expect(await messageOf(() => createClient(server(), { elicit: () => {} } as object))).toBe(
      "createClient: unknown option `elicit`. Did you mean `input`?",
    );
    expect(await messageOf(() => createClient(server(), { revison: "2025-06-18" } as object))).toBe(
      "createClient: unknown option `revison`. Did you mean `revision`?",
    );
  });
});

describe("first-run-a3: the port selects HTTP", () => {
  test.each<object>([
    { port: 0 },
    { transport: { type: "http", port: 0 } },
    { transport: { type: "http" }, port: 0 },
    { port: 0, transport: { type: "http", port: 0 } },
    // Members that belong to someone else.
    { port: 0, headless: true, logLevel: "info", [OTHER_OPTIONS]: ["headless", "logLevel"] },
  ])("%j", async (options) => {
    const running = await serve(server(), given({ ...options, banner: false }));
    onTestFinished(() => running.close());
    expect(running.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  });

  const addPort = (name: string) =>
    `serve: \`${name}\` applies only to HTTP, and without \`port\` the server uses stdio. ` +
    `Add \`port: 3000\` to serve over HTTP, or remove \`${name}\`.`;

  test.each<[string, object]>([
    [addPort("host"), { host: "0.0.0.0" }],
    [addPort("path"), { path: "/mcp" }],
    [addPort("authenticate"), { authenticate: () => ({}) }],
    [addPort("allowedHosts"), { allowedHosts: ["mcp.example.com"] }],
    [
      'serve: `port` cannot be combined with `transport: { type: "stdio" }`. Remove one of them.',
      { port: 0, transport: { type: "stdio" } },
    ],
    [
      "serve: `port` is 1, but `transport.port` is 2. Remove one of them.",
      { port: 1, transport: { type: "http", port: 2 } },
    ],
    ["serve: `port` is required to serve over HTTP. Add `port: 3000`.", { transport: { type: "http" } }],
    [
      'serve: `transport` must be `{ type: "stdio" }` or `{ type: "http", port: 3000 }`; got "http".',
      { transport: "http" },
    ],
    [
      'serve: `transport` must be `{ type: "stdio" }` or `{ type: "http", port: 3000 }`; got "sse".',
      { transport: { type: "sse", port: 1 } },
    ],
    [
      'serve: `port` must be an integer from 0 to 65535; got "3000". Convert it with `Number`.',
      { port: "3000" },
    ],
    ["serve: `port` must be an integer from 0 to 65535; got 70000.", { port: 70_000 }],
    [
      'serve: `path` must be a path that starts with "/", such as "/mcp"; got "mcp".',
      { port: 0, path: "mcp" },
    ],
    [
      'serve: `allowedHosts` must be an array of host names; got "mcp.example.com".',
      { port: 0, allowedHosts: "mcp.example.com" },
    ],
    [
      'serve: `corsOrigins` must be "*" or an array of origins; got "https://a.example".',
      { port: 0, corsOrigins: "https://a.example" },
    ],
    ['serve: `legacy` must be "stateful" or "stateless"; got true.', { port: 0, legacy: true }],
    [
      'serve: `streamAfterMs` must be a non-negative number (milliseconds); got "5s".',
      { port: 0, streamAfterMs: "5s" },
    ],
    ["serve: `authenticate` must be a function; got an object.", { port: 0, authenticate: {} }],
    [
      "serve: `authorization` must be an object with the functions `authenticate` and `challenge`; got an object. " +
        "Create it with `createAuthorization` from `@tenon/auth`.",
      { port: 0, authorization: { mode: "jwt" } },
    ],
  ])("%s", async (message, options) => {
    expect(await messageOf(() => serve(server(), given(options)))).toBe(message);
  });
});

describe("first-run-a3: scopes that are not enforced", () => {
  const guarded = () =>
    server()
      .tool("delete_note", { scopes: ["notes:write"], handler: () => "deleted" })
      .tool("move_note", { scopes: ["notes:write"], handler: () => "moved" });
  const warning =
    '[tenon] Tools "delete_note", "move_note" have `scopes`, but this endpoint has neither `authorization` nor ' +
    "`authenticate`, so every caller can use them. Set `authorization`. If this is intended, set it to " +
    '`createAuthorization({ mode: "none" })`.';

  test("are reported when the server starts", async () => {
    const written = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
    const running = await serve(guarded(), { port: 0, banner: false });
    onTestFinished(() => running.close());
    expect(written.mock.calls.map(([text]) => text)).toEqual([`${warning}\n`]);
  });

  test("are reported when a handler is created", () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    toFetch(guarded());
    toNodeHandler(guarded());
    expect(printed.mock.calls).toEqual([[warning], [warning]]);
  });

  test("are reported for grouped tools if only one action has them", () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    const notes = createTool("notes")
      .action({ name: "list", handler: () => "" })
      .action({ name: "delete", scopes: ["notes:write"], handler: () => "" });
    toFetch(server().tools(notes));
    expect(printed.mock.calls).toEqual([[expect.stringContaining('Tool "notes" has `scopes`')]]);
  });

  test("are not reported if callers are identified, or no tool has scopes", () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    toFetch(server());
    toFetch(guarded(), { authenticate: () => ({}) });
    toNodeHandler(guarded(), { authorization: { authenticate: () => ({}), challenge: () => ({}) } });
    expect(printed).not.toHaveBeenCalled();
  });
});

test("first-run-a3: the response for a wrong path names the endpoint", async () => {
  const running = await serve(server(), { port: 0, path: "/api/mcp", banner: false });
  onTestFinished(() => running.close());
  const response = await fetch(new URL("/mcp", running.url), { method: "POST" });
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ error: "not found", message: "The MCP endpoint is /api/mcp." });
});
