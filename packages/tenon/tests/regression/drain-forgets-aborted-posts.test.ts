import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { defineServer } from "../../src/core/define-server.js";
import { serve } from "../../src/transport/node/serve.js";

const POST = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function start(legacy: "stateful" | "stateless") {
  const builder = defineServer({ name: "x", version: "1" }).tool("wait", {
    handler: () => new Promise<string>((resolve) => setTimeout(() => resolve("done"), 1_000)),
  });
  const running = await serve(builder, {
    transport: { type: "http", port: 0 },
    legacySse: true,
    legacy,
    signals: false,
    graceMs: 20_000,
  });
  onTestFinished(() => running.close());
  return { running, origin: new URL(running.url ?? "").origin };
}

/** The body of a post on the first transport was waited for as if it were work. */
test("a post that its client gave up does not keep the server from stopping", async () => {
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

/** Batches were looked at for their shape, not for what they start. */
test("a batch that starts something is refused while the server stops", async () => {
  const { running, origin } = await start("stateless");
  const body = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "wait" } });
  const headers = { ...POST, "mcp-session-id": "made-up", "mcp-protocol-version": "2025-03-26" };
  const send = (message: unknown) =>
    fetch(`${origin}/mcp`, { method: "POST", headers, body: JSON.stringify(message) });
  const first = send(body(1));
  await new Promise((resolve) => setTimeout(resolve, 100));
  const closing = running.close();
  const late = await send([body(2)]);
  expect(late.status).toBe(503);
  expect((await first).status).toBe(200);
  await closing;
});
