import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../src/core/define-server.js";
import { META } from "../../src/protocol/revisions/envelope.js";
import type { Server } from "../../src/core/server.js";
import type { HttpOptions } from "../../src/transport/http/options.js";
import type { HostedServer } from "../../src/core/wire/hosted-server.js";
import { emptyResponse } from "../../src/core/wire/response.js";
import { createClock } from "../../../../tests/support/http-clock.js";
import { type Face, HONO, NODE, SERVED, until } from "../../../../tests/support/http-faces.js";
import { openSession } from "../../../../tests/support/http-messages.js";
import { collectReplies, openSocket, rawPost } from "../../../../tests/support/http-raw.js";
import { MODERN, modernRequest, request } from "../../../../tests/support/requests.js";

/**
 * Replies behind a call were passed to Node, which then stopped reading from the connection. The next request closed
 * the connection, and all replies were lost. A cancellation behind a large reply was such a request.
 */

const setUp = () => {
  const seen = { started: 0, aborted: 0, release: () => {} };
  const released = new Promise<void>((resolve) => {
    seen.release = resolve;
  });
  const server = defineServer({ name: "pipelined", version: "1.0.0" })
    .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
    .tool("large", { input: z.object({ length: z.int() }), handler: ({ length }) => "x".repeat(length) })
    .tool("chatty", {
      handler: async (_, call) => {
        for (let sent = 0; sent < 50; sent++) void call.log("info", "y".repeat(1_000));
        return "chatted";
      },
    })
    .tool("wait", {
      handler: async (_, call) => {
        seen.started++;
        call.signal.addEventListener("abort", () => seen.aborted++);
        await released;
        return "waited";
      },
    })
    .build();
  return { server, seen };
};

const modern = (name: string, args: object = {}, id = 1) =>
  rawPost(JSON.stringify(modernRequest("tools/call", { name, arguments: { ...args } }, id)), {
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": "tools/call",
    "Mcp-Name": name,
  });

/** Opens a session, and returns functions that format its requests. */
async function openRaw(face: Face, server: Server, options: HttpOptions<unknown> = {}) {
  const endpoint = await face.open(server, options);
  const { headers } = await openSession(endpoint);
  const all = { Accept: "application/json, text/event-stream", ...headers };
  return {
    socket: await openSocket(endpoint.port),
    call: (id: number, name: string, args: object = {}) =>
      rawPost(JSON.stringify(request("tools/call", { name, arguments: { ...args } }, id)), all),
    cancel: (requestId: number) =>
      rawPost(
        JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }),
        all,
      ),
  };
}

/** Waits for `count` responses. Fails if the connection ends first. */
async function repliesOf(socket: Socket, count: number, sent: () => unknown) {
  const replies = collectReplies(socket);
  sent();
  await until(() => socket.destroyed || replies.all().length >= count, `${count} replies`);
  return replies.all();
}

describe.each([NODE, SERVED, HONO])("pipelined requests on $name", (face) => {
  test("get their replies after a call before them was cancelled", async () => {
    const { server, seen } = setUp();
    const { socket, call, cancel } = await openRaw(face, server);
    const replies = await repliesOf(socket, 4, () =>
      socket.write(
        call(1, "wait") + call(2, "large", { length: 50_000 }) + cancel(1) + call(3, "echo", { text: "hi" }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 202, 200]);
    expect(replies[0]?.headers["content-type"]).toBe("text/event-stream");
    expect(replies[0]?.body).not.toContain("waited");
    expect(replies[1]?.body).toContain("x".repeat(50_000));
    expect(replies[3]?.body).toContain('"id":3');
    expect(seen.aborted).toBe(1);
  });

  test("get their replies if a call in their middle is cancelled", async () => {
    const { server, seen } = setUp();
    const { socket, call, cancel } = await openRaw(face, server);
    const replies = await repliesOf(socket, 5, () => {
      socket.write(
        call(1, "wait") +
          call(2, "wait") +
          call(3, "large", { length: 50_000 }) +
          cancel(2) +
          call(4, "echo", { text: "hi" }),
      );
      void until(() => seen.aborted === 1, "the cancellation").then(seen.release);
    });
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 202, 200]);
    expect(replies[0]?.body).toContain("waited");
    expect(replies[1]?.body).not.toContain("waited");
    expect(replies[4]?.body).toContain('"id":4');
  });

  test("get their replies in order, also if there are many behind a slow call", async () => {
    const { server, seen } = setUp();
    const endpoint = await face.open(server);
    const socket = await openSocket(endpoint.port);
    const replies = await repliesOf(socket, 91, () => {
      let text = modern("wait");
      for (let id = 2; id <= 91; id++) text += modern("large", { length: 1_000 }, id);
      socket.write(text);
      // The last request arrives when the others have been handled.
      void until(() => seen.started === 1, "the call").then(seen.release);
    });
    const ids = replies.map(({ body }) => (JSON.parse(body) as { readonly id: number }).id);
    expect(ids).toEqual(Array.from({ length: 91 }, (_, index) => index + 1));
  });

  test("end when their client disconnects", async () => {
    const { server, seen } = setUp();
    const endpoint = await face.open(server);
    const socket = await openSocket(endpoint.port);
    socket.write(modern("wait"));
    await until(() => seen.started === 1, "the call");
    for (let id = 2; id < 40; id++) socket.write(modern("large", { length: 2_000 }, id));
    socket.write(modern("wait", {}, 40));
    await until(() => seen.started === 2, "the last call");
    socket.destroy();
    await until(() => seen.aborted === 2, "the end of the calls");
  });
});

describe.each([NODE, SERVED])("a pipelined reply on $name that exceeds a limit", (face) => {
  const chatty = (id: number) => {
    const message = modernRequest("tools/call", { name: "chatty", _meta: { [META.logLevel]: "info" } }, id);
    return rawPost(JSON.stringify(message), {
      "MCP-Protocol-Version": MODERN,
      "Mcp-Method": "tools/call",
      "Mcp-Name": "chatty",
    });
  };

  test.each([
    ["maxQueueBytes", { maxQueueBytes: 10_000 }],
    ["maxResponseBytes", { maxResponseBytes: 10_000 }],
  ])("is replaced by 503 for %s, and the others arrive", async (_name, options) => {
    const { server, seen } = setUp();
    const clock = createClock();
    const endpoint = await face.open(server, { ...options, ports: clock.ports });
    const socket = await openSocket(endpoint.port);
    const replies = await repliesOf(socket, 4, () => {
      const large = modern("large", { length: 8_000 }, 2);
      socket.write(modern("wait") + large + chatty(3) + modern("echo", { text: "hi" }, 4));
      void until(() => seen.started === 1, "the call").then(seen.release);
    });
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 503, 200]);
    expect(replies[0]?.body).toContain("waited");
    expect(replies[1]?.body).toContain("x".repeat(8_000));
    expect(replies[3]?.body).toContain('"id":4');
  });
});

test.each([NODE, SERVED])(
  "a stateless call on $name that the server itself cancels does not affect the requests behind it",
  async (face) => {
    const { server } = setUp();
    const hosted: HostedServer<unknown> = {
      async handle(message, context, exchange) {
        return "id" in message && message.id === 1
          ? emptyResponse
          : server.handle(message, context, exchange);
      },
      attach: () => () => undefined,
      close: () => undefined,
    };
    const endpoint = await face.open(hosted as Server);
    const socket = await openSocket(endpoint.port);
    const replies = await repliesOf(socket, 3, () =>
      socket.write(
        modern("echo", { text: "first" }, 2) + modern("wait", {}, 1) + modern("echo", { text: "hi" }, 3),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 499, 200]);
    expect(replies[2]?.body).toContain('"id":3');
  },
);

test("a session's stream that waits behind a call is released when the client disconnects", async () => {
  const { server, seen } = setUp();
  const clock = createClock();
  const endpoint = await SERVED.open(server, { ports: clock.ports, sessions: { idleMs: 10_000 } });
  const client = await openSession(endpoint);
  const before = clock.timers;
  const lines = Object.entries({ Host: "localhost", Accept: "text/event-stream", ...client.headers });
  const head = lines.map(([name, value]) => `${name}: ${value}`).join("\r\n");
  const socket = await openSocket(endpoint.port);
  socket.write(modern("wait"));
  await until(() => seen.started === 1, "the call");
  socket.write(`GET /mcp HTTP/1.1\r\n${head}\r\n\r\n${modern("wait", {}, 2)}`);
  await until(() => seen.started === 2, "the requests behind it");
  expect(clock.timers).toBeGreaterThan(before);
  socket.destroy();
  await until(() => seen.aborted === 2, "the end of the calls");
  await until(() => clock.timers === before, "the end of the timers");
  // A session with an open stream would not expire.
  clock.advance(30_000);
  await until(() => clock.timers === 0, "the end of the session");
});
