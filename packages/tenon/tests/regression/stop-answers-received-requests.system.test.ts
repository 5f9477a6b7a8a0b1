import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { modernCall } from "../../../../tests/support/http-messages.js";
import { collectReplies, openSocket, rawPost } from "../../../../tests/support/http-raw.js";
import { MODERN, modernRequest } from "../../../../tests/support/requests.js";
import { buildFixture } from "../../../../tests/support/stdio-child.js";

/**
 * A server that received SIGTERM disconnected clients that were sending a request after 100 ms without traffic, left
 * pipelined requests without a response, and closed its port while tasks were running, so that probes failed.
 */

/** Grace period of the fixture server. */
const GRACE_MS = 60_000;

const STOPPING = "The server is shutting down. Try again later.";

/** Starts the fixture server in a process that is killed after the test. */
async function start(options: object = {}) {
  const child = spawn(
    process.execPath,
    [buildFixture(new URL("../support/regression/stop-fixture.ts", import.meta.url).href)],
    {
      env: { ...process.env, OPTIONS: JSON.stringify(options) },
      stdio: "pipe",
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined);
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  await vi.waitFor(() => expect(stderr).toMatch(/127\.0\.0\.1:\d+/));
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(stderr)?.[1]);
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: "close" } });
    return { status: response.status, body: await response.text() };
  };
  return {
    port,
    ended,
    get,
    post: (init: RequestInit) => fetch(`http://127.0.0.1:${port}/mcp`, init),
    printed: (line: string) => vi.waitFor(() => expect(stdout).toContain(line)),
    release: () => child.stdin.write("release\n"),
    signal: () => child.kill("SIGTERM"),
    /** Sends SIGTERM and waits until the server is stopping. */
    async stop() {
      child.kill("SIGTERM");
      await vi.waitFor(async () => expect((await get("/readyz")).status).toBe(503));
    },
    /** Sends probes for half a second, longer than a connection without traffic lasts on a server that stops. */
    async probeForAWhile() {
      const end = Date.now() + 500;
      while (Date.now() < end) {
        expect(await get("/healthz")).toEqual({ status: 200, body: '{"status":"ok"}' });
        expect(await get("/readyz")).toEqual({ status: 503, body: '{"status":"unavailable"}' });
      }
    },
  };
}

const rawCall = (name: string, args: object = {}, id = 1) =>
  rawPost(JSON.stringify(modernRequest("tools/call", { name, arguments: { ...args } }, id)), {
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": "tools/call",
    "Mcp-Name": name,
  });

const echo = (id: number) => rawCall("echo", { text: `n${id}` }, id);

describe("a request that is half-sent at SIGTERM", () => {
  const whole = echo(1);
  test.each([
    ["in its first line", 8],
    ["in its headers", whole.indexOf("Content-Length") + 3],
    ["before its body", whole.indexOf("{")],
    ["in its body", whole.indexOf("{") + 10],
    ["except its last byte", whole.length - 1],
  ])("%s gets a response when it is complete", async (_place, length) => {
    const server = await start();
    const socket = await openSocket(server.port);
    const replies = collectReplies(socket);
    socket.write(whole.slice(0, length));
    await server.get("/healthz"); // the server accepts this connection after the first one
    await server.stop();
    await server.probeForAWhile();
    expect(socket.destroyed).toBe(false);
    socket.write(whole.slice(length));
    const [reply, ...more] = await replies.ended;
    expect(more).toEqual([]);
    expect(reply).toMatchObject({ status: 503, headers: { "retry-after": "1", connection: "close" } });
    expect(reply?.body).toContain(STOPPING);
    expect(await server.ended).toEqual([0, null]);
  });

  test("behind a complete request gets a response too", async () => {
    const server = await start();
    const socket = await openSocket(server.port);
    const replies = collectReplies(socket);
    socket.write(rawCall("wait") + whole.slice(0, 50));
    await server.printed("waiting");
    await server.stop();
    await server.probeForAWhile();
    server.release();
    await vi.waitFor(() => expect(replies.all()).toHaveLength(1));
    await server.probeForAWhile();
    socket.write(whole.slice(50));
    expect((await replies.ended).map(({ status }) => status)).toEqual([200, 503]);
    expect(await server.ended).toEqual([0, null]);
  });

  test("does not keep the server running after the grace period", async () => {
    const server = await start({ graceMs: 300 });
    const socket = await openSocket(server.port);
    const replies = collectReplies(socket);
    socket.write(whole.slice(0, -1));
    await server.get("/healthz");
    server.signal();
    expect(await server.ended).toEqual([0, null]);
    expect(await replies.ended).toEqual([]);
  });
});

describe("pipelined requests at SIGTERM", () => {
  test.each([
    ["a few", 20, 6_000_000],
    ["more than Node reads at once", 500, 6_000_000],
    ["many, behind a reply that fits in a buffer", 500, 100_000],
  ])("get one response each: %s", async (_case, count, length) => {
    const server = await start();
    const socket = await openSocket(server.port);
    const replies = collectReplies(socket);
    socket.once("data", () => socket.pause());
    let text = rawCall("large", { length }, 1) + rawCall("large", { length }, 2);
    for (let id = 3; id <= count; id++) text += echo(id);
    socket.write(text);
    await vi.waitFor(() => expect(socket.bytesRead).toBeGreaterThan(0));
    await server.stop();
    socket.resume();
    const all = await replies.ended;
    expect(all).toHaveLength(count);
    expect(all.slice(0, 1).map(({ status }) => status)).toEqual([200]);
    for (const [index, { status, headers, body }] of all.entries()) {
      expect(status === 200 ? body : STOPPING).toContain(status === 200 ? `"id":${index + 1}` : STOPPING);
      expect([200, 503]).toContain(status);
      if (index < count - 1) expect(headers["connection"]).toBe("keep-alive");
    }
    expect(await server.ended).toEqual([0, null]);
  });

  test("get one response each if they wait behind a call", async () => {
    const server = await start();
    const socket = await openSocket(server.port);
    const replies = collectReplies(socket);
    socket.write(rawCall("wait") + echo(2));
    await server.printed("waiting");
    await server.stop();
    // The server has not read these requests when it starts to stop.
    socket.write(echo(3) + echo(4));
    await server.probeForAWhile();
    server.release();
    const all = await replies.ended;
    expect(all.map(({ status }) => status)).toEqual([200, 200, 503, 503]);
    expect(all.map(({ headers }) => headers["connection"])).toEqual([
      "keep-alive",
      "keep-alive",
      "keep-alive",
      "close",
    ]);
    expect(await server.ended).toEqual([0, null]);
  });

  test("include probes", async () => {
    const server = await start();
    const socket = await openSocket(server.port);
    const replies = collectReplies(socket);
    socket.write(rawCall("wait"));
    await server.printed("waiting");
    await server.stop();
    socket.write(`${echo(2)}GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    server.release();
    await vi.waitFor(() => expect(replies.all()).toHaveLength(3));
    expect(replies.all().map(({ status }) => status)).toEqual([200, 503, 200]);
    expect(await server.ended).toEqual([0, null]);
  });
});

describe("the probes of a server that stops", () => {
  test("are answered while a call is in flight: it is alive, but not ready", async () => {
    const server = await start();
    expect(await server.get("/readyz")).toEqual({ status: 200, body: '{"status":"ok"}' });
    const pending = server.post(modernCall("wait"));
    await server.printed("waiting");
    await server.stop();
    await server.probeForAWhile();
    expect((await server.post(modernCall("echo", { text: "late" }))).status).toBe(503);
    server.release();
    expect(await (await pending).json()).toMatchObject({ result: { content: [{ text: "waited" }] } });
    expect(await server.ended).toEqual([0, null]);
  });

  test("are answered while a task is running", async () => {
    const server = await start();
    const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    await (await server.post(modernCall("job", {}, { capabilities }))).text();
    await server.printed("working");
    await server.stop();
    await server.probeForAWhile();
    server.release();
    expect(await server.ended).toEqual([0, null]);
  });

  test("end with the process, which ends before its grace period if there is nothing to do", async () => {
    const server = await start();
    await openSocket(server.port); // a connection without a request
    expect((await server.post(modernCall("echo", { text: "hi" }))).status).toBe(200);
    const begun = Date.now();
    server.signal();
    expect(await server.ended).toEqual([0, null]);
    expect(Date.now() - begun).toBeLessThan(GRACE_MS);
    await expect(server.get("/healthz")).rejects.toThrow("fetch failed");
  });
});
