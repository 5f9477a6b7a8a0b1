import type { SharedStore } from "tenon/stores";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startFaultProxy } from "../../../tools/fault-proxy.js";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../tools/redis-server.js";
import { noRedis, openProxiedStore, openStore, openTestStore } from "./support/fixture.js";

/** Time in milliseconds within which service must be back, on a machine that may be slow and busy. */
const BACK = { timeout: 10_000, interval: 20 };
const UNAVAILABLE = /^Redis at 127\.0\.0\.1:\d+ is not available: .+\.$/;
const RULE = { limit: 10, windowMs: 60_000 };

/** Waits until Redis responds. */
async function untilUp(store: SharedStore): Promise<void> {
  await expect.poll(() => store.ping().then(() => "up", String), BACK).toBe("up");
}

describe.skipIf(noRedis !== undefined)("when Redis fails", { timeout: 60_000 }, () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  }, REDIS_INSTALL_MS);
  afterAll(() => server.stop());

  test("commands fail in time while Redis is away, and work again after it was restarted", async () => {
    const store = await openTestStore({ url: server.url, commandTimeoutMs: 300 });
    await store.values.set("key", "kept");
    await server.kill();
    await expect(store.values.get("key")).rejects.toThrow(UNAVAILABLE);
    await expect(store.values.set("key", "lost")).rejects.toThrow(UNAVAILABLE);
    await expect(store.ping()).rejects.toThrow(UNAVAILABLE);
    await server.restart();
    await untilUp(store);
    expect((await store.values.get("key"))?.value).toBe("kept");
  });

  test("commands that can be repeated wait for a short restart instead of failing", async () => {
    const store = await openTestStore({ url: server.url, commandTimeoutMs: 20_000 });
    await store.values.set("key", "kept");
    await server.kill();
    const reads = Promise.all([store.values.get("key"), store.values.get("key")]);
    const [entries] = await Promise.all([reads, server.restart()]);
    expect(entries.map((entry) => entry?.value)).toEqual(["kept", "kept"]);
  });

  test("commands fail in time while Redis does not respond, and work again when it does", async () => {
    const store = await openTestStore({ url: server.url, commandTimeoutMs: 300 });
    server.pause();
    try {
      // Longer than the time after which the client replaces a silent connection.
      for (let attempt = 0; attempt < 4; attempt++) await expect(store.ping()).rejects.toThrow(UNAVAILABLE);
    } finally {
      server.resume();
    }
    await untilUp(store);
  });

  test("the number of waiting commands is limited", async () => {
    const { store, proxy } = await openProxiedStore(server, { maxPendingCommands: 3, commandTimeoutMs: 500 });
    proxy.pause();
    const waiting = Promise.allSettled([store.ping(), store.ping(), store.ping()]);
    await expect(store.ping()).rejects.toThrow("too many commands are waiting (limit: 3)");
    expect((await waiting).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    proxy.resume();
    await untilUp(store);
  });

  test("an append whose response was lost is repeated, without a second event", async () => {
    const { store, proxy } = await openProxiedStore(server, { prefix: "append", commandTimeoutMs: 20_000 });
    const peer = await openTestStore({ url: server.url, prefix: "append" });
    proxy.loseResponses();
    const appended = store.events.append("stream", "once");
    await expect.poll(() => peer.events.read("stream"), BACK).toMatchObject({ events: [{ event: "once" }] });
    proxy.cut();
    const id = await appended;
    expect(await peer.events.read("stream")).toEqual({ ok: true, events: [{ id, event: "once" }] });
  });

  test("a comparison whose response was lost still reports its success", async () => {
    const { store, proxy } = await openProxiedStore(server, { prefix: "compare", commandTimeoutMs: 20_000 });
    const peer = await openTestStore({ url: server.url, prefix: "compare" });
    for (const kind of ["values", "sessions"] as const) {
      proxy.loseResponses();
      const swapped = store[kind].compareAndSet("key", null, { value: "mine" });
      await expect.poll(() => peer[kind].get("key"), BACK).toMatchObject({ value: "mine" });
      proxy.cut();
      expect(await swapped).toBe(true);
    }
  });

  test("commands that must not run twice fail if their response was lost", async () => {
    const { store, proxy } = await openProxiedStore(server, { prefix: "once", commandTimeoutMs: 20_000 });
    const peer = await openTestStore({ url: server.url, prefix: "once" });
    const heard: string[] = [];
    await peer.bus.subscribe("news", (message) => void heard.push(message));
    proxy.loseResponses();
    const failed = Promise.allSettled([
      store.rateLimits.consume("key", 3, RULE),
      store.bus.publish("news", "once"),
    ]);
    await expect.poll(() => peer.rateLimits.peek("key", RULE), BACK).toMatchObject({ remaining: 7 });
    await expect.poll(() => heard, BACK).toEqual(["once"]);
    proxy.cut();
    expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await store.bus.publish("news", "after");
    await expect.poll(() => heard, BACK).toEqual(["once", "after"]);
    expect(await peer.rateLimits.peek("key", RULE)).toMatchObject({ remaining: 7 });
  });

  test("a lost connection restores its subscriptions and reports a gap to each of them", async () => {
    const { store, proxy } = await openProxiedStore(server, { prefix: "gaps" });
    const peer = await openTestStore({ url: server.url, prefix: "gaps" });
    const heard: string[] = [];
    const gaps: string[] = [];
    const listen = (channel: string) =>
      store.bus.subscribe(channel, (message) => void heard.push(message), {
        onGap: () => {
          gaps.push(channel);
          throw new Error("thrown by a listener");
        },
      });
    await listen("one");
    await listen("two");
    const stop = await listen("three");
    await stop();
    expect(gaps).toEqual([]);
    proxy.cut();
    await expect.poll(() => gaps, BACK).toEqual(["one", "two"]);
    await peer.bus.publish("one", "a");
    await peer.bus.publish("two", "b");
    await peer.bus.publish("three", "c");
    await peer.bus.publish("one", "d");
    await expect.poll(() => heard, BACK).toEqual(["a", "b", "d"]);
  });

  test("a connection for subscriptions that was lost without notice is replaced", async () => {
    const { store, proxy } = await openProxiedStore(server, { commandTimeoutMs: 200 });
    let gaps = 0;
    await store.bus.subscribe("news", () => undefined, { onGap: () => gaps++ });
    proxy.loseResponses();
    const before = proxy.connections;
    // Only the heartbeat can notice it: nothing else is sent over this connection.
    await expect.poll(() => proxy.connections, { timeout: 20_000, interval: 5 }).not.toBe(before);
    proxy.cut();
    await expect.poll(() => gaps, BACK).toBe(1);
  });

  test("subscribing fails in time while Redis is away", async () => {
    const { store, proxy } = await openProxiedStore(server, { commandTimeoutMs: 200 });
    proxy.refuse();
    proxy.cut();
    await expect(store.bus.subscribe("news", () => undefined)).rejects.toThrow(UNAVAILABLE);
    await expect(store.bus.publish("news", "a")).rejects.toThrow(UNAVAILABLE);
    proxy.accept();
    await untilUp(store);
    const heard: string[] = [];
    const listen = () => store.bus.subscribe("news", (message) => void heard.push(message));
    await expect.poll(() => listen().then(() => "subscribed", String), BACK).toBe("subscribed");
    await store.bus.publish("news", "b");
    await expect.poll(() => heard, BACK).toEqual(["b"]);
  });

  test("slow responses arrive", async () => {
    const { store, proxy } = await openProxiedStore(server);
    proxy.delay(50);
    await store.values.set("key", "slow");
    expect((await store.values.get("key"))?.value).toBe("slow");
  });

  test("commands that wait for a connection fail when the store is closed", async () => {
    const proxy = await startFaultProxy(server);
    onTestFinished(() => proxy.close());
    const url = `redis://${proxy.host}:${proxy.port}`;
    const { store, close } = await openStore({ url, commandTimeoutMs: 60_000 });
    proxy.refuse();
    proxy.cut();
    const waiting = Promise.allSettled([store.ping(), store.bus.subscribe("news", () => undefined)]);
    await close();
    expect((await waiting).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(store.ping()).rejects.toThrow("is not available: the store is not open.");
  });
});
