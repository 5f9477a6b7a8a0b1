import { setImmediate as nextTurn } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { systemPorts } from "@tenon/internal/ports";
import { createMemoryStore } from "tenon/stores";
import { defineServer } from "../../../src/core/define-server.js";
import { DEFAULT_SESSION_LIMITS } from "../../../src/session/session-limits.js";
import { createSharedSessions } from "../../../src/session/shared/shared-sessions.js";
import { createClock } from "../../../../../tests/support/http-clock.js";
import { messagesOf, readEvents, type SseEvent } from "../../../../../tests/support/http-events.js";
import { read } from "../../../../../tests/support/http-faces.js";
import { openSession } from "../../../../../tests/support/http-messages.js";
import { request } from "../../../../../tests/support/requests.js";
import {
  createFaultyStore,
  moveTo,
  pass,
  startNode,
  startNodes,
} from "../../support/session/shared/nodes.js";

const listChanged = { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: {} };
const updated = (uri: string) => ({
  jsonrpc: "2.0",
  method: "notifications/resources/updated",
  params: { uri },
});

describe("the main stream on several nodes", () => {
  test("sends the changes of every node, each once", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.get());
    expect(await events.next()).toEqual({
      id: expect.stringMatching(/^main\..*\..*$/),
      retry: "1000",
      data: "",
    });
    void a.server.notifyListChanged("tools");
    void b.server.notifyListChanged("prompts");
    void a.server.notifyListChanged("resources");
    const got = [await events.message(), await events.message(), await events.message()];
    expect(got.map(({ method }) => String(method)).toSorted()).toEqual(
      ["prompts", "resources", "tools"].map((kind) => `notifications/${kind}/list_changed`),
    );
    await client.end();
    expect(messagesOf(await events.rest())).toEqual([]);
  });

  test("sends updates of a resource that the client subscribed to on the other node at once", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.get());
    await read(await moveTo(b, client).post(request("resources/subscribe", { uri: "test://note" })));
    void a.server.resourceUpdated("test://page");
    void a.server.resourceUpdated("test://note");
    void b.server.resourceUpdated("test://note");
    expect([await events.message(), await events.message()]).toEqual([
      updated("test://note"),
      updated("test://note"),
    ]);
    await read(await moveTo(b, client).post(request("resources/unsubscribe", { uri: "test://note" })));
    void a.server.resourceUpdated("test://note");
    void b.server.resourceUpdated("test://note");
    void b.server.notifyListChanged("tools");
    expect(await events.message()).toEqual(listChanged);
    await events.cut();
  });

  test("keeps subscriptions that were made on both nodes at the same time", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.get());
    await Promise.all(
      [a, b].map((node, index) =>
        moveTo(node, client).post(
          request("resources/subscribe", { uri: ["test://note", "test://page"][index] }),
        ),
      ),
    );
    void a.server.resourceUpdated("test://note");
    void a.server.resourceUpdated("test://page");
    expect([await events.message(), await events.message()]).toEqual([
      updated("test://note"),
      updated("test://page"),
    ]);
    await events.cut();
  });

  test("sends changes that nobody listened to once, to the next client without an event ID", async () => {
    const store = createMemoryStore();
    const sessions: typeof store.sessions = {
      ...store.sessions,
      async compareAndSet(...rest) {
        // A slow store: the client reconnects before its position is stored.
        for (let turn = 0; turn < 100; turn++) await nextTurn();
        return store.sessions.compareAndSet(...rest);
      },
    };
    const [a, b] = await startNodes({ store: { ...store, sessions } });
    const client = await openSession(a.endpoint);
    void b.server.notifyListChanged("tools");
    const first = readEvents(await client.get());
    expect(await first.message()).toEqual(listChanged);
    await first.cut();
    const second = readEvents(await client.get());
    void a.server.notifyListChanged("prompts");
    expect(await second.message()).toMatchObject({ method: "notifications/prompts/list_changed" });
    await second.cut();
  });

  test("is not kept for a client that disconnects while the store is read", async () => {
    const faulty = createFaultyStore(createMemoryStore());
    const { store } = faulty;
    const gate: { open: () => void } = { open: () => {} };
    const bus: typeof store.bus = {
      ...store.bus,
      subscribe: async (channel, ...rest) => {
        if (channel.startsWith("session/"))
          await new Promise<void>((resolve) => {
            gate.open = resolve;
          });
        return store.bus.subscribe(channel, ...rest);
      },
    };
    const server = defineServer({ name: "gone", version: "1.0.0" }).build();
    const options = { ports: systemPorts, sessions: DEFAULT_SESSION_LIMITS, maxCallsPerConnection: 10 };
    const sessions = createSharedSessions(server, { ...store, bus }, options);
    const session = await sessions.open(undefined);
    await session.sync();
    let ended = 0;
    const listening = session.listen({
      lastEventId: undefined,
      retryMs: undefined,
      open: (onClose) => {
        onClose();
        return { write: () => undefined, end: () => void ended++, prime: () => undefined };
      },
    });
    await expect.poll(() => gate.open.toString()).not.toBe("() => {}");
    gate.open();
    expect(await listening).toBe("listening");
    expect([session.isActive, ended]).toEqual([false, 1]);
    await sessions.close();
  });

  test("does not send changes from before the session", async () => {
    const store = createMemoryStore();
    const [a] = await startNodes({ store });
    for (let count = 0; count < 5; count++) void a.server.notifyListChanged("tools");
    // The change of a different node is stored in order, so the others are stored, too.
    await expect.poll(async () => (await readLog(store)).length).toBe(5);
    const b = await startNode({ store });
    const client = await openSession(b.endpoint);
    const events = readEvents(await client.get());
    void a.server.notifyListChanged("prompts");
    expect(await events.message()).toMatchObject({ method: "notifications/prompts/list_changed" });
    await events.cut();
  });

  test("ends for the previous client, on any node, and the new one on the same node receives changes", async () => {
    const [a, b] = await startNodes();
    const client = await openSession(a.endpoint);
    for (const nodes of [
      [a, a],
      [a, b],
    ] as const) {
      const first = readEvents(await moveTo(nodes[0], client).get());
      await first.next();
      const second = readEvents(await moveTo(nodes[1], client).get());
      expect(messagesOf(await first.rest())).toEqual([]);
      void b.server.notifyListChanged("tools");
      expect(await second.message()).toEqual(listChanged);
      await second.cut();
    }
  });

  test("moves between nodes at any position, and sends every change once and in the order of its node", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            node: fc.integer({ min: 0, max: 1 }),
            changes: fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 3 }),
            reads: fc.integer({ min: 0, max: 3 }),
          }),
          { minLength: 1, maxLength: 5 },
        ),
        async (rounds) => {
          const nodes = await startNodes();
          const client = await openSession(nodes[0].endpoint);
          for (const uri of ["test://note", "test://page"])
            await read(await client.post(request("resources/subscribe", { uri })));
          const got: SseEvent[] = [];
          const made: string[] = [];
          const readOne = async (events: ReturnType<typeof readEvents>) =>
            got.push((await events.next()) ?? {});
          for (const round of rounds) {
            const last = got.findLast(({ id }) => id !== undefined)?.id;
            const events = readEvents(await moveTo(nodes[round.node] ?? nodes[0], client).get(last));
            if (got.length === 0) await readOne(events);
            for (const node of round.changes) {
              const uri = node === 0 ? "test://note" : "test://page";
              void (nodes[node] ?? nodes[0]).server.resourceUpdated(uri);
              made.push(uri);
            }
            const missing = made.length - messagesOf(got).length;
            for (let count = 0; count < Math.min(round.reads, missing); count++) await readOne(events);
            await events.cut();
          }
          const events = readEvents(await moveTo(nodes[1], client).get(got.at(-1)?.id));
          while (messagesOf(got).length < made.length) await readOne(events);
          await client.end();
          got.push(...(await events.rest()));
          const uris = messagesOf(got).map(({ params }) => (params as { uri: string }).uri);
          expect(uris.toSorted()).toEqual(made.toSorted());
          // The first event of a resumed stream repeats the position, without data.
          const ids = got.filter(({ data }) => data !== "").map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
        },
      ),
      { numRuns: 25 },
    );
  });

  test("sends changes again after a failure of the store, without a new request", async () => {
    const clock = createClock();
    const shared = createMemoryStore({ ports: clock.ports });
    const faulty = createFaultyStore(shared);
    const a = await startNode({ store: faulty.store, http: { ports: clock.ports } });
    const b = await startNode({ store: shared, http: { ports: clock.ports } });
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.get());
    await events.next();
    faulty.isCut = true;
    void b.server.notifyListChanged("tools");
    await pass(clock, 3_000);
    faulty.isCut = false;
    await pass(clock, 2_000);
    expect(await events.message()).toEqual(listChanged);
    await events.cut();
  });

  test("skips altered changes", async () => {
    const faulty = createFaultyStore(createMemoryStore());
    const [a] = await startNodes({ store: faulty.store });
    const client = await openSession(a.endpoint);
    const events = readEvents(await client.get());
    let altered: string | undefined;
    faulty.alter = (event, id) => {
      if (/^[0-9a-f]{16}-\w+$/.test(id)) altered ??= id;
      return id === altered
        ? `${event.slice(0, 40)}${event[40] === "A" ? "B" : "A"}${event.slice(41)}`
        : event;
    };
    void a.server.notifyListChanged("prompts");
    await expect.poll(() => altered).toBeDefined();
    void a.server.notifyListChanged("tools");
    expect(await events.message()).toEqual(listChanged);
    await events.cut();
  });
});

async function readLog(store: ReturnType<typeof createMemoryStore>): Promise<readonly unknown[]> {
  const found = await store.events.read("changes/shared");
  return found.ok ? found.events : [];
}
