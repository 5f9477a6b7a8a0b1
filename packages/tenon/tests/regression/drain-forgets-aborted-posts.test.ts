import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { defineServer } from "../../src/core/define-server.js";
import { serve } from "../../src/transport/node/serve.js";

const POST = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function start(legacy: "stateful" | "stateless") {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const builder = defineServer({ name: "x", version: "1" }).tool("wait", {
    handler: () => {
      begin();
      return new Promise<string>((resolve) => setTimeout(() => resolve("done"), 1_000));
    },
  });
  const running = await serve(builder, {
    transport: { type: "http", port: 0 },
    legacySse: true,
    legacy,
    signals: false,
    graceMs: 20_000,
  });
  onTestFinished(() => running.close());
  return { running, begun, origin: new URL(running.url ?? "").origin };
}

/** A POST body on the HTTP+SSE transport used to count as a call in flight. */
test("an aborted POST does not keep the server from shutting down", async () => {
  const { running, origin } = await start("stateful");
  const stream = await fetch(`${origin}/sse`);
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = (await reader?.read()) ?? {};
  const [, path = ""] = /data: (\S+)/.exec(value) ?? [];
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.destroy();
  await reader?.cancel();
  const begun = performance.now();
  await running.close();
  expect(performance.now() - begun).toBeLessThan(10_000);
});

/** Batches were checked for their shape, but not for requests that start work. */
test("a batch that starts work is rejected while the server shuts down", async () => {
  const { running, begun, origin } = await start("stateless");
  const body = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "wait" } });
  const headers = { ...POST, "mcp-session-id": "made-up", "mcp-protocol-version": "2025-03-26" };
  const send = (message: unknown) =>
    fetch(`${origin}/mcp`, { method: "POST", headers, body: JSON.stringify(message) });
  const first = send(body(1));
  await begun;
  const closing = running.close();
  const late = await send([body(2)]);
  expect(late.status).toBe(503);
  expect((await first).status).toBe(200);
  await closing;
});
