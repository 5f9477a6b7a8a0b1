import { describe, expect, test } from "vitest";
import { createMemoryStore, type SharedStore } from "tenon/stores";
import { createClock } from "../../../../../tests/support/http-clock.js";
import { readEvents } from "../../../../../tests/support/http-events.js";
import { read } from "../../../../../tests/support/http-faces.js";
import { openSession } from "../../../../../tests/support/http-messages.js";
import { request } from "../../../../../tests/support/requests.js";
import { moveTo, pass, startNode } from "../../support/session/shared/nodes.js";

/** Wraps a node's access to a store whose messages on some channels do not arrive while the commands work. */
function createDeafStore(inner: SharedStore) {
  const gaps = new Set<() => void>();
  const deaf = {
    /** Start of the names of channels without messages. */
    to: undefined as string | undefined,
    /** Number of reads of session records. */
    reads: 0,
    /** Number of reads that will fail. */
    failing: 0,
    /** Reports that messages may have been lost. */
    reportGap: () => {
      for (const report of gaps) report();
    },
  };
  const sessions: SharedStore["sessions"] = {
    ...inner.sessions,
    get: (key) => {
      deaf.reads++;
      if (deaf.failing-- > 0) return Promise.reject(new Error("The connection was lost."));
      return inner.sessions.get(key);
    },
  };
  const bus: SharedStore["bus"] = {
    ...inner.bus,
    subscribe: (channel, listener, options = {}) => {
      if (options.onGap !== undefined) gaps.add(options.onGap);
      const isLost = () => deaf.to !== undefined && channel.startsWith(deaf.to);
      return inner.bus.subscribe(channel, (text) => (isLost() ? undefined : listener(text)), options);
    },
  };
  return { deaf, store: { ...inner, sessions, bus } };
}

/** Starts two nodes. The first one has the client's stream, and does not hear when the client subscribes on the other. */
async function startDeaf() {
  const clock = createClock();
  const shared = createMemoryStore({ ports: clock.ports });
  const { deaf, store } = createDeafStore(shared);
  const http = { ports: clock.ports };
  const a = await startNode({ store, http });
  const b = await startNode({ store: shared, http });
  const client = await openSession(a.endpoint);
  const events = readEvents(await client.get());
  await events.next();
  const subscribe = async (uri: string) => {
    const response = await moveTo(b, client).post(request("resources/subscribe", { uri }));
    expect(await read(response)).toMatchObject({ body: { result: {} } });
  };
  return { clock, deaf, a, b, events, subscribe };
}

const updated = (uri: string) => ({
  jsonrpc: "2.0",
  method: "notifications/resources/updated",
  params: { uri },
});

describe("a node that misses messages", () => {
  test.each(["a", "b"] as const)(
    "sends updates of node %s for subscriptions it has not heard of",
    async (name) => {
      const { clock, deaf, events, subscribe, ...nodes } = await startDeaf();
      deaf.to = "";
      await subscribe("test://note");
      await nodes[name].server.resourceUpdated("test://note");
      await nodes[name].server.resourceUpdated("test://page");
      await pass(clock, 3_000);
      await nodes.b.server.notifyListChanged("tools");
      await pass(clock, 3_000);
      expect(await events.message()).toEqual(updated("test://note"));
      expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
      await events.cut();
    },
  );

  test("sends updates that it reads only after the gap was reported", async () => {
    const { deaf, events, subscribe, b } = await startDeaf();
    deaf.to = "";
    await subscribe("test://note");
    await b.server.resourceUpdated("test://note");
    deaf.to = undefined;
    deaf.reportGap();
    expect(await events.message()).toEqual(updated("test://note"));
    await events.cut();
  });

  test("sends updates for subscriptions that it could not read at first", async () => {
    const { clock, deaf, events, subscribe, b } = await startDeaf();
    // Only reads of records fail, as if their answers were lost. The changes can be read.
    deaf.failing = 4;
    await subscribe("test://note");
    await b.server.resourceUpdated("test://note");
    await pass(clock, 3_000);
    await b.server.notifyListChanged("tools");
    await pass(clock, 3_000);
    expect(await events.message()).toEqual(updated("test://note"));
    await events.cut();
  });

  test("sends updates that overtake a message on another channel, as in a cluster", async () => {
    const { deaf, events, subscribe, a, b } = await startDeaf();
    deaf.to = "session/";
    for (const { server } of [a, b]) {
      const uri = `test://item/${server === a.server ? "a" : "b"}`;
      await subscribe(uri);
      await server.resourceUpdated(uri);
      expect(await events.message()).toEqual(updated(uri));
    }
    await events.cut();
  });

  test("reads no records for updates that are announced in time", async () => {
    const { deaf, events, subscribe, a, b } = await startDeaf();
    await subscribe("test://note");
    await b.server.resourceUpdated("test://note");
    expect(await events.message()).toEqual(updated("test://note"));
    const { reads } = deaf;
    for (const node of [a, b]) {
      for (const uri of ["test://page", "test://item/1", "test://note"])
        await node.server.resourceUpdated(uri);
      expect(await events.message()).toEqual(updated("test://note"));
    }
    expect(deaf.reads).toBe(reads);
    await events.cut();
  });
});
