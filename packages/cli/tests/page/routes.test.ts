import { once } from "node:events";
import { connect } from "node:net";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CommandError } from "../../src/page/command-error.js";
import { PageFeed } from "../../src/page/feed/page-feed.js";
import type { CallDetail, PageEvent } from "../../src/page/protocol.js";
import { checkAccess, isPageUrl, type PageRequest } from "../../src/page/serve/access.js";
import { createLaunchToken } from "../../src/page/serve/launch-token.js";
import { createPageFiles } from "../../src/page/serve/page-files.js";
import {
  type CommandHandlers,
  createPageListener,
  type PageParts,
} from "../../src/page/serve/page-listener.js";
import { CONTENT_SECURITY_POLICY } from "../../src/page/serve/respond.js";
import { serveHttp } from "../support/page/inspected.js";
import { PageClient } from "../support/page/page-client.js";

/** Creates a folder with the files of a page. */
function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-page-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Page</title>");
  writeFileSync(join(folder, "app.js"), "export {};");
  writeFileSync(join(folder, "app.css"), "body { margin: 0; }");
  writeFileSync(join(folder, "secret.txt"), "secret");
  return folder;
}

async function serve(parts: Partial<PageParts> = {}) {
  const token = createLaunchToken();
  const feed = new PageFeed({ calls: () => [] });
  const seen: [string, unknown][] = [];
  const commands = new Proxy({} as CommandHandlers, {
    get: (_target, name) => (params: unknown) => {
      seen.push([String(name), params]);
      return {};
    },
  });
  const listener = createPageListener({
    token,
    feed,
    files: createPageFiles(createFolder()),
    commands,
    readCall: () => undefined,
    ...parts,
  });
  const origin = await serveHttp(listener);
  onTestFinished(() => listener.close());
  const port = Number(new URL(origin).port);
  const cookie = `tenon-dev-${port}=${token.text}`;
  return { origin, port, token, cookie, feed, seen, url: `${origin}/_dev?token=${token.text}` };
}

/** Sends a raw request, because `fetch` sets some headers itself. Returns the status and the whole response. */
async function sendRaw(port: number, lines: readonly string[], body = "") {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  socket.write(`${[...lines, "connection: close", ""].join("\r\n")}\r\n${body}`);
  await once(socket, "close");
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text };
}

describe("access", () => {
  const token = createLaunchToken();
  const request = (more: Partial<PageRequest>, headers: Record<string, string> = {}): PageRequest => ({
    method: "GET",
    url: "/_dev",
    remoteAddress: "127.0.0.1",
    localPort: 3000,
    header: (name) => ({ host: "localhost:3000", cookie: `tenon-dev-3000=${token.text}`, ...headers })[name],
    ...more,
  });
  const json = { "content-type": "application/json" };

  test.each<[string, PageRequest, string]>([
    ["a request with the cookie", request({}), "allowed"],
    ["IPv4", request({}, { host: "127.0.0.1:3000" }), "allowed"],
    ["IPv6", request({ remoteAddress: "::1" }, { host: "[::1]:3000" }), "allowed"],
    ["IPv4 in IPv6", request({ remoteAddress: "::ffff:127.0.0.1" }), "allowed"],
    ["one cookie of several", request({}, { cookie: `a=b; tenon-dev-3000=${token.text}; c=d` }), "allowed"],
    [
      "a cookie after one of the same name, which a different port has set",
      request({}, { cookie: `tenon-dev-3000=other; tenon-dev-3000=${token.text}` }),
      "allowed",
    ],
    [
      "a POST from the page",
      request({ method: "POST" }, { ...json, origin: "http://localhost:3000" }),
      "allowed",
    ],
    [
      "a POST that the browser marks",
      request({ method: "POST" }, { ...json, "sec-fetch-site": "same-origin" }),
      "allowed",
    ],
    ["the page from a link", request({}, { "sec-fetch-site": "cross-site" }), "allowed"],
    ["the token", request({ url: `/_dev?token=${token.text}` }, { cookie: "" }), "sign-in"],
    ["a different machine", request({ remoteAddress: "192.168.1.5" }), "403"],
    ["no address", request({ remoteAddress: undefined }), "403"],
    ["a different host name", request({}, { host: "evil.example:3000" }), "403"],
    ["a name that only starts like localhost", request({}, { host: "localhost.evil.example:3000" }), "403"],
    ["a different port", request({}, { host: "localhost:4000" }), "403"],
    ["no port", request({}, { host: "localhost" }), "403"],
    ["no host", request({}, { host: "" }), "403"],
    ["two hosts", request({}, { host: "localhost:3000, evil.example" }), "403"],
    ["no cookie", request({}, { cookie: "" }), "403"],
    ["the cookie of a different port", request({}, { cookie: `tenon-dev-4000=${token.text}` }), "403"],
    ["a wrong cookie", request({}, { cookie: "tenon-dev-3000=wrong" }), "403"],
    ["a wrong token", request({ url: "/_dev?token=wrong" }), "403"],
    ["an empty token", request({ url: "/_dev?token=" }), "403"],
    [
      "the token on a different path",
      request({ url: `/_dev/app.js?token=${token.text}` }, { cookie: "" }),
      "403",
    ],
    ["a POST without origin", request({ method: "POST" }, json), "403"],
    [
      "a POST from a different port",
      request({ method: "POST" }, { ...json, origin: "http://localhost:4000" }),
      "403",
    ],
    [
      "a POST from a different site",
      request({ method: "POST" }, { ...json, origin: "https://evil.example" }),
      "403",
    ],
    ["a POST with the origin null", request({ method: "POST" }, { ...json, origin: "null" }), "403"],
    [
      "a POST whose origin contradicts the browser's mark",
      request(
        { method: "POST" },
        { ...json, origin: "http://evil.example", "sec-fetch-site": "same-origin" },
      ),
      "403",
    ],
    [
      "the API from a different port",
      request({ url: "/_dev/api/events" }, { "sec-fetch-site": "same-site" }),
      "403",
    ],
    ["PUT", request({ method: "PUT" }), "405"],
    ["OPTIONS", request({ method: "OPTIONS" }), "405"],
    [
      "a POST with a form",
      request({ method: "POST" }, { origin: "http://localhost:3000", "content-type": "text/plain" }),
      "415",
    ],
  ])("%s", (_name, given, expected) => {
    const access = checkAccess(given, token);
    expect(access.kind === "rejected" ? String(access.status) : access.kind).toBe(expected);
  });

  test.each([
    ["/_dev", true],
    ["/_dev/", true],
    ["/_dev?token=1", true],
    ["/_dev/api/events", true],
    ["/_devil", false],
    ["/mcp", false],
    ["//_dev", false],
    ["/_DEV", false],
  ])("%s belongs to the page: %s", (url, expected) => expect(isPageUrl(url)).toBe(expected));

  test("each launch has its own token with 256 bits", () => {
    const texts = Array.from({ length: 100 }, () => createLaunchToken().text);
    expect(new Set(texts).size).toBe(100);
    for (const text of texts) expect(text).toMatch(/^[\w-]{43}$/);
  });
});

describe("the page's files", () => {
  test("the URL sets a cookie that scripts and other sites cannot read, and leads to the page", async () => {
    const { url, port, token } = await serve();
    const response = await fetch(url, { redirect: "manual" });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("/_dev");
    expect(response.headers.get("set-cookie")).toBe(
      `tenon-dev-${port}=${token.text}; Path=/_dev; HttpOnly; SameSite=Strict`,
    );
  });

  test.each([
    ["/_dev", "text/html; charset=utf-8"],
    ["/_dev/", "text/html; charset=utf-8"],
    ["/_dev/app.js", "text/javascript; charset=utf-8"],
    ["/_dev/app.css", "text/css; charset=utf-8"],
  ])("%s has the type %s", async (path, type) => {
    const { origin, cookie } = await serve();
    const response = await fetch(`${origin}${path}`, { headers: { cookie } });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(type);
    const etag = response.headers.get("etag") ?? "";
    const again = await fetch(`${origin}${path}`, { headers: { cookie, "if-none-match": etag } });
    expect(again.status).toBe(304);
    const head = await fetch(`${origin}${path}`, { method: "HEAD", headers: { cookie } });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(Number(head.headers.get("content-length"))).toBeGreaterThan(0);
  });

  test.each([
    "/_dev/secret.txt",
    "/_dev/../secret.txt",
    "/_dev/..%2fsecret.txt",
    "/_dev/app.js/../secret.txt",
    "/_dev//etc/passwd",
    "/_dev/__proto__",
    "/_dev/constructor",
    "/_dev/app.js%00",
    `/_dev/${"a".repeat(5_000)}`,
    "/_dev/api/calls/../../secret.txt",
    "/_dev/api/__proto__",
    "/_dev/api/calls/",
    "/_dev/api/",
  ])("%s is not found", async (path) => {
    const { port, cookie } = await serve();
    const { status, text } = await sendRaw(port, [
      `GET ${path} HTTP/1.1`,
      `host: localhost:${port}`,
      `cookie: ${cookie}`,
    ]);
    expect(status).toBe(404);
    expect(text).not.toContain("\r\nsecret");
  });

  test("a page whose files are missing says how to repair the installation", async () => {
    const { origin, cookie } = await serve({ files: createPageFiles("/nowhere") });
    const response = await fetch(`${origin}/_dev`, { headers: { cookie } });
    expect([response.status, await response.text()]).toEqual([
      500,
      "The files of the development page are missing in this installation. Install @tenon/cli again: npm install @tenon/cli\n",
    ]);
  });

  test("a request without the token gets a page that says where the URL is", async () => {
    const { origin } = await serve();
    const response = await fetch(`${origin}/_dev`);
    expect(response.status).toBe(403);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await response.text()).toBe(
      "Open the URL that the command prints when it starts. It contains a token, which is different after each start.\n",
    );
  });

  test("every response has the content security policy and the other headers", async () => {
    const { origin, cookie, url, port } = await serve();
    const paths = [
      url,
      `${origin}/_dev`,
      `${origin}/_dev/app.js`,
      `${origin}/_dev/none`,
      `${origin}/_dev/api/none`,
    ];
    const responses = [
      ...(await Promise.all(paths.map((path) => fetch(path, { redirect: "manual", headers: { cookie } })))),
      await fetch(`${origin}/_dev`),
      await fetch(`${origin}/_dev`, { method: "DELETE" }),
    ];
    for (const { headers, status } of responses) {
      expect(headers.get("content-security-policy"), String(status)).toBe(CONTENT_SECURITY_POLICY);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    }
    const { text } = await sendRaw(port, ["GET /_dev HTTP/1.1", "host: evil.example"]);
    expect(text.toLowerCase()).toContain("content-security-policy: default-src 'none'");
    expect(CONTENT_SECURITY_POLICY).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src data: blob:; " +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    );
  });
});

describe("commands", () => {
  const post = (served: Awaited<ReturnType<typeof serve>>, name: string, body: string) =>
    fetch(`${served.origin}/_dev/api/${name}`, {
      method: "POST",
      headers: { cookie: served.cookie, origin: served.origin, "content-type": "application/json" },
      body,
    });

  test("a command gets its parameters, without members that it does not know", async () => {
    const served = await serve();
    const body = { tool: "add", arguments: { a: 1 }, era: "modern", timeoutMs: 5, more: true };
    const response = await post(served, "call", JSON.stringify(body));
    expect([response.status, await response.json()]).toEqual([200, {}]);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(served.seen).toEqual([
      ["call", { tool: "add", arguments: { a: 1 }, era: "modern", timeoutMs: 5 }],
    ]);
  });

  test.each<[string, unknown, string]>([
    ["call", { arguments: {}, era: "modern" }, "`tool` must be a string; got undefined."],
    ["call", { tool: "a", arguments: [], era: "modern" }, "`arguments` must be an object; got an array."],
    ["call", { tool: "a", arguments: {}, era: "old" }, '`era` must be "legacy" or "modern".'],
    [
      "call",
      { tool: "a", arguments: {}, era: "modern", timeoutMs: -1 },
      "`timeoutMs` must be a number from 1 to 86400000.",
    ],
    [
      "call",
      { tool: "a".repeat(1_001), arguments: {}, era: "modern" },
      "`tool` is too long (limit: 1000 characters).",
    ],
    [
      "prompt",
      { name: "a", arguments: { b: 1 }, era: "modern" },
      "`arguments.b` must be a string; got a number.",
    ],
    [
      "complete",
      { ref: { type: "tool" }, argument: "a", value: "", known: {}, era: "modern" },
      '`ref.type` must be "prompt" or "resource".',
    ],
    ["subscribe", { uri: "a:b", isOn: 1 }, "`isOn` must be true or false; got a number."],
    [
      "log-level",
      { level: "loud" },
      "`level` must be one of debug, info, notice, warning, error, critical, alert, emergency.",
    ],
    ["export", { ids: "all" }, "`ids` must be an array; got a string."],
    ["export", { ids: [1] }, "`ids` must be an array of strings; got a number."],
    ["replay", { recording: {} }, "The file is not a recording of this page."],
    [
      "replay",
      { recording: { format: "tenon-recording", version: 2 } },
      "The recording has a version that this page does not support (supported: 1).",
    ],
    [
      "replay",
      {
        recording: {
          format: "tenon-recording",
          version: 1,
          calls: [{ era: "modern", method: "tasks/get", outcome: "ok" }],
        },
      },
      "`calls[0].method` of the recording must be tools/call, resources/read, prompts/get; got a string.",
    ],
    ["answer", [], "The body must be a JSON object; got an array."],
  ])("%s with %j is rejected", async (name, body, error) => {
    const response = await post(await serve(), name, JSON.stringify(body));
    expect([response.status, await response.json()]).toEqual([400, { error }]);
  });

  test("text that is not JSON, and JSON that is nested too deeply, are rejected", async () => {
    const served = await serve();
    for (const body of ["{", "", "[".repeat(1_000)])
      expect((await post(served, "call", body)).status).toBe(400);
    expect(served.seen).toEqual([]);
  });

  test("keys that could change a prototype are removed", async () => {
    const served = await serve();
    await post(served, "call", '{"tool":"a","arguments":{"__proto__":{"x":1},"b":2},"era":"modern"}');
    expect(served.seen).toEqual([["call", { tool: "a", arguments: { b: 2 }, era: "modern" }]]);
  });

  test("a body is limited to 6 MB, and a recording to 32 MB", async () => {
    const served = await serve();
    const large = JSON.stringify({ tool: "a", arguments: { text: "x".repeat(7_000_000) }, era: "modern" });
    const response = await post(served, "call", large);
    expect([response.status, await response.json()]).toEqual([
      413,
      { error: "The body is too large (limit: 6291456 bytes)." },
    ]);
    const recording = {
      format: "tenon-recording",
      version: 1,
      server: {},
      calls: [],
      more: "x".repeat(7_000_000),
    };
    expect((await post(served, "replay", JSON.stringify({ recording }))).status).toBe(200);
  });

  test.each([
    ["GET", "/_dev/api/call", "POST"],
    ["POST", "/_dev/api/events", "GET"],
    ["HEAD", "/_dev/api/events", "GET"],
    ["POST", "/_dev/api/calls/c1", "GET"],
    ["POST", "/_dev", "GET, HEAD"],
    ["PATCH", "/_dev", "GET, HEAD, POST"],
  ])("%s %s has status 405, and says that %s is allowed", async (method, path, allow) => {
    const { origin, cookie } = await serve();
    const headers = { cookie, origin, "content-type": "application/json" };
    const response = await fetch(`${origin}${path}`, { method, headers });
    expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
  });

  test("a failure has the status and the message of the command, and hides unexpected errors", async () => {
    const refresh = vi.fn(() => {
      throw new CommandError(409, "Not now.");
    });
    const broken = vi.fn(() => Promise.reject(new Error("a secret path")));
    const served = await serve({ commands: { refresh, "clear-calls": broken } as never });
    const first = await post(served, "refresh", "{}");
    expect([first.status, await first.json()]).toEqual([409, { error: "Not now." }]);
    const second = await post(served, "clear-calls", "{}");
    expect([second.status, await second.json()]).toEqual([
      500,
      { error: "The command failed because of an error in Tenon." },
    ]);
  });

  test("calls are read by their ID", async () => {
    const detail = { wire: [], checks: [], snippets: {} } as unknown as CallDetail;
    const served = await serve({ readCall: (id) => (id === "c1" ? detail : undefined) });
    const client = await PageClient.open(served.url);
    expect(await client.detail("c1")).toEqual(detail);
    await expect(client.detail("c2")).rejects.toThrow("404");
  });
});

describe("events", () => {
  const note = (text: string): PageEvent => ({
    type: "log",
    entry: { id: 1, at: 0, source: "command", level: "info", text },
  });

  test("a page gets the state, then `ready`, and then changes", async () => {
    const { feed, url } = await serve();
    feed.publish({ type: "connection", connection: { status: "connecting", revisions: {} } });
    feed.publish({ type: "connection", connection: { status: "ready", revisions: {} } });
    feed.publish(note("before"));
    const client = await PageClient.open(url);
    expect(client.events).toEqual([
      { type: "connection", connection: { status: "ready", revisions: {} } },
      note("before"),
      { type: "ready" },
    ]);
    feed.publish(note("after"));
    await client.until(() => client.events[3], "a change");
    expect(client.events.slice(3)).toEqual([note("after")]);
  });

  test("at most 16 streams are open, and a closed one makes room", async () => {
    const served = await serve();
    const clients = await Promise.all(Array.from({ length: 16 }, () => PageClient.open(served.url)));
    const [first] = clients;
    const response = await first?.fetch("/_dev/api/events");
    expect([response?.status, await response?.json()]).toEqual([
      429,
      { error: "Too many open pages (limit: 16). Close one of them." },
    ]);
    first?.close();
    await vi.waitFor(async () => void (await PageClient.open(served.url)));
  });

  test("a page that does not read is disconnected, and memory stays bounded", async () => {
    const served = await serve({ streamLimits: { streams: 16, unreadBytes: 1_000_000 } });
    const socket = connect(served.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.on("error", () => undefined);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(
      `GET /_dev/api/events HTTP/1.1\r\nhost: localhost:${served.port}\r\ncookie: ${served.cookie}\r\n\r\n`,
    );
    await vi.waitFor(() => expect(served.feed.isWatched).toBe(true));
    await vi.waitFor(() => {
      served.feed.publish(note("x".repeat(100_000)));
      expect(served.feed.isWatched).toBe(false);
    });
    socket.resume();
    await closed;
  });

  test("a page gets a state that is larger than the limit of unread data", async () => {
    const { feed, url } = await serve({ streamLimits: { streams: 16, unreadBytes: 100_000 } });
    for (let line = 0; line < 1_000; line++) feed.publish(note("x".repeat(8_000)));
    const client = await PageClient.open(url);
    expect(client.all("log")).toHaveLength(1_000);
    expect(client.last("ready")).toBeDefined();
  });

  test("changes of one call are combined", async () => {
    const { feed, url } = await serve();
    const client = await PageClient.open(url);
    const call = (ms: number) => ({ id: "c1", ms }) as never;
    for (let ms = 0; ms < 1_000; ms++) feed.publish({ type: "call", call: call(ms) });
    await client.until(() => client.all("call").find((event) => event.call.ms === 999), "the last change");
    expect(client.all("call").length).toBeLessThan(20);
  });
});
