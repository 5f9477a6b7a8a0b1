import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../../src/core/define-server.js";
import { form } from "../../../src/core/call/forms.js";
import { META } from "../../../src/protocol/index.js";
import type { HttpOptions } from "../../../src/transport/http/options.js";
import { toNodeHandler } from "../../../src/transport/node/node-handler.js";
import { createClock } from "../../../../../tests/support/http-clock.js";
import { allMessages, readEvents } from "../../../../../tests/support/http-events.js";
import { FACES, FETCH, SHARED, until } from "../../../../../tests/support/http-faces.js";
import { modernCall, openSession } from "../../../../../tests/support/http-messages.js";
import { openSocket, rawPost } from "../../../../../tests/support/http-raw.js";
import { MODERN, modernRequest } from "../../../../../tests/support/requests.js";

const MIB = 1_048_576;
const EVENT = "x".repeat(65_536);
const QUEUE = MIB;
const LOGGING = { [META.logLevel]: "info" };
const NAME = form({ message: "Who are you?", schema: z.object({ name: z.string() }) });

/** Server with tools that send a lot of data, and a record of what they observed. */
const setUp = () => {
  const seen = { sent: 0, aborted: 0, ended: 0, peak: 0, measure: () => 0 };
  const server = defineServer({ name: "slow", version: "1.0.0" })
    .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
    .tool("flood", {
      input: z.object({ events: z.int(), waits: z.boolean() }),
      handler: async ({ events, waits }, call) => {
        call.signal.addEventListener("abort", () => seen.aborted++);
        for (let count = 0; count < events && seen.aborted === 0; count++) {
          const sent = call.log("info", EVENT);
          seen.sent++;
          seen.peak = Math.max(seen.peak, seen.measure());
          if (waits) await sent;
          else if (count % 8 === 0) await nextTurn();
        }
        seen.ended++;
        return "done";
      },
    })
    .tool("large", {
      input: z.object({ length: z.int() }),
      handler: async ({ length }, call) => {
        await call.log("info", "first");
        return "x".repeat(length);
      },
    })
    .tool("ask", {
      handler: async (_, call) => {
        for (let count = 0; count < 300; count++) void call.log("info", EVENT); // more than a socket buffers
        seen.sent++;
        call.signal.addEventListener("abort", () => seen.ended++);
        await call.input("name", NAME);
        return "done";
      },
    })
    .build();
  return { server, seen };
};

/** Real server with access to its responses. */
const openWatched = async (
  server: ReturnType<typeof setUp>["server"],
  options: HttpOptions<unknown> = {},
) => {
  const handler = toNodeHandler(server, options);
  const responses: ServerResponse[] = [];
  const http = createServer((request, response) => {
    responses.push(response);
    handler(request, response);
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(async () => {
    http.close();
    http.closeAllConnections();
    await handler.close(0);
  });
  const { port } = http.address() as AddressInfo; // it listens on a port
  return { port, responses };
};

const flood = (events: number, waits: boolean) =>
  rawPost(
    JSON.stringify(
      modernRequest("tools/call", { name: "flood", arguments: { events, waits }, _meta: LOGGING }),
    ),
    { "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "flood" },
  );

describe("a socket that never reads", () => {
  test("is disconnected, its queue stays limited, and other clients are served in the meantime", async () => {
    const { server, seen } = setUp();
    const { port, responses } = await openWatched(server);
    seen.measure = () => responses[0]?.writableLength ?? 0;
    const before = process.memoryUsage();
    const socket = await openSocket(port);
    socket.pause();
    socket.write(flood(4_000, false)); // 250 MiB without a limit
    await until(() => seen.sent > 0);
    const other = await fetch(`http://127.0.0.1:${port}/mcp`, modernCall("echo", { text: "hi" }));
    expect(other.status).toBe(200);
    await until(() => seen.ended === 1, "the end of the call");
    expect(seen.aborted).toBe(1);
    expect(responses[0]?.destroyed).toBe(true);
    expect(seen.peak).toBeLessThan(QUEUE + 2 * EVENT.length);
    expect(seen.sent).toBeLessThan(1_000);
    const { external, arrayBuffers } = process.memoryUsage();
    expect(external - before.external).toBeLessThan(32 * MIB);
    expect(arrayBuffers - before.arrayBuffers).toBeLessThan(32 * MIB);
    const after = await fetch(`http://127.0.0.1:${port}/mcp`, modernCall("echo", { text: "hi" }));
    expect(after.status).toBe(200);
  });

  test("blocks a handler that waits for it, and is disconnected after reading nothing for writeTimeoutMs", async () => {
    const { server, seen } = setUp();
    const clock = createClock();
    const { port, responses } = await openWatched(server, { ports: clock.ports });
    const socket = await openSocket(port);
    socket.pause();
    socket.write(flood(4_000, true));
    let before = 0;
    await until(() => {
      const isStill = before > 0 && before === seen.sent;
      before = seen.sent;
      return isStill;
    }, "the wait of the handler");
    expect(responses[0]?.writableLength).toBeLessThan(QUEUE);
    clock.advance(29_000);
    await nextTurn();
    expect(responses[0]?.destroyed).toBe(false);
    clock.advance(10_000);
    await until(() => responses[0]?.destroyed === true, "the end of the connection");
    await until(() => seen.ended === 1, "the end of the call");
    expect(seen.aborted).toBe(1);
    await until(() => clock.timers === 0, "the end of all timers");
  });
});

describe("a response body that is never read, on the fetch handler", () => {
  test("is cancelled together with the call", async () => {
    const { server, seen } = setUp();
    const endpoint = await FETCH.open(server);
    const stuck = await endpoint.fetch(
      modernCall("flood", { events: 4_000, waits: false }, { meta: LOGGING }),
    );
    const other = await endpoint.fetch(modernCall("echo", { text: "hi" }));
    expect(other.status).toBe(200);
    await until(() => seen.ended === 1, "the end of the call");
    expect(seen.aborted).toBe(1);
    expect(seen.sent).toBeLessThanOrEqual(QUEUE / EVENT.length + 10);
    await expect(stuck.text()).rejects.toThrow("The client stopped reading the response.");
  });

  test("blocks a handler that waits for it, and is cancelled after no read for writeTimeoutMs", async () => {
    const { server, seen } = setUp();
    const clock = createClock();
    const endpoint = await FETCH.open(server, { ports: clock.ports });
    const stuck = await endpoint.fetch(modernCall("flood", { events: 100, waits: true }, { meta: LOGGING }));
    await nextTurn();
    expect(seen.sent).toBe(1);
    clock.advance(29_000);
    expect(seen.aborted).toBe(0);
    clock.advance(10_000);
    await until(() => seen.ended === 1, "the end of the call");
    expect(seen.aborted).toBe(1);
    await expect(stuck.text()).rejects.toThrow("The client stopped reading the response.");
    expect(clock.timers).toBe(0);
  });
});

describe.each([...FACES, SHARED])("slow clients on $name", (face) => {
  test("a client that reads is never disconnected, regardless of how much is sent", async () => {
    const { server, seen } = setUp();
    const endpoint = await face.open(server, { maxQueueBytes: 200_000 });
    const response = await endpoint.fetch(
      modernCall("flood", { events: 200, waits: true }, { meta: LOGGING }),
    );
    const messages = await allMessages(response);
    expect(messages).toHaveLength(201);
    expect(seen.aborted).toBe(0);
  });

  test("one event larger than the queue does not disconnect a client", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server, { maxQueueBytes: 1_000 });
    const response = await endpoint.fetch(modernCall("large", { length: 8 * MIB }, { meta: LOGGING }));
    const [, result] = await allMessages(response);
    expect(JSON.stringify(result)).toHaveLength(
      JSON.stringify({
        ...result,
        result: { ...(result?.["result"] as object), content: [{ type: "text", text: "" }] },
      }).length +
        8 * MIB,
    );
  });

  test("in a session nothing is lost: the client reconnects for the rest", async () => {
    const { server, seen } = setUp();
    const client = await openSession(await face.open(server, { maxQueueBytes: 100_000 }));
    const events = readEvents(await client.call("large", { length: 300_000 }));
    const priming = await events.next();
    await events.cut();
    const messages = await allMessages(await client.get(priming?.id));
    expect(messages).toHaveLength(2);
    expect(seen.aborted).toBe(0);
  });
});

test("a call that is cancelled while its request waits for a slow client causes no unhandled rejection", async () => {
  const { server, seen } = setUp();
  const { port } = await openWatched(server, { maxQueueBytes: 64 * MIB });
  const endpoint = {
    port,
    fetch: (init: RequestInit) => fetch(`http://127.0.0.1:${port}/mcp`, init),
    close: async () => {},
  };
  const client = await openSession(endpoint, { capabilities: { elicitation: {} } });
  const socket = await openSocket(port);
  socket.pause();
  const body = { jsonrpc: "2.0", id: 9, method: "tools/call", params: { name: "ask", arguments: {} } };
  socket.write(rawPost(JSON.stringify(body), client.headers));
  await until(() => seen.sent === 1, "the question");
  const failures: unknown[] = [];
  const note = (reason: unknown) => failures.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => {
    process.off("unhandledRejection", note);
  });
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9 } };
  expect((await client.post(cancelled)).status).toBe(202);
  await until(() => seen.ended === 1, "the end of the call");
  await nextTurn();
  // An unhandled rejection would end the server's process.
  expect(failures).toEqual([]);
});
