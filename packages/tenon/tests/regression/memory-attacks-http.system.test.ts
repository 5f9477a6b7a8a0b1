import { createServer } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../src/core/define-server.js";
import type { ServerOptions } from "../../src/core/definitions/options.js";
import { Session } from "../../src/session/session.js";
import { SessionStore } from "../../src/session/session-store.js";
import { isReachedLimit } from "../../src/session/sessions.js";
import { Connection } from "../../src/core/wire/connection.js";
import { systemPorts } from "@tenon/internal/ports";
import { createClock } from "../../../../tests/support/http-clock.js";
import { allMessages, readEvents } from "../../../../tests/support/http-events.js";
import { FACES, FETCH, HONO, NODE, read, SERVED, until } from "../../../../tests/support/http-faces.js";
import { modernCall, openSession } from "../../../../tests/support/http-messages.js";
import { openSocket, rawPost } from "../../../../tests/support/http-raw.js";
import { MODERN, modernRequest } from "../../../../tests/support/requests.js";

const MIB = 1_048_576;

/** Opens a session in a store that is not full. */
const openIn = (store: SessionStore, principal?: string): Session => {
  const session = store.open(principal);
  return isReachedLimit(session) ? expect.fail("There is no session.") : session;
};

/** Server with a normal tool, one that runs until it is aborted, and one with large results. */
const setUp = (options: Partial<ServerOptions> = {}) => {
  const seen = { running: 0, aborted: 0, release: () => {} };
  const released = new Promise<void>((resolve) => {
    seen.release = resolve;
  });
  const server = defineServer({ name: "attacked", version: "1.0.0", ...options })
    .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
    .tool("large", {
      input: z.object({ length: z.int() }),
      handler: ({ length }) => "x".repeat(length),
    })
    .tool("streamed", {
      input: z.object({ length: z.int() }),
      handler: async ({ length }, call) => {
        await call.log("info", "first");
        return "x".repeat(length);
      },
    })
    .tool("hang", {
      input: z.object({ text: z.string().optional() }),
      handler: (_, call) => {
        seen.running++;
        call.signal.addEventListener("abort", () => seen.aborted++);
        return new Promise<string>((resolve) => {
          call.signal.addEventListener("abort", () => resolve("aborted"));
          void released.then(() => resolve("released"));
        });
      },
    })
    .tool("deaf", {
      handler: async () => {
        seen.running++;
        await released;
        return "done";
      },
    })
    .build();
  onTestFinished(() => seen.release());
  return { server, seen };
};

const rawCall = (name: string, args: object, id = 1) =>
  rawPost(JSON.stringify({ ...modernRequest("tools/call", { name, arguments: args }), id }), {
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": "tools/call",
    "Mcp-Name": name,
  });

const echo = () => modernCall("echo", { text: "hi" });

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Returns the size of all reachable memory in bytes. */
const heldMemory = (): number => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

describe("a body in tiny chunks", () => {
  /** Sends a body in one-byte chunks, and measures the memory that the server holds before the last chunk. */
  const sendSlowly = async (port: number, count: number): Promise<number> => {
    const socket = await openSocket(port);
    const head = rawPost("", {
      "Content-Length": undefined,
      "Transfer-Encoding": "chunked",
      Accept: "application/json, text/event-stream",
    });
    socket.write(head);
    await sleep(500); // time to release the memory of earlier tests
    const before = heldMemory();
    const piece = "1\r\nx\r\n".repeat(10_000);
    for (let sent = 0; sent < count; sent += 10_000) {
      if (!socket.write(piece)) await new Promise((resolve) => socket.once("drain", resolve));
    }
    await sleep(500);
    const after = heldMemory();
    socket.destroy();
    return after - before;
  };

  test.each([NODE, SERVED])("uses no more memory than its bytes on $name", async (face) => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const growth = await sendSlowly(endpoint.port, 1_000_000);
    // It used to be about 390 bytes for each byte sent.
    expect(growth).toBeLessThan(30 * MIB);
    expect((await endpoint.fetch(echo())).status).toBe(200);
  });

  test("is held only once on the fetch handler, regardless of how it is split", async () => {
    const { server } = setUp();
    const endpoint = await FETCH.open(server);
    const text = JSON.stringify(
      modernRequest("tools/call", { name: "echo", arguments: { text: "y".repeat(5_000) } }),
    );
    const bytes = new TextEncoder().encode(text);
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at < bytes.length) controller.enqueue(bytes.subarray(at, ++at));
        else controller.close();
      },
    });
    const { headers, method } = modernCall("echo", { text: "" });
    const init = { method, headers, body, duplex: "half" } as RequestInit;
    expect(await read(await endpoint.fetch(init))).toMatchObject({
      status: 200,
      body: { result: { content: [{ text: "y".repeat(5_000) }] } },
    });
  });
});

describe("bodies that never end", () => {
  test.each([NODE, SERVED])(
    "are refused, longest stalled first, when their total exceeds maxRequestBytes on $name",
    async (face) => {
      const { server } = setUp();
      const clock = createClock();
      const endpoint = await face.open(server, { maxRequestBytes: 1_000_000, ports: clock.ports });
      const replies: string[] = [];
      for (let count = 0; count < 5; count++) {
        const socket = await openSocket(endpoint.port);
        replies.push("");
        socket.on("data", (chunk: Buffer) => (replies[count] += chunk.toString()));
        const head = rawPost("", { "Content-Length": "500000", Accept: "*/*" });
        socket.write(head + "x".repeat(300_000));
        await sleep(50);
        clock.advance(2_000);
      }
      await until(() => replies.filter((reply) => reply.includes("503")).length === 2, "two refusals");
      expect(replies.map((reply) => reply.includes("Too much request data in flight"))).toEqual([
        true,
        true,
        false,
        false,
        false,
      ]);
      expect((await endpoint.fetch(echo())).status).toBe(200);
    },
  );

  test("are rejected on the fetch handler", async () => {
    const { server } = setUp();
    const clock = createClock();
    const endpoint = await FETCH.open(server, { maxRequestBytes: 1_000_000, ports: clock.ports });
    const { headers, method } = modernCall("echo", { text: "" });
    const stuck = () => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new Uint8Array(400_000));
        },
      });
      return endpoint.fetch({ method, headers, body, duplex: "half" } as RequestInit);
    };
    const first = stuck();
    await sleep(5);
    clock.advance(2_000);
    void stuck();
    const third = stuck();
    expect((await first).status).toBe(503);
    // No body has stalled long enough to be dropped for the next one.
    expect((await stuck()).status).toBe(503);
    void third;
    expect((await endpoint.fetch(echo())).status).toBe(200);
  });
});

describe("events kept for resumption", () => {
  const newSession = (maxKeptPerSession: number) =>
    new Session({
      id: "id",
      principal: undefined,
      connection: new Connection({ era: "legacy" }),
      limits: { streams: { maxEvents: 10, maxLength: 1_000 }, maxKeptPerSession },
    });

  test("of finished calls are limited in one session", () => {
    const session = newSession(2_500);
    for (let call = 0; call < 16; call++) {
      const stream = session.openStream();
      void stream.push("x".repeat(1_000));
      stream.end();
    }
    expect(session.kept).toBe(2_000);
  });

  test("do not include a single event above the session's limit", () => {
    const session = newSession(2_500);
    const stream = session.openStream();
    void stream.push("x".repeat(1_000_000), "dropped");
    stream.end();
    expect(session.kept).toBe("dropped".length);
    const got: string[] = [];
    session.resume("1_0", { write: (data) => void got.push(data), prime: () => {}, end: () => {} });
    expect(got).toEqual(["dropped"]);
  });

  test("are released with their session", () => {
    const store = new SessionStore({ ...systemPorts, ...createClock().ports }, { maxKept: 5_000 });
    const sessions = [1, 2, 3].map(() => openIn(store));
    for (const session of sessions) void session.main.push("x".repeat(1_600));
    store.end(sessions[0]?.id ?? "");
    void sessions[1]?.main.push("x".repeat(1_600));
    expect(sessions[1]?.kept).toBe(3_200);
    expect(sessions[2]?.kept).toBe(1_600);
  });

  test("are limited across all sessions, and the most recently used session keeps its events", () => {
    const store = new SessionStore({ ...systemPorts, ...createClock().ports }, { maxKept: 5_000 });
    const sessions = [1, 2, 3, 4].map(() => openIn(store));
    for (const session of sessions) void session.main.push("x".repeat(1_600));
    expect(sessions.map((session) => session.kept)).toEqual([0, 0, 1_600, 1_600]);
  });

  test("are limited across all sessions, and the principal that keeps the most loses its events first", () => {
    const store = new SessionStore({ ...systemPorts, ...createClock().ports }, { maxKept: 5_000 });
    const sessions = ["bob", "ada", "ada", "ada"].map((principal) => openIn(store, principal));
    for (const session of sessions) void session.main.push("x".repeat(1_600));
    expect(sessions.map((session) => session.kept)).toEqual([1_600, 0, 0, 1_600]);
  });

  test.each(FACES)("are replaced by an error on $name if a result was too large to keep", async (face) => {
    const { server } = setUp();
    const endpoint = await face.open(server, { sessions: { maxKeptPerSession: 100_000 } });
    const client = await openSession(endpoint);
    const events = readEvents(await client.call("streamed", { length: 200_000 }));
    const priming = await events.next();
    await events.rest();
    const messages = await allMessages(await client.get(priming?.id));
    expect(messages).toMatchObject([
      {
        error: {
          message: expect.stringMatching(/^The response \(200\d\d\d characters\) is too large to buffer/),
        },
      },
    ]);
    // Nothing is left for a later reconnect.
    const again = await client.get(`1_${messages.length + 1}`);
    expect(again.status).toBe(204);
  });
});

/** Opens sockets that request a large result and do not read it. */
const askAndStall = async (port: number, count: number, call: string): Promise<readonly Socket[]> => {
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at++) {
    const socket = await openSocket(port);
    socket.pause();
    socket.write(call);
    sockets.push(socket);
  }
  return sockets;
};

describe("clients that do not read", () => {
  const open = async (options: object) => {
    const { server } = setUp();
    const { toNodeHandler } = await import("../../src/transport/node/node-handler.js");
    const handler = toNodeHandler(server, options);
    const http = createServer(handler);
    await new Promise<void>((resolve) => {
      http.listen(0, "127.0.0.1", resolve);
    });
    onTestFinished(async () => {
      http.close();
      http.closeAllConnections();
      await handler.close(0);
    });
    const address = http.address();
    if (address === null || typeof address === "string")
      throw new Error("The server does not listen on a port.");
    const connections = () =>
      new Promise<number>((resolve) => http.getConnections((_, count) => resolve(count)));
    return { port: address.port, connections };
  };

  test.each([
    ["a plain JSON response", rawCall("large", { length: 20 * MIB })],
    ["a stream's last event", rawCall("streamed", { length: 20 * MIB })],
  ])("are disconnected after writeTimeoutMs: %s", async (_what, call) => {
    const { port, connections } = await open({ writeTimeoutMs: 400 });
    await askAndStall(port, 4, call);
    const start = Date.now();
    while ((await connections()) > 0 && Date.now() - start < 10_000) await sleep(50);
    expect(await connections()).toBe(0);
  });

  test("are disconnected when their responses together exceed maxResponseBytes", async () => {
    const { port, connections } = await open({ maxResponseBytes: 30 * MIB });
    const sockets = await askAndStall(port, 8, rawCall("large", { length: 20 * MIB }));
    await until(() => sockets.every((socket) => socket.bytesWritten > 0));
    const start = Date.now();
    while ((await connections()) > 2 && Date.now() - start < 10_000) await sleep(50);
    expect(await connections()).toBeLessThanOrEqual(2);
    // A client that does not read counts as stalled one second after the system has taken its last bytes.
    const readAll = async () => {
      await sleep(1_100);
      const response = await fetch(`http://127.0.0.1:${port}/mcp`, modernCall("large", { length: 20 * MIB }));
      return (await response.text()).length;
    };
    const length = await readAll().catch(readAll).catch(readAll);
    expect(length).toBeGreaterThan(20 * MIB);
  });

  test("a client that reads slowly receives a large response in full", async () => {
    const { port } = await open({ writeTimeoutMs: 6_000 });
    const [socket] = await askAndStall(port, 1, rawCall("large", { length: 12 * MIB }));
    let got = 0;
    for (let tries = 0; tries < 1_500 && got < 12 * MIB; tries++) {
      await sleep(10);
      const chunk = socket?.read() as Uint8Array | null;
      got += chunk?.length ?? 0;
    }
    expect(got).toBeGreaterThan(12 * MIB);
  });

  test("on the fetch handler are disconnected after writeTimeoutMs", async () => {
    const { server } = setUp();
    const clock = createClock();
    const endpoint = await FETCH.open(server, { ports: clock.ports });
    const stuck = await endpoint.fetch(modernCall("large", { length: 2 * MIB }));
    clock.advance(40_000);
    await expect(stuck.text()).rejects.toThrow("The client stopped reading the response.");
    expect(clock.timers).toBe(0);
  });

  test("on the fetch handler are disconnected when their responses together exceed maxResponseBytes", async () => {
    const { server } = setUp();
    const clock = createClock();
    const endpoint = await FETCH.open(server, { maxResponseBytes: 5 * MIB, ports: clock.ports });
    const first = await endpoint.fetch(modernCall("large", { length: 2 * MIB }));
    clock.advance(2_000);
    const others = [
      await endpoint.fetch(modernCall("large", { length: 2 * MIB })),
      await endpoint.fetch(modernCall("large", { length: 2 * MIB })),
    ];
    await expect(first.text()).rejects.toThrow("The client stopped reading the response.");
    expect((await others[1]?.text())?.length).toBeGreaterThan(2 * MIB);
  });
});

describe("calls that do not end", () => {
  test.each([NODE, SERVED, HONO])("are limited on one pipelined connection of $name", async (face) => {
    const { server, seen } = setUp();
    const endpoint = await face.open(server, { maxCallsPerConnection: 20 });
    const socket = await openSocket(endpoint.port);
    let text = "";
    for (let id = 0; id < 500; id++) text += rawCall("hang", {}, id);
    socket.write(text);
    await until(() => socket.destroyed, "the end of the connection");
    // The first call and 20 more. The last one does not start if its body arrives after the connection was closed.
    const { running } = seen;
    expect([20, 21]).toContain(running);
    await until(() => seen.aborted === running, "the end of all calls");
    expect(seen.running).toBe(running);
    expect((await endpoint.fetch(echo())).status).toBe(200);
  });

  test("end when their client disconnects, although replies are queued behind them", async () => {
    const { server, seen } = setUp();
    const endpoint = await SERVED.open(server);
    const socket = await openSocket(endpoint.port);
    socket.write(rawCall("hang", {}));
    // If these replies were passed to Node.js, it would pause the connection and not detect the disconnect.
    for (let id = 2; id < 40; id++) socket.write(rawCall("large", { length: 2_000 }, id));
    socket.write(rawCall("hang", {}, 40));
    await until(() => seen.running === 2, "the last call");
    socket.destroy();
    await until(() => seen.aborted === 2, "the end of the calls");
  });

  test("a pipelining client is served any number of calls that end synchronously", async () => {
    const { server } = setUp();
    const endpoint = await SERVED.open(server, { maxCallsPerConnection: 10 });
    const socket = await openSocket(endpoint.port);
    let text = "";
    for (let id = 0; id < 300; id++) text += rawCall("echo", { text: `n${id}` }, id);
    let got = "";
    socket.on("data", (chunk: Buffer) => (got += chunk.toString()));
    socket.write(text);
    await until(() => got.includes("n299"), "the last reply");
  });

  test.each(FACES)("are limited in total on $name, with an error message", async (face) => {
    const { server, seen } = setUp({ maxCalls: 3 });
    const endpoint = await face.open(server);
    const leave = new AbortController();
    for (let call = 0; call < 3; call++) {
      const { signal } = leave;
      endpoint.fetch({ ...modernCall("hang", {}), signal }).catch(() => undefined);
    }
    await until(() => seen.running === 3);
    const refused = await endpoint.fetch(modernCall("hang", {}));
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await read(refused)).toMatchObject({
      status: 429,
      body: { error: { message: "Too many calls in flight on this server (limit: 3). Try again later." } },
    });
    leave.abort();
    await until(() => seen.aborted === 3, "the end of the calls");
    expect((await endpoint.fetch(echo())).status).toBe(200);
  });

  test("count until their handlers end, even if the handlers ignore a disconnect", async () => {
    const { server, seen } = setUp({ maxCalls: 2 });
    const endpoint = await SERVED.open(server);
    for (let call = 0; call < 2; call++) {
      const leave = new AbortController();
      const pending = endpoint.fetch({ ...modernCall("deaf", {}), signal: leave.signal });
      await until(() => seen.running === call + 1);
      leave.abort();
      await pending.catch(() => undefined);
    }
    await sleep(20);
    expect((await endpoint.fetch(modernCall("deaf", {}))).status).toBe(429);
    seen.release();
    await until(() => seen.running === 2);
    expect((await endpoint.fetch(echo())).status).toBe(200);
  });

  test("are limited by the memory that their messages use", async () => {
    const { server, seen } = setUp({ maxCallBytes: 8 * MIB });
    const endpoint = await SERVED.open(server);
    const leave = new AbortController();
    const big = () => modernCall("hang", { text: "x".repeat(3 * MIB) });
    endpoint.fetch({ ...big(), signal: leave.signal }).catch(() => undefined);
    await until(() => seen.running === 1);
    expect(await read(await endpoint.fetch(big()))).toMatchObject({
      status: 429,
      body: {
        error: {
          message: `The calls in flight use too much memory (limit: ${8 * MIB} bytes). Try again later.`,
        },
      },
    });
    expect((await endpoint.fetch(echo())).status).toBe(200);
    leave.abort();
    await until(() => seen.aborted === 1);
  });

  test("are limited in one legacy session", async () => {
    const { server, seen } = setUp();
    const client = await openSession(await SERVED.open(server, { maxCallsPerConnection: 2 }));
    const pending = [client.call("hang", {}, 1), client.call("hang", {}, 2)];
    await until(() => seen.running === 2);
    expect((await client.call("hang", {}, 3)).status).toBe(429);
    seen.release();
    await Promise.all(pending);
  });
});

test("a session's subscriptions are limited by the total length of their URIs", async () => {
  const connection = new Connection({ era: "legacy", maxSubscriptions: 10 });
  expect(connection.subscribe("a".repeat(1_000))).toBe(true);
  expect(connection.subscribe("b".repeat(1_000))).toBe(false);
  connection.unsubscribe("a".repeat(1_000));
  expect(connection.subscribe("b".repeat(1_000))).toBe(true);
});
