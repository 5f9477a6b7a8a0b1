/**
 * @fileoverview `serveStdio` behaves as in the official SDK, version 2, in child processes and on other transports.
 * @module tests/sdk/v2/stdio
 */
import { spawn } from "node:child_process";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import * as official from "@modelcontextprotocol/server";
import * as officialStdio from "@modelcontextprotocol/server/stdio";
import { afterEach, describe, expect, test, vi } from "vitest";
import { compileProgram } from "../../../../tools/compile-program.js";
import { ROOT } from "../../../../tools/source-files.js";
import * as tenon from "../../src/v2/index.js";
import { type Era, ERAS, outcomeOf, plain, settle } from "../support/v2/both-sides.js";
import { META } from "../support/v2/http.js";
import { createServer } from "../support/v2/stdio-server.js";

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const NAMES = ["official", "tenon"] as const;
const SERVER = `${ROOT}/packages/sdk/tests/support/v2/stdio-server.ts`;

function createClient(era: Era | "auto"): Client {
  const mode = era === "auto" ? "auto" : era === "2025" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client({ name: "c", version: "1" }, {
    versionNegotiation: { mode },
    capabilities: { roots: {} },
  } as never);
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///a" }] }));
  return client;
}

/** Starts a server in a child process and connects a client. */
async function start(name: (typeof NAMES)[number], era: Era | "auto", options = {}): Promise<Client> {
  const client = createClient(era);
  const args = [compileProgram(SERVER), name, JSON.stringify(options)];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: ROOT, stderr: "ignore" }),
  );
  stops.push(() => client.close());
  return client;
}

/** Cancels a call that would never end. Returns the error's name, and the result of a later call. */
async function cancelledCall(client: Client): Promise<unknown> {
  const stop = new AbortController();
  const call = client.callTool({ name: "wait" }, { signal: stop.signal }).catch((error: Error) => error.name);
  await client.callTool({ name: "era" });
  stop.abort("stop");
  return [await call, await client.callTool({ name: "add", arguments: { a: 1, b: 1 } })];
}

test("E23: console.log does not reach standard output", async () => {
  const clientInfo = { name: "c", version: "1" };
  const lines = [
    { id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "era", arguments: {} } },
  ].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const printed: boolean[] = [];
  for (const name of NAMES) {
    const args = [compileProgram(SERVER), name];
    const env = { ...process.env, PRINT: "1" };
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ["pipe", "pipe", "ignore"] });
    stops.push(async () => void child.kill());
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    for (const line of lines) child.stdin.write(line);
    await expect.poll(() => output).toContain('"id":2');
    printed.push(output.includes("printed"));
  }
  expect(printed).toEqual([true, false]);
});

describe("in a child process", () => {
  test.each([...ERAS, "auto"] as const)("%s: serves the same replies", async (era) => {
    const seen = [];
    for (const name of NAMES) {
      const client = await start(name, era);
      seen.push(
        plain([
          client.getServerCapabilities(),
          client.getServerVersion(),
          await client.listTools(),
          await client.callTool({ name: "era" }),
          await client.callTool({ name: "add", arguments: { a: 1, b: 2 } }),
          await client.callTool({ name: "add", arguments: { a: "x" } }),
          await outcomeOf(client.callTool({ name: "nope" })),
          await client.callTool({ name: "ask" }),
          await client.readResource({ uri: "a://b" }),
          await outcomeOf(client.request({ method: "prompts/list" })),
          await cancelledCall(client),
        ]),
      );
    }
    expect((seen[0] as unknown[]).slice(0, 4)).toMatchObject([
      {},
      { name: "stdio" },
      { tools: [{}, {}, {}, {}, {}, {}] },
      { content: [{ text: era === "2025" ? "legacy" : "modern" }] },
    ]);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("2026: listening clients are notified of changes that they asked for", async () => {
    const seen = [];
    for (const name of NAMES) {
      const client = await start(name, "2026");
      const heard: unknown[] = [];
      client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("tools"));
      client.setNotificationHandler(
        "notifications/resources/updated",
        ({ params }) => void heard.push(params.uri),
      );
      const subscription = await client.listen({
        toolsListChanged: true,
        resourceSubscriptions: ["a://b"],
        promptsListChanged: true,
      });
      await client.callTool({ name: "grow" });
      await client.callTool({ name: "touch" });
      await expect.poll(() => heard.length).toBe(2);
      await subscription.close();
      await client.callTool({ name: "touch" });
      seen.push([subscription.honoredFilter, heard]);
    }
    expect(seen[0]).toEqual([
      { toolsListChanged: true, resourceSubscriptions: ["a://b"] },
      ["tools", "a://b"],
    ]);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("2025: changes are sent without asking", async () => {
    for (const name of NAMES) {
      const client = await start(name, "2025");
      const heard: string[] = [];
      client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("tools"));
      await client.callTool({ name: "grow" });
      await expect.poll(() => heard).toEqual(["tools"]);
    }
  });

  test("legacy: reject rejects clients of earlier revisions", async () => {
    for (const name of NAMES) {
      const failed = await start(name, "2025", { legacy: "reject" }).catch(
        (error: { code: unknown }) => error.code,
      );
      expect(failed).toBe(-32022);
    }
  });
});

/** Serves over a pair of in-memory transports, and collects what the client receives. */
async function open(name: (typeof NAMES)[number], options: officialStdio.ServeStdioOptions = {}) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const received: Record<string, unknown>[] = [];
  near.onmessage = (message) => void received.push(message);
  await near.start();
  const eras: string[] = [];
  const onclose = vi.fn();
  const errors: Error[] = [];
  const sdk = name === "tenon" ? ({ ...official, ...tenon } as unknown as typeof official) : official;
  const { serveStdio } = name === "tenon" ? (tenon as unknown as typeof officialStdio) : officialStdio;
  const handle = serveStdio(
    ({ era }) => {
      eras.push(era);
      const server = createServer(sdk, era);
      server.server.onclose = onclose;
      return server;
    },
    { transport: far, onerror: (error) => void errors.push(error), ...options },
  );
  const send = async (message: object) => {
    await near.send({ jsonrpc: "2.0", ...message } as never);
    for (let turn = 0; turn < 5; turn++) await settle();
  };
  return { handle, send, received, eras, onclose, errors, near };
}

const initialize = {
  id: "i",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
};
const discover = { id: "d", method: "server/discover", params: { _meta: META } };
const list = { id: "l", method: "tools/list", params: { _meta: META } };

/** IDs and codes of the received messages. */
const outline = (received: readonly Record<string, unknown>[]) =>
  received.map(({ id, method, error }) => [
    id ?? method,
    (error as { code?: number } | undefined)?.code ?? null,
  ]);

describe("on another transport", () => {
  test.each<readonly [title: string, messages: readonly object[], eras: readonly string[]]>([
    ["initialize", [initialize], ["legacy"]],
    ["a request without an envelope", [{ id: 1, method: "tools/list" }], ["legacy"]],
    ["a 2026 request", [list], ["modern"]],
    ["a probe and a 2026 request", [discover, list], ["modern"]],
    ["two probes", [discover, { ...discover, id: "d2" }], ["modern"]],
    ["a probe, and then initialize", [discover, initialize], ["modern", "legacy"]],
    ["initialize after a 2026 request", [list, initialize], ["modern"]],
    [
      "an incomplete envelope",
      [
        {
          id: 1,
          method: "tools/list",
          params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
        },
      ],
      [],
    ],
    [
      "an unsupported version",
      [
        {
          id: 1,
          method: "tools/list",
          params: { _meta: { ...META, "io.modelcontextprotocol/protocolVersion": "2099-01-01" } },
        },
      ],
      [],
    ],
    ["a response before any request", [{ id: 5, result: {} }], []],
    [
      "listen without a filter",
      [{ id: 9, method: "subscriptions/listen", params: { _meta: META } }],
      ["modern"],
    ],
  ])("%s", async (_title, messages, eras) => {
    const seen = [];
    for (const name of NAMES) {
      const { send, received, eras: created, handle } = await open(name);
      for (const message of messages) await send(message);
      seen.push([outline(received), created]);
      await handle.close();
    }
    expect(seen[0]?.[1]).toEqual(eras);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("close ends listening streams and calls onclose", async () => {
    const seen = [];
    for (const name of NAMES) {
      const { send, received, handle, onclose } = await open(name);
      await send({
        id: "s",
        method: "subscriptions/listen",
        params: { notifications: { toolsListChanged: true }, _meta: META },
      });
      await handle.close();
      await settle();
      seen.push([plain(received), onclose.mock.calls.length]);
    }
    expect(seen[0]).toMatchObject([
      [
        { method: "notifications/subscriptions/acknowledged" },
        { id: "s", result: { resultType: "complete" } },
      ],
      1,
    ]);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("maxSubscriptions limits listening streams", async () => {
    const listen = (id: number) => ({
      id,
      method: "subscriptions/listen",
      params: { notifications: { toolsListChanged: true }, _meta: META },
    });
    const seen = [];
    for (const name of NAMES) {
      const { send, received, handle } = await open(name, { maxSubscriptions: 1 });
      for (const id of [1, 2]) await send(listen(id));
      await send({ method: "notifications/cancelled", params: { requestId: 1 } });
      await send(listen(3));
      seen.push(outline(received));
      await handle.close();
    }
    expect(seen[0]).toEqual([
      ["notifications/subscriptions/acknowledged", null],
      [2, -32603],
      ["notifications/subscriptions/acknowledged", null],
    ]);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("a factory that throws causes an internal error, without its message", async () => {
    const seen = [];
    for (const [index, { serveStdio }] of [
      officialStdio,
      tenon as unknown as typeof officialStdio,
    ].entries()) {
      const [near, far] = InMemoryTransport.createLinkedPair();
      const received: unknown[] = [];
      near.onmessage = (message) => void received.push(message);
      const errors: string[] = [];
      const handle = serveStdio(
        () => {
          throw new Error("no database");
        },
        { transport: far, onerror: ({ message }) => void errors.push(message) },
      );
      await near.start();
      await near.send({ jsonrpc: "2.0", id: index, method: "tools/list" } as never);
      for (let turn = 0; turn < 5; turn++) await settle();
      seen.push([received.map((one) => (one as { error: unknown }).error), errors]);
      await handle.close();
    }
    expect(seen[0]).toEqual([[{ code: -32603, message: "Internal server error" }], ["no database"]]);
    expect(seen[1]).toEqual(seen[0]);
  });
});
