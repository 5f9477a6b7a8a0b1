import { randomUUID } from "node:crypto";
import { redis, type RedisNode } from "@tenon/redis";
import { Redis } from "ioredis";
import { defineServer } from "tenon";
import { serve } from "tenon/node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { allMessages, messagesOf, readEvents } from "../../../tests/support/http-events.js";
import { openSession } from "../../../tests/support/http-messages.js";
import { request } from "../../../tests/support/requests.js";
import { type RedisCluster, startRedisCluster } from "../../../tools/redis-cluster.js";
import { REDIS_INSTALL_MS } from "../../../tools/redis-server.js";
import {
  logged,
  moveTo,
  startNode,
  type TestNode,
  text,
} from "../../tenon/tests/support/session/shared/nodes.js";
import { noRedis, openTestStore } from "./support/fixture.js";

const BACK = { timeout: 20_000, interval: 50 };

describe.skipIf(noRedis !== undefined)("the store on a Redis Cluster", { timeout: 60_000 }, () => {
  let cluster: RedisCluster;
  let nodes: readonly RedisNode[];
  beforeAll(async () => {
    cluster = await startRedisCluster();
    nodes = cluster.nodes.map(({ host, port }) => ({ host, port }));
  }, REDIS_INSTALL_MS);
  afterAll(() => cluster.stop());

  test("records, events, and counters are spread over the nodes, and every script finds its keys", async () => {
    const prefix = randomUUID();
    const store = await openTestStore({ cluster: nodes, prefix });
    const peer = await openTestStore({ cluster: nodes.slice(-1), prefix });
    const names = Array.from({ length: 60 }, (_, index) => `${index} name`);
    const rule = { limit: 2, windowMs: 60_000 };
    await Promise.all(
      names.map(async (name) => {
        await store.values.set(name, `value of ${name}`);
        expect(await store.values.compareAndSet(name, null, { value: "x" })).toBe(false);
        expect(await store.sessions.compareAndSet(name, null, { value: name, ttlMs: 60_000 })).toBe(true);
        expect(await store.sessions.touch(name, 70_000)).toBe(true);
        const id = await store.events.append(name, "a");
        await store.events.append(name, "b");
        expect(await peer.events.read(name, id)).toMatchObject({ ok: true, events: [{ event: "b" }] });
        expect(await store.rateLimits.consume(name, 1, rule)).toMatchObject({ allowed: true, remaining: 1 });
        expect((await peer.values.get(name))?.value).toBe(`value of ${name}`);
        expect((await peer.sessions.get(name))?.value).toBe(name);
        expect(await peer.events.delete(name)).toBe(true);
        expect(await peer.sessions.delete(name)).toBe(true);
      }),
    );
    expect(await peer.secrets()).toEqual(await store.secrets());
  });

  test("messages from one publisher reach subscribers on every node in order", async () => {
    const prefix = randomUUID();
    const publisher = await openTestStore({ cluster: nodes, prefix });
    const heard: string[][] = [];
    for (const node of nodes) {
      const messages: string[] = [];
      heard.push(messages);
      const store = await openTestStore({ cluster: [node], prefix });
      await store.bus.subscribe("news", (message) => void messages.push(message));
    }
    const sent = Array.from({ length: 200 }, (_, index) => String(index));
    await Promise.all(sent.map((message) => publisher.bus.publish("news", message)));
    for (const messages of heard) await expect.poll(() => messages, BACK).toEqual(sent);
  });

  test("the limit for sessions is divided among the shards", async () => {
    const store = await openTestStore({ cluster: nodes, maxSessions: 64 });
    const names = Array.from({ length: 200 }, () => randomUUID());
    for (const name of names) await store.sessions.set(name, "a", { ttlMs: 60_000 });
    const entries = await Promise.all(names.map((name) => store.sessions.get(name)));
    const kept = entries.filter((entry) => entry !== undefined).length;
    expect(kept).toBeGreaterThan(48);
    expect(kept).toBeLessThanOrEqual(64);
  });

  test("the sessions of an owner are counted in one shard, so its limit is exact", async () => {
    const store = await openTestStore({ cluster: nodes });
    for (const owner of ["aa", "bb", "cc", "dd"]) {
      for (let number = 1; number <= 7; number++) {
        const key = `${owner}${randomUUID()}`;
        const { displaced } = await store.sessions.create(key, {
          value: "a",
          ttlMs: 60_000 + number,
          owner,
          maxPerOwner: 5,
          label: key,
        });
        expect(displaced).toHaveLength(number > 5 ? 1 : 0);
      }
    }
  });

  test("sessions, their streams, and subscriptions work on all nodes", async () => {
    const prefix = randomUUID();
    const start = async (node: RedisNode) =>
      startNode({ store: await openTestStore({ cluster: [node], prefix }) });
    const started = await Promise.all(nodes.map(start));
    const [a, b, c] = started as [TestNode, TestNode, TestNode]; // Safe: a cluster has three nodes
    const uris = Array.from({ length: 10 }, (_, index) => `test://item/${index}`);
    const runs = Array.from({ length: 6 }, async () => {
      const client = await openSession(a.endpoint);
      const stream = readEvents(await moveTo(b, client).get());
      const subscribed = uris.map((uri, index) =>
        moveTo(started[index % 3] ?? a, client).post(request("resources/subscribe", { uri }, uri)),
      );
      for (const response of await Promise.all(subscribed)) expect(response.status).toBe(200);
      const call = readEvents(await moveTo(c, client).call("count", { to: 3 }));
      const first = await call.next();
      await call.cut();
      const resumed = await allMessages(await client.get(first?.id));
      expect(resumed).toEqual([
        logged(1),
        logged(2),
        logged(3),
        { jsonrpc: "2.0", id: 1, result: text("done") },
      ]);
      return { client, stream };
    });
    const sessions = await Promise.all(runs);
    for (const uri of uris) await c.server.resourceUpdated(uri);
    for (const { client, stream } of sessions) {
      const updates: unknown[] = [];
      while (updates.length < uris.length) updates.push((await stream.message())["params"]);
      expect(updates).toEqual(uris.map((uri) => ({ uri })));
      expect((await moveTo(c, client).end()).status).toBe(204);
      expect(messagesOf(await stream.rest())).toEqual([]);
      expect((await moveTo(a, client).call("echo", { text: "hi" })).status).toBe(404);
    }
  });

  test("readiness fails while any of the nodes is full", async () => {
    const store = redis({
      cluster: nodes,
      prefix: randomUUID(),
      commandTimeoutMs: 1_000,
      keys: ["k".repeat(32)],
    });
    const server = defineServer({ name: "ready", version: "1.0.0", log: () => undefined });
    const running = await serve(server, { port: 0, store, banner: false, signals: false });
    onTestFinished(() => running.close());
    const readiness = async () => (await fetch(new URL("/readyz", running.url))).status;
    await expect.poll(readiness, BACK).toBe(200);
    for (const { url } of cluster.nodes) {
      const administrator = new Redis(url);
      await administrator.config("SET", "maxmemory", "1");
      await expect.poll(readiness, BACK).toBe(503);
      await administrator.config("SET", "maxmemory", "0");
      await expect.poll(readiness, BACK).toBe(200);
      administrator.disconnect();
    }
  });

  test("when a node fails, commands fail in time, and everything works again after it was restarted", async () => {
    const store = await openTestStore({ cluster: nodes, commandTimeoutMs: 1_000 });
    let gaps = 0;
    const heard: string[] = [];
    await store.bus.subscribe("news", (message) => void heard.push(message), { onGap: () => gaps++ });
    const names = Array.from({ length: 30 }, (_, index) => `name ${index}`);
    for (const name of names) await store.values.set(name, "kept");
    // The connection for subscriptions goes to the first node.
    await cluster.nodes[0]?.kill();
    const outcomes = await Promise.allSettled(names.map((name) => store.values.get(name)));
    expect(outcomes.map(({ status }) => status)).toContain("rejected");
    // Meanwhile, subscriptions move to another node.
    await expect.poll(() => gaps, BACK).toBeGreaterThan(0);
    await cluster.nodes[0]?.restart();
    const readAll = () => Promise.all(names.map(async (name) => (await store.values.get(name))?.value));
    await expect
      .poll(() => readAll().then((values) => new Set(values), String), BACK)
      .toEqual(new Set(["kept"]));
    await store.bus.publish("news", "after");
    await expect.poll(() => heard, BACK).toContain("after");
  });
});
