import { setMaxListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { modernCall } from "../../../../tests/support/http-messages.js";
import { findFreePort } from "../../../../tools/server-process.js";
import { Connection } from "tenon/host";
import { toCallEvent } from "../../src/dev/log/call-event.js";
import { DevProxy, MAX_WAITING } from "../../src/dev/proxy/dev-proxy.js";
import type { Endpoint } from "../../../../tests/support/http-faces.js";
import { serveDev, SIGNALS, startDev, textOf, toEndpoint } from "../support/dev/dev-run.js";

const SOURCE = `
import { defineServer } from "tenon";
export default defineServer({ name: "limits", version: "1.0.0" })
  .tool("version", { handler: () => "1" })
  .tool("block", { handler: () => { signal("blocked"); for (;;); } });`;

/** Sends large calls until one is rejected, and returns its error. Calls that wait are cancelled. */
async function firstRejection(endpoint: Endpoint): Promise<string> {
  const cancel = new AbortController();
  const text = "x".repeat(3_500_000);
  // More than the limit of 64 MB, but less than twice as much.
  const calls = Array.from({ length: 30 }, () => {
    const init = modernCall("version", { text });
    return textOf(endpoint.fetch({ ...init, signal: cancel.signal }));
  });
  return Promise.any(calls).finally(() => {
    cancel.abort();
    return Promise.allSettled(calls);
  });
}

const BUSY = "Too many calls are waiting for the server. Try again later.";

describe("memory that clients can use is limited", () => {
  test("for a process that does not read its messages", async () => {
    const { endpoint, signalled, program } = await serveDev({ "server.ts": SIGNALS + SOURCE });
    void endpoint.fetch(modernCall("block")).catch(() => undefined);
    await signalled("blocked");
    expect(await firstRejection(endpoint)).toBe(BUSY);
    await program.next("call", { matches: ({ message }) => message === BUSY });
  });

  test("for calls that wait for the first version, which are handled later", async () => {
    const port = await findFreePort("127.0.0.1");
    const { signal, signalled, program } = startDev(
      { "server.ts": `${SIGNALS}\nsignal("loading"); await signalled("go");${SOURCE}` },
      { args: ["server.ts", "--port", String(port)] },
    );
    await signalled("loading");
    const endpoint = toEndpoint(`http://127.0.0.1:${port}/mcp`);
    expect(await firstRejection(endpoint)).toBe(BUSY);
    signal("go");
    await program.url();
    // The calls that were cancelled last can still fill the queue of the process for a moment.
    await expect.poll(() => textOf(endpoint.fetch(modernCall("version")))).toBe("1");
  });

  test("and calls that their clients have cancelled make room for others", async () => {
    const ignore = () => undefined;
    const messages: string[] = [];
    const proxy = new DevProxy({
      onCall: (_call, reply) => void (reply.type === "error" && messages.push(reply.message)),
      onFailure: ignore,
      onCrash: ignore,
      onRestartFailed: ignore,
    });
    const cancel = new AbortController();
    setMaxListeners(MAX_WAITING, cancel.signal);
    const call = (id: number, signal?: AbortSignal) =>
      void proxy.handle(
        { jsonrpc: "2.0", id, method: "tools/call", params: { name: "version" } },
        {},
        { connection: new Connection(), signal },
      );
    for (let id = 1; id <= MAX_WAITING; id++) call(id, cancel.signal);
    call(MAX_WAITING + 1);
    expect(messages).toEqual([BUSY]);
    cancel.abort();
    call(MAX_WAITING + 2);
    expect(messages).toEqual([BUSY]);
  });
});

test("the line of a call is short and has no control characters, whatever the client sends", () => {
  const long = `\u001b[2J\n${"x".repeat(1_000_000)}`;
  const request = { jsonrpc: "2.0", id: 1, method: long, params: { name: long } } as const;
  const reply = { type: "error", error: "INTERNAL_ERROR", code: -32603, message: long } as const;
  const { method, name, message } = toCallEvent(request, reply, 1.26);
  expect(method).toMatch(/^\[2J x{900,}$/);
  expect(method.length).toBeLessThanOrEqual(1_000);
  expect([name, message]).toEqual([method, method]);
});
