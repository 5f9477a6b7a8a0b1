/**
 * @fileoverview `serveStdio` closes a server that its factory returns after the connection has closed, as in the official
 * SDK, version 2.
 * @module tests/sdk/v2/late-servers
 */
import { InMemoryTransport } from "@modelcontextprotocol/client";
import * as officialStdio from "@modelcontextprotocol/server/stdio";
import { describe, expect, test } from "vitest";
import { deferred } from "../../../../tests/support/stdio-streams.js";
import * as tenon from "../../src/v2/index.js";
import { INFO, type Sdk, SDKS, settle, text } from "../support/v2/both-sides.js";
import { META } from "../support/v2/http.js";

/** Serves over in-memory transports with a factory that returns a server only when the test releases it. */
async function open(sdk: Sdk, name: string, started: Promise<void> = Promise.resolve()) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const seen = { received: [] as unknown[], errors: [] as string[], ran: 0, ended: [] as string[] };
  near.onmessage = (message) => void seen.received.push(message);
  await near.start();
  const start = far.start.bind(far);
  far.start = async () => {
    await started;
    await start();
  };
  const builds: { readonly era: string; finish(problem?: string): void }[] = [];
  class Closing extends sdk.McpServer {
    override async close() {
      seen.ended.push("close");
      await super.close();
    }
  }
  const factory = async ({ era }: { readonly era: string }) => {
    const ready = deferred<string | undefined>();
    builds.push({ era, finish: (problem) => ready.resolve(problem) });
    const problem = await ready.promise;
    if (problem !== undefined) throw new Error(problem);
    const server = new Closing(INFO);
    server.registerTool("run", {}, () => {
      seen.ran++;
      return text("");
    });
    server.server.onclose = () => void seen.ended.push("onclose");
    return server;
  };
  const { serveStdio } = name === "tenon" ? (tenon as unknown as typeof officialStdio) : officialStdio;
  const onerror = ({ message }: Error) => void seen.errors.push(message);
  const handle = serveStdio(factory, { transport: far, onerror });
  const send = async (message: object) => near.send({ jsonrpc: "2.0", ...message } as never);
  return { handle, near, far, send, seen, builds };
}

const legacy = { id: 1, method: "tools/call", params: { name: "run" } };
const modern = { id: 2, method: "tools/call", params: { name: "run", _meta: META } };
const discover = { id: 3, method: "server/discover", params: { _meta: META } };

describe.each(SDKS)("%s", (name, sdk) => {
  test.each([
    ["a 2025 call", legacy],
    ["a 2026 call", modern],
    ["server/discover", discover],
  ])("the server for %s is closed if it arrives after `close` (drop-in B9)", async (_title, message) => {
    const { handle, send, seen, builds } = await open(sdk, name);
    await send(message);
    await send({ ...message, id: 9 });
    await expect.poll(() => builds.length).toBe(1);
    await handle.close();
    builds[0]?.finish();
    await expect.poll(() => seen.ended).toEqual(["close", "onclose"]);
    await settle();
    expect(seen).toMatchObject({ received: [], errors: [], ran: 0 });
    expect(builds).toHaveLength(1);
  });

  test("the server is closed if the client leaves while the factory runs (drop-in B9)", async () => {
    const { near, send, seen, builds } = await open(sdk, name);
    await send(legacy);
    await expect.poll(() => builds.length).toBe(1);
    await near.close();
    builds[0]?.finish();
    await expect.poll(() => seen.ended).toEqual(["close", "onclose"]);
    expect(seen.ran).toBe(0);
  });

  test("a factory that fails after `close` is reported (drop-in B9)", async () => {
    const { handle, send, seen, builds } = await open(sdk, name);
    for (const message of [legacy, modern]) await send(message);
    await expect.poll(() => builds.length).toBe(1);
    await handle.close();
    builds[0]?.finish("no database");
    await expect.poll(() => seen.errors).toContain("no database");
    await settle();
    expect(seen).toMatchObject({ received: [], ended: [], ran: 0 });
    expect(builds).toHaveLength(1);
  });

  test("`close` waits for a transport that is starting, and serves nothing then (drop-in B9)", async () => {
    const started = deferred<void>();
    const { handle, far, seen, builds } = await open(sdk, name, started.promise);
    let isClosed = false;
    far.onclose = ((before) => () => {
      isClosed = true;
      before?.();
    })(far.onclose);
    const closing = handle.close();
    await settle();
    expect(isClosed).toBe(false);
    started.resolve();
    await closing;
    expect([isClosed, builds, seen.errors]).toEqual([true, [], []]);
  });

  test("`close` ends a transport that could not start (drop-in B9)", async () => {
    const started = Promise.reject<void>(new Error("no pipe"));
    const { handle, far, seen } = await open(sdk, name, started);
    let closes = 0;
    far.close = () => Promise.resolve(void closes++);
    await handle.close();
    expect([closes, seen.errors]).toEqual([1, ["no pipe"]]);
  });

  test("both servers are closed if the second arrives after `close` (drop-in B9)", async () => {
    const { handle, send, seen, builds } = await open(sdk, name);
    await send(discover);
    await expect.poll(() => builds.length).toBe(1);
    builds[0]?.finish();
    await expect.poll(() => seen.received.length).toBe(1);
    await send(legacy);
    await expect.poll(() => builds.length).toBe(2);
    await handle.close();
    builds[1]?.finish();
    await expect.poll(() => seen.ended.toSorted()).toEqual(["close", "close", "onclose", "onclose"]);
    expect([seen.ran, seen.received.length, builds.map(({ era }) => era)]).toEqual([
      0,
      1,
      ["modern", "legacy"],
    ]);
  });

  test("`close` may be called several times, and ends the server once (drop-in B9)", async () => {
    const { handle, send, seen, builds } = await open(sdk, name);
    await send(legacy);
    await expect.poll(() => builds.length).toBe(1);
    builds[0]?.finish();
    await expect.poll(() => seen.received.length).toBe(1);
    await Promise.all([handle.close(), handle.close()]);
    await handle.close();
    expect(seen.ended).toEqual(["close", "onclose"]);
    expect(seen.errors).toEqual([]);
  });
});
