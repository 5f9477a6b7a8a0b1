import { describe, expect, test } from "vitest";
import { createMemoryStore, type SharedStore, StoreError } from "tenon/stores";
import type { LogEntry } from "../../../src/core/wire/log.js";
import { createClock } from "../../../../../tests/support/http-clock.js";
import { openSession } from "../../../../../tests/support/http-messages.js";
import { createFaultyStore, pass, startNode } from "../../support/session/shared/nodes.js";

const FULL = new StoreError("full", "The store is full.");

/** Starts nodes on a fake clock, and collects the log of the first one. The others can lose their store. */
async function startLogged() {
  const clock = createClock();
  const shared = createMemoryStore({ ports: clock.ports });
  const http = { ports: clock.ports };
  const entries: LogEntry[] = [];
  const own = createFaultyStore(shared);
  const server = { log: (entry: LogEntry) => void entries.push(entry) };
  const first = await startNode({ store: own.store, http, server });
  const others = [createFaultyStore(shared), createFaultyStore(shared)];
  const nodes = [];
  for (const { store } of others) nodes.push(await startNode({ store, http }));
  await pass(clock, 10_000);
  const eventsOf = () => entries.flatMap(({ event }) => (event === "initialize" ? [] : [event]));
  return { clock, own, others, first, nodes, entries, eventsOf };
}

describe("the log of a node", () => {
  test("names each lost node once, and no node that stops normally", async () => {
    const { clock, others, nodes, entries, eventsOf, first } = await startLogged();
    await nodes[1]?.endpoint.close(0);
    await pass(clock, 10_000);
    expect(eventsOf()).toEqual([]);
    for (const one of others.slice(0, 1)) one.isCut = true;
    await pass(clock, 20_000);
    expect(eventsOf()).toEqual(["node-lost"]);
    expect(entries.at(-1)).toMatchObject({
      level: "warning",
      message: expect.stringMatching(
        /^Node [0-9a-f]{16} of server "shared" was lost: no sign of life for \d s\./,
      ),
    });
    expect(first.server.operations.logCounts.get("node-lost")).toBe(1);
  });

  test("has one entry for an outage of the store, however many requests fail, and one for its end", async () => {
    const { clock, own, first, entries, eventsOf } = await startLogged();
    const client = await openSession(first.endpoint);
    for (let outage = 0; outage < 2; outage++) {
      own.isCut = true;
      for (let second = 0; second < 30; second++) {
        await Promise.all(Array.from({ length: 5 }, () => client.call("echo", { text: "hi" })));
        await pass(clock, 1_000);
      }
      own.isCut = false;
      await pass(clock, 10_000);
    }
    expect(eventsOf()).toEqual(["store-failed", "store-restored", "store-failed", "store-restored"]);
    expect(entries.at(-1)).toMatchObject({
      message: expect.stringMatching(/^The store works again\. \d{3,} operations failed within 3\d s\.$/),
    });
  });

  test("has few entries for a full store, however long it is full", async () => {
    const clock = createClock();
    const inner = createMemoryStore({ ports: clock.ports });
    const state = { isFull: false };
    const guard = <T>(work: () => Promise<T>): Promise<T> => (state.isFull ? Promise.reject(FULL) : work());
    const store: SharedStore = {
      ...inner,
      values: { ...inner.values, set: (...given) => guard(() => inner.values.set(...given)) },
      events: { ...inner.events, append: (...given) => guard(() => inner.events.append(...given)) },
    };
    const entries: LogEntry[] = [];
    const log = (entry: LogEntry) => void entries.push(entry);
    const node = await startNode({ store, http: { ports: clock.ports }, server: { log } });
    const client = await openSession(node.endpoint);
    await pass(clock, 10_000);
    state.isFull = true;
    for (let second = 0; second < 60; second++) {
      // Its events cannot be stored.
      await (await client.call("count", { to: 2 })).text();
      await pass(clock, 1_000);
    }
    state.isFull = false;
    await pass(clock, 10_000);
    const events = entries.map(({ event }) => event);
    expect(events.filter((event) => event === "store-failed").length).toBeLessThan(4);
    expect(events.at(-1)).toBe("store-restored");
  });

  test("does not call the other nodes lost after an outage of its own store", async () => {
    const { clock, own, eventsOf } = await startLogged();
    own.isCut = true;
    await pass(clock, 30_000);
    own.isCut = false;
    await pass(clock, 30_000);
    expect(eventsOf()).toEqual(["store-failed", "store-restored"]);
  });
});
