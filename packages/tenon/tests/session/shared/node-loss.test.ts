import { describe, expect, test } from "vitest";
import { createMemoryStore } from "tenon/stores";
import { createClock } from "../../../../../tests/support/http-clock.js";
import { allMessages, messagesOf, readEvents } from "../../../../../tests/support/http-events.js";
import { post, until } from "../../../../../tests/support/http-faces.js";
import { initializeBody, openSession } from "../../../../../tests/support/http-messages.js";
import {
  createFaultyStore,
  logged,
  moveTo,
  pass,
  startNode,
  startNodes,
  text,
} from "../../support/session/shared/nodes.js";

const BUSY = { jsonrpc: "2.0", error: { message: "The session store does not respond. Try again later." } };

/** Starts two nodes on a fake clock. The first one can lose its store. */
const startCuttable = async () => {
  const clock = createClock();
  const shared = createMemoryStore({ ports: clock.ports });
  const faulty = createFaultyStore(shared);
  const http = { ports: clock.ports };
  const a = await startNode({ store: faulty.store, http });
  const b = await startNode({ store: shared, http });
  return { clock, faulty, a, b };
};

describe("a node that is shut down", () => {
  test("lets calls finish, and their clients get the result", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.call("wait"));
    await events.message();
    const closing = a.endpoint.close(60_000);
    a.seen.release();
    expect(messagesOf(await events.rest())).toEqual([
      logged("released"),
      { jsonrpc: "2.0", id: 1, result: text("waited") },
    ]);
    await closing;
    expect((await moveTo(b, client).call("echo", { text: "hi" })).status).toBe(200);
  });

  test("replies with one error to calls that do not finish in time, on any node", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.call("wait", {}, 7));
    const priming = await events.next();
    const quiet = client.call("quiet", {}, 8);
    await until(() => a.seen.started === 2);
    await a.endpoint.close(0);
    const error = { code: expect.any(Number), message: expect.stringContaining("has stopped") };
    expect(messagesOf(await events.rest())).toEqual([logged("started"), { jsonrpc: "2.0", id: 7, error }]);
    expect(await (await quiet).json()).toMatchObject({
      id: 8,
      error: { message: expect.stringContaining("its outcome is unknown") },
    });
    // The call ignores its signal and ends later. The client has its reply already.
    a.seen.release();
    for (let count = 0; count < 2; count++)
      expect(await allMessages(await moveTo(b, client).get(priming?.id))).toEqual([
        logged("started"),
        { jsonrpc: "2.0", id: 7, error },
      ]);
    expect(a.seen.aborted).toBe(2);
  });

  test("disconnects listeners, which lose nothing on the other node", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.get());
    const priming = await events.next();
    await a.endpoint.close(0);
    expect(messagesOf(await events.rest())).toEqual([]);
    void b.server.notifyListChanged("tools");
    for (const id of [priming?.id, undefined]) {
      const moved = readEvents(await moveTo(b, client).get(id));
      expect(await moved.message()).toMatchObject({ method: "notifications/tools/list_changed" });
      await moved.cut();
      if (id !== undefined) void b.server.notifyListChanged("tools");
    }
  });
});

describe("a node that is lost", () => {
  test("leaves calls that end with one error within seconds, for clients that resume on any node", async () => {
    const { clock, faulty, a, b } = await startCuttable();
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.call("wait", {}, 7));
    const priming = await events.next();
    await events.message();
    await pass(clock, 4_000);
    faulty.isCut = true;
    await events.cut();
    const resumed = readEvents(await moveTo(b, client).get(priming?.id));
    expect(await resumed.message()).toEqual(logged("started"));
    await pass(clock, 6_000);
    const error = { code: expect.any(Number), message: expect.stringContaining("was lost") };
    expect(messagesOf(await resumed.rest())).toEqual([{ jsonrpc: "2.0", id: 7, error }]);
    // The node returns and its call finishes. The outcome that the client knows does not change.
    faulty.isCut = false;
    a.seen.release();
    await pass(clock, 2_000);
    for (const node of [a, b])
      expect(await allMessages(await moveTo(node, client).get(priming?.id))).toEqual([
        logged("started"),
        { jsonrpc: "2.0", id: 7, error },
      ]);
  });

  test("is not assumed right after the store has failed for all nodes", async () => {
    const clock = createClock();
    const shared = createMemoryStore({ ports: clock.ports });
    const stores = [createFaultyStore(shared), createFaultyStore(shared)] as const;
    const http = { ports: clock.ports };
    const [a, b] = [
      await startNode({ store: stores[0].store, http }),
      await startNode({ store: stores[1].store, http }),
    ];
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.call("wait"));
    const priming = await events.next();
    await events.message();
    await pass(clock, 4_000);
    await events.cut();
    const resumed = readEvents(await moveTo(b, client).get(priming?.id));
    for (const faulty of stores) faulty.isCut = true;
    await pass(clock, 10_000);
    // The node of the call reaches the store two seconds later than the other one.
    stores[1].isCut = false;
    await pass(clock, 2_000);
    stores[0].isCut = false;
    await pass(clock, 8_000);
    a.seen.release();
    await pass(clock, 2_000);
    expect(messagesOf(await resumed.rest())).toEqual([
      logged("started"),
      logged("released"),
      { jsonrpc: "2.0", id: 1, result: text("waited") },
    ]);
  });
});

describe("a store that does not respond", () => {
  test("gets every request 503 with Retry-After and without its text, until it responds again", async () => {
    const faulty = createFaultyStore(createMemoryStore());
    const reports: unknown[] = [];
    const node = await startNode({
      store: faulty.store,
      http: { legacySse: true },
      server: { log: (entry) => reports.push(entry) },
    });
    const client = await openSession(node.endpoint);
    faulty.isCut = true;
    const sse = { method: "GET", headers: { accept: "text/event-stream" } };
    const responses = [
      await node.endpoint.fetch(post(initializeBody())),
      await client.call("echo", { text: "hi" }),
      await client.post({ jsonrpc: "2.0", method: "notifications/initialized" }),
      await client.get(),
      await client.end(),
      await node.endpoint.fetch(sse, "/sse"),
      await node.endpoint.fetch(
        post({ jsonrpc: "2.0", id: 1, method: "ping" }),
        `/messages?sessionId=${client.id}`,
      ),
    ];
    for (const response of responses) {
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("1");
      expect(response.headers.get("mcp-session-id")).toBeNull();
      const body = await response.text();
      expect(body).not.toContain("secret text");
      expect(JSON.parse(body)).toMatchObject(BUSY);
    }
    expect(reports.length).toBeGreaterThan(0);
    faulty.isCut = false;
    expect((await client.call("echo", { text: "hi" })).status).toBe(200);
    expect((await node.endpoint.fetch(post(initializeBody()))).status).toBe(200);
  });

  test("does not lose the events of a call whose client is connected", async () => {
    const { clock, faulty, a } = await startCuttable();
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.call("wait"));
    await events.message();
    faulty.isCut = true;
    a.seen.release();
    const rest = events.rest();
    await pass(clock, 40_000);
    expect(messagesOf(await rest)).toEqual([
      logged("released"),
      { jsonrpc: "2.0", id: 1, result: text("waited") },
    ]);
  });

  test("is repeated until it stores the events of a call", async () => {
    const { clock, faulty, a, b } = await startCuttable();
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.call("wait"));
    const priming = await events.next();
    await events.message();
    await events.cut();
    faulty.isCut = true;
    a.seen.release();
    await pass(clock, 2_000);
    faulty.isCut = false;
    await pass(clock, 2_000);
    expect(await allMessages(await moveTo(b, client).get(priming?.id))).toHaveLength(3);
  });
});
