import { describe, expect, test } from "vitest";
import { systemPorts } from "@tenon/internal/ports";
import { createMemoryStore, StoreError } from "tenon/stores";
import { createClock } from "../../../../../tests/support/http-clock.js";
import { allMessages, readEvents } from "../../../../../tests/support/http-events.js";
import { post, read, until } from "../../../../../tests/support/http-faces.js";
import { initializeBody, openSession } from "../../../../../tests/support/http-messages.js";
import { request } from "../../../../../tests/support/requests.js";
import { DEFAULT_SESSION_LIMITS } from "../../../src/session/session-limits.js";
import { createSharedSessions } from "../../../src/session/shared/shared-sessions.js";
import { defineServer } from "../../../src/core/define-server.js";
import {
  createFaultyStore,
  moveTo,
  pass,
  rotate,
  startNode,
  startNodes,
  text,
} from "../../support/session/shared/nodes.js";

const NOT_FOUND = {
  status: 404,
  body: {
    jsonrpc: "2.0",
    id: null,
    error: { code: -32600, message: "Session not found. Send `initialize` to open a new session." },
  },
};
const echoed = (id = 1) => ({ status: 200, body: { jsonrpc: "2.0", id, result: text("hi") } });

describe("a session on several nodes", () => {
  test("is opened on one node and used on the other", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    expect(client.id).toMatch(/^[\w-]{32}$/);
    expect(await read(await moveTo(b, client).call("echo", { text: "hi" }))).toEqual(echoed());
    expect((await moveTo(b, client).post(initializeBody())).status).toBe(400);
  });

  test("alternates between nodes with every request", async () => {
    const client = await openSession(rotate(await startNodes()));
    for (let id = 1; id <= 10; id++)
      expect(await read(await client.call("echo", { text: "hi" }, id))).toEqual(echoed(id));
    expect((await client.end()).status).toBe(204);
    for (const _node of [1, 2])
      expect(await read(await client.call("echo", { text: "hi" }))).toEqual(NOT_FOUND);
  });

  test("ends its streams and calls on one node when it is deleted on the other", async () => {
    const store = createMemoryStore();
    const [a, b] = await startNodes({ store });
    const client = await openSession(a.endpoint);
    const main = readEvents(await client.get());
    const stream = readEvents(await client.call("wait", {}, 1));
    const call = client.call("quiet", {}, 2);
    await until(() => a.seen.started === 2);
    expect((await moveTo(b, client).end()).status).toBe(204);
    for (const events of [main, stream]) await events.rest();
    expect((await call).status).toBe(404);
    expect(a.seen.aborted).toBe(2);
    for (const node of [a, b]) {
      const moved = moveTo(node, client);
      expect(await read(await moved.call("echo", { text: "hi" }))).toEqual(NOT_FOUND);
      expect(await read(await moved.get())).toEqual(NOT_FOUND);
      expect(await read(await moved.end())).toEqual(NOT_FOUND);
    }
    expect(await store.events.read(`session/${client.id.slice(0, 16)}`)).toEqual({ ok: true, events: [] });
  });

  test.each(["eve", undefined])("is not available to the principal %s, on any node", async (user) => {
    const [a, b] = await startNodes({
      http: {
        authenticate: ({ header }) => {
          const name = header("x-user");
          return typeof name === "string" ? { auth: { principal: name, scopes: [] } } : {};
        },
      },
    });
    const ada = await openSession(a.endpoint, { headers: { "x-user": "ada" } });
    const stolen = { "mcp-session-id": ada.id, ...(user === undefined ? {} : { "x-user": user }) };
    for (const { endpoint } of [a, b]) {
      expect(await read(await endpoint.fetch(post(request("ping"), stolen)))).toEqual(NOT_FOUND);
      for (const method of ["GET", "DELETE"]) {
        const headers = { accept: "text/event-stream", ...stolen };
        expect(await read(await endpoint.fetch({ method, headers }))).toEqual(NOT_FOUND);
      }
    }
    expect((await moveTo(b, ada).call("echo", { text: "mine" })).status).toBe(200);
  });

  test("is not available with the first half of its ID, which the store knows", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const half = client.id.slice(0, 16);
    const ids = ["A".repeat(16), client.id.slice(0, 16), "", client.id.slice(16, 31)].map(
      (rest) => half + rest,
    );
    for (const id of [...ids, "__proto__", "../..", half.repeat(64)]) {
      for (const { endpoint } of [a, b]) {
        const headers = { "mcp-session-id": id };
        expect(await read(await endpoint.fetch(post(request("ping"), headers)))).toEqual(NOT_FOUND);
      }
    }
    expect((await moveTo(b, client).call("echo", { text: "mine" })).status).toBe(200);
  });

  test("expires after its idle time, which every request on any node renews", async () => {
    const clock = createClock();
    const store = createMemoryStore({ ports: clock.ports });
    const [a, b] = await startNodes({
      store,
      http: { ports: clock.ports, sessions: { idleMs: 60_000 } },
    });
    const [used, idle] = [await openSession(a.endpoint), await openSession(a.endpoint)];
    for (let turn = 0; turn < 4; turn++) {
      await pass(clock, 40_000);
      const node = turn % 2 === 0 ? b : a;
      expect((await moveTo(node, used).call("echo", { text: "hi" })).status).toBe(200);
    }
    expect(await read(await idle.call("echo", { text: "hi" }))).toEqual(NOT_FOUND);
    await pass(clock, 70_000);
    expect(await read(await moveTo(b, used).call("echo", { text: "hi" }))).toEqual(NOT_FOUND);
  });

  test("does not expire while a node has a call or a listener of it", async () => {
    const clock = createClock();
    const store = createMemoryStore({ ports: clock.ports });
    const [a, b] = await startNodes({
      store,
      http: { ports: clock.ports, sessions: { idleMs: 60_000 } },
    });
    const [calling, listening] = [await openSession(a.endpoint), await openSession(a.endpoint)];
    const call = calling.call("quiet").then(allMessages);
    const events = readEvents(await listening.get());
    const reading = events.rest();
    await until(() => a.seen.started === 1);
    await pass(clock, 200_000);
    for (const client of [calling, listening])
      expect((await moveTo(b, client).call("echo", { text: "hi" })).status).toBe(200);
    a.seen.release();
    expect(await call).toHaveLength(1);
    await events.cut();
    await reading;
    await pass(clock, 70_000);
    for (const client of [calling, listening])
      expect((await moveTo(b, client).call("echo", { text: "hi" })).status).toBe(404);
  });

  test("is rejected with 503 if the store is full, without a session ID", async () => {
    const store = createMemoryStore();
    let isFull = false;
    const sessions: typeof store.sessions = {
      ...store.sessions,
      create: (...rest) =>
        isFull
          ? Promise.reject(new StoreError("full", "The store is full."))
          : store.sessions.create(...rest),
    };
    const [a] = await startNodes({ store: { ...store, sessions } });
    const clients = [await openSession(a.endpoint), await openSession(a.endpoint)];
    isFull = true;
    const refused = await a.endpoint.fetch(post(initializeBody()));
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(refused.headers.get("mcp-session-id")).toBeNull();
    for (const client of clients) expect((await client.call("echo", { text: "hi" })).status).toBe(200);
    isFull = false;
    expect((await a.endpoint.fetch(post(initializeBody()))).status).toBe(200);
  });

  test("replaces the session that was idle longest at the limit of the store, which ends on all nodes", async () => {
    const [a, b] = await startNodes({ store: createMemoryStore({ sessions: { maxKeys: 2 } }) });
    const [first, second] = [await openSession(a.endpoint), await openSession(a.endpoint)];
    const events = readEvents(await moveTo(b, first).get());
    expect((await moveTo(b, second).call("echo", { text: "used later" })).status).toBe(200);
    const third = await openSession(a.endpoint);
    await events.rest(); // the stream has ended
    expect((await first.call("echo", { text: "hi" })).status).toBe(404);
    for (const client of [second, third])
      expect((await moveTo(b, client).call("echo", { text: "hi" })).status).toBe(200);
  });

  test("occupies memory on a node only while it is used, except for the last 128", async () => {
    const clock = createClock();
    const store = createMemoryStore({ ports: clock.ports });
    const server = defineServer({ name: "many", version: "1.0.0" }).build();
    const ports = { ...systemPorts, ...clock.ports };
    const options = { ports, sessions: DEFAULT_SESSION_LIMITS, maxCallsPerConnection: 10 };
    const [a, b] = [
      createSharedSessions(server, store, options),
      createSharedSessions(server, store, options),
    ];
    const ids: string[] = [];
    for (let count = 0; count < 2_000; count++) {
      const session = await a.open(undefined);
      await session.sync();
      ids.push(session.id);
    }
    await pass(clock, 2_000);
    expect(a.size).toBe(128);
    const call = await b.find(ids[0] ?? "", undefined);
    call?.connection.begin(1, () => undefined);
    for (const id of ids) expect((await b.find(id, undefined))?.id).toBe(id);
    await pass(clock, 2_000);
    expect(b.size).toBeLessThanOrEqual(129);
    // A session with a call is kept, so that messages of other nodes reach the call.
    expect(await b.find(ids[0] ?? "", undefined)).toBe(call);
    await Promise.all([a.close(), b.close()]);
  });
});

describe("a store that cannot be trusted", () => {
  test("altered records of sessions are never accepted", async () => {
    const faulty = createFaultyStore(createMemoryStore());
    const [a] = await startNodes({ store: faulty.store });
    const b = await startNode({ store: faulty.store });
    const client = await openSession(a.endpoint);
    const key = client.id.slice(0, 16);
    const { value = "" } = (await faulty.store.sessions.get(key)) ?? {};
    expect(value).not.toContain(client.id);
    for (let place = 0; place < value.length; place++) {
      const other = value[place] === "A" ? "g" : "A";
      faulty.alter = (record, id) =>
        id === key ? record.slice(0, place) + other + record.slice(place + 1) : record;
      expect((await moveTo(b, client).call("echo", { text: "hi" })).status).toBe(404);
    }
    for (const text of ["", "{}", value.slice(0, -1), value + value]) {
      faulty.alter = (record, id) => (id === key ? text : record);
      expect((await moveTo(b, client).call("echo", { text: "hi" })).status).toBe(404);
    }
    faulty.alter = (record) => record;
    expect((await moveTo(b, client).call("echo", { text: "hi" })).status).toBe(200);
  });

  test("a record that was moved to a different session is not accepted", async () => {
    const store = createMemoryStore();
    const [a, b] = await startNodes({ store });
    const [ada, eve] = [await openSession(a.endpoint), await openSession(a.endpoint)];
    const record = await store.sessions.get(ada.id.slice(0, 16));
    await store.sessions.set(eve.id.slice(0, 16), record?.value ?? "");
    for (const node of [a, b])
      expect((await moveTo(node, eve).call("echo", { text: "hi" })).status).toBe(404);
  });

  test("altered, moved, and unknown events are skipped", async () => {
    const faulty = createFaultyStore(createMemoryStore());
    const { store } = faulty;
    const [a, b] = await startNodes({ store });
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.call("count", { to: 3 }));
    const first = await events.next();
    await events.rest();
    const log = `session/${client.id.slice(0, 16)}`;
    const found = await store.events.read(log);
    const stored = found.ok ? found.events : [];
    const second = stored[2];
    // An event under a different ID is skipped, and the others are sent.
    faulty.alter = (event, id) => (id === stored[1]?.id ? (second?.event ?? "") : event);
    const messages = await allMessages(await moveTo(b, client).get(first?.id));
    expect(messages.map(({ params, id }) => id ?? (params as { data: number }).data)).toEqual([2, 3, 1]);
    // Events without encryption are skipped, too.
    const forged = JSON.stringify({ stream: first?.id?.replace(/_0$/, ""), data: '{"forged":true}' });
    faulty.alter = (event, id) => (id === stored[1]?.id ? forged : event);
    expect(await allMessages(await moveTo(b, client).get(first?.id))).toHaveLength(3);
  });
});
