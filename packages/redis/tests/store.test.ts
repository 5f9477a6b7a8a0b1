import { Redis } from "ioredis";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createTaskRecord } from "tenon/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../tools/redis-server.js";
import { noRedis, openStore, openTestStore } from "./support/fixture.js";

describe.skipIf(noRedis !== undefined)("the store on a real Redis", { timeout: 60_000 }, () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  }, REDIS_INSTALL_MS);
  afterAll(() => server.stop());

  /** Returns all keys of a prefix. */
  async function readKeys(prefix: string): Promise<string[]> {
    const client = new Redis(server.url);
    try {
      return await client.keys(`${prefix}:*`);
    } finally {
      client.disconnect();
    }
  }

  test("a well configured Redis causes no warnings, and the store is usable until its last user closes it", async () => {
    const { store, warnings, close } = await openStore({ url: server.url });
    const closeAgain = await store.open((warning) => expect.fail(warning));
    expect(warnings).toEqual([]);
    await close();
    await close();
    await store.ping();
    await closeAgain();
    await expect(store.ping()).rejects.toThrow("the store is not open");
    const closeLast = await store.open(() => undefined);
    await store.values.set("key", "opened again");
    expect((await store.values.get("key"))?.value).toBe("opened again");
    await closeLast();
  });

  test("servers with different prefixes share a Redis, and those with the same prefix share their data", async () => {
    const prefix = randomUUID();
    const [one, same, other] = [
      await openTestStore({ url: server.url, prefix }),
      await openTestStore({ url: server.url, prefix }),
      await openTestStore({ url: server.url, prefix: `${prefix}:other` }),
    ];
    const heard: string[] = [];
    await other.bus.subscribe("news", (message) => void heard.push(message));
    await one.values.set("key", "a");
    await one.sessions.set("key", "b");
    const id = await one.events.append("stream", "c");
    await one.bus.publish("news", "d");
    await one.rateLimits.consume("key", 1, { limit: 2, windowMs: 60_000 });
    expect((await same.values.get("key"))?.value).toBe("a");
    expect((await same.sessions.get("key"))?.value).toBe("b");
    expect(await same.events.read("stream")).toEqual({ ok: true, events: [{ id, event: "c" }] });
    expect(await other.values.get("key")).toBeUndefined();
    expect(await other.sessions.get("key")).toBeUndefined();
    expect(await other.events.read("stream")).toEqual({ ok: true, events: [] });
    expect(await other.rateLimits.peek("key", { limit: 2, windowMs: 60_000 })).toBeUndefined();
    expect(await other.secrets()).not.toEqual(await one.secrets());
    await other.bus.publish("news", "e");
    await expect.poll(() => heard).toEqual(["e"]);
  });

  test("keys do not contain the names of sessions, and streams and windows expire", async () => {
    const prefix = randomUUID();
    const store = await openTestStore({ url: server.url, prefix, events: { ttlMs: 60_000 } });
    await store.sessions.create("session-id", {
      value: "a",
      ttlMs: 60_000,
      owner: "owner-id",
      maxPerOwner: 9,
    });
    await store.values.set("session-id", "a", { ttlMs: 60_000 });
    await store.events.append("session-id", "a");
    await store.rateLimits.consume("session-id", 1, { limit: 2, windowMs: 60_000 });
    const keys = await readKeys(prefix);
    expect(keys).toHaveLength(9);
    expect(keys.join()).not.toMatch(/session-id|owner-id/);
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    const endless = [];
    for (const key of keys) if ((await client.pttl(key)) < 0) endless.push(key);
    // The lists of a shard have at most as many members as the shard has sessions.
    const shard = `${prefix}:session:{session-0}`;
    expect(endless.map((key) => key.replace(/(owner:).+/, "$1")).toSorted()).toEqual(
      ["expiries", "owner:", "ranks", "total"].map((name) => `${shard}:${name}`),
    );
  });

  test("a database number and a Unix socket are used", async () => {
    const path = join(server.folder, "redis.sock");
    const local = await startRedis({ args: ["--unixsocket", path] });
    onTestFinished(() => local.stop());
    const prefix = randomUUID();
    const first = await openTestStore({ url: path, prefix });
    const third = await openTestStore({ url: `${local.url}/3`, prefix });
    await first.values.set("key", "in database 0");
    expect(await third.values.get("key")).toBeUndefined();
    const same = await openTestStore({ url: local.url, prefix });
    expect((await same.values.get("key"))?.value).toBe("in database 0");
  });

  test("at the limit, a new session replaces the one that was idle longest", async () => {
    const prefix = randomUUID();
    const store = await openTestStore({ url: server.url, prefix, maxSessions: 3 });
    const ttlMs = 60_000;
    await store.sessions.set("a", "1", { ttlMs });
    await store.sessions.set("b", "1", { ttlMs: ttlMs + 10 });
    await store.sessions.set("c", "1", { ttlMs: ttlMs + 20 });
    expect(await store.sessions.touch("a", ttlMs + 30)).toBe(true);
    // A session that exists needs no room.
    await store.sessions.set("c", "2", { ttlMs: ttlMs + 20 });
    expect(await store.sessions.compareAndSet("d", null, { value: "1", ttlMs: ttlMs + 40 })).toBe(true);
    const left = await Promise.all(["a", "b", "c", "d"].map((key) => store.sessions.get(key)));
    expect(left.map((entry) => entry?.value)).toEqual(["1", undefined, "2", "1"]);
    // A deleted session makes room too.
    await store.sessions.delete("c");
    await store.sessions.set("e", "1", { ttlMs: ttlMs + 50 });
    expect((await store.sessions.get("a"))?.value).toBe("1");
    // Three records and four lists.
    expect(await readKeys(prefix)).toHaveLength(7);
  });

  test("expired sessions make room before one in use, and are not counted", async () => {
    const prefix = randomUUID();
    const store = await openTestStore({ url: server.url, prefix, maxSessions: 3 });
    await store.sessions.set("used", "1", { ttlMs: 60_000 });
    await store.sessions.set("short", "1", { ttlMs: 1 });
    await store.sessions.set("brief", "1", { ttlMs: 1 });
    for (const key of ["short", "brief"]) await expect.poll(() => store.sessions.get(key)).toBeUndefined();
    await store.sessions.set("new", "1", { ttlMs: 120_000 });
    expect((await store.sessions.get("used"))?.value).toBe("1");
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    expect(await client.get(`${prefix}:session:{session-0}:total`)).toBe("2");
  });

  test("the lists of sessions stay complete, and disappear with the sessions", async () => {
    const prefix = randomUUID();
    const store = await openTestStore({ url: server.url, prefix, maxSessions: 20 });
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    const shard = `${prefix}:session:{session-0}`;
    for (let number = 0; number < 100; number++) {
      const owner = `o${number % 7}`;
      const key = `${owner}-${number}`;
      const ttlMs = number % 5 === 0 ? 1 : 60_000 + number;
      await store.sessions.create(key, { value: "", ttlMs, owner, maxPerOwner: 4 });
      if (number % 3 === 0) await store.sessions.touch(key, 90_000);
      if (number % 4 === 0) await store.sessions.delete(key);
    }
    const lists = (await readKeys(prefix)).filter((key) => key.includes(":owner:"));
    const sizes = await Promise.all(lists.map((key) => client.zcard(key)));
    const owners = lists.map((key) => key.slice(key.lastIndexOf(":") + 1)).toSorted();
    expect(await client.get(`${shard}:total`)).toBe(String(sizes.reduce((sum, size) => sum + size, 0)));
    expect((await client.zrange(`${shard}:ranks`, "0", "-1")).toSorted()).toEqual(owners);
    expect((await client.zrange(`${shard}:expiries`, "0", "-1")).toSorted()).toEqual(owners);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
    for (let number = 0; number < 100; number++) await store.sessions.delete(`o${number % 7}-${number}`);
    // Sessions that expired are forgotten when the next one is created.
    await store.sessions.create("last", { value: "", ttlMs: 60_000 });
    await store.sessions.delete("last");
    expect(await readKeys(prefix)).toEqual([`${shard}:total`]);
    expect(await client.get(`${shard}:total`)).toBe("0");
  });

  test("all nodes get the same secret from Redis, with a warning, or their own keys without one", async () => {
    const prefix = randomUUID();
    const nodes = [
      await openStore({ url: server.url, prefix }),
      await openStore({ url: server.url, prefix }),
      await openStore({ url: server.url, prefix, keys: ["k".repeat(32), new Uint8Array(40)] }),
    ];
    const secrets = await Promise.all(nodes.map(({ store }) => store.secrets()));
    expect(secrets[0]?.map(({ length }) => length)).toEqual([32]);
    expect(secrets[1]).toEqual(secrets[0]);
    expect(secrets[2]).toEqual([new TextEncoder().encode("k".repeat(32)), new Uint8Array(40)]);
    expect(nodes.map(({ warnings }) => warnings.length)).toEqual([1, 1, 0]);
    expect(nodes[0]?.warnings[0]).toBe(
      `The secret that encrypts the records is stored in Redis at 127.0.0.1:${server.port}, so a copy of its data is ` +
        "enough to read them. Set `keys` of `redis`, or `state.keys` of the server.",
    );
    await Promise.all(nodes.map(({ close }) => close()));
  });

  test("tasks are counted once, however many engines of a server a process has", async () => {
    const store = await openTestStore({ url: server.url });
    const sealer = { seal: async (text: string) => text, open: async (sealed: string) => sealed };
    const limits = {
      concurrency: 1,
      concurrencyPerPrincipal: 1,
      maxTasks: 10,
      maxTasksPerPrincipal: 10,
      maxTotalBytes: 1_048_576,
    };
    const engines = ["a", "a", "b"].map((name) => store.createTaskEngine({ server: name, sealer, limits }));
    onTestFinished(async () => void (await Promise.all(engines.map((engine) => engine.close()))));
    for (const engine of engines.slice(1)) await engine.create(createTaskRecord(Date.now(), { taskId: "1" }));
    await expect.poll(() => store.countTasks?.()).toEqual({ queued: 2, active: 0, stored: 2 });
  });

  test("the number of subscriptions is limited", async () => {
    const store = await openTestStore({ url: server.url, maxSubscriptions: 2 });
    const stop = await store.bus.subscribe("a", () => undefined);
    await store.bus.subscribe("a", () => undefined);
    await expect(store.bus.subscribe("b", () => undefined)).rejects.toMatchObject({ code: "full" });
    await stop();
    await store.bus.subscribe("b", () => undefined);
  });

  test.each([
    {
      title: "evicts keys",
      options: { maxMemoryPolicy: "allkeys-lru" },
      warning: "evicts keys when its memory is full (maxmemory-policy: allkeys-lru)",
    },
    {
      title: "does not write its data to disk",
      options: { appendOnly: false },
      warning: "does not write its data to disk",
    },
    {
      title: "only takes snapshots",
      options: { appendOnly: false, args: ["--save", "60 1"] },
      warning: "writes its data to disk only from time to time",
    },
  ])("a Redis that $title causes a warning", async ({ options, warning }) => {
    const risky = await startRedis(options);
    onTestFinished(() => risky.stop());
    const { warnings, close } = await openStore({ url: risky.url });
    await close();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`Redis at 127.0.0.1:${risky.port} ${warning}`);
  });

  test("writes to a Redis without memory are rejected as to a full store", async () => {
    const tiny = await startRedis({ args: ["--maxmemory", "1"] });
    onTestFinished(() => tiny.stop());
    const store = await openTestStore({ url: tiny.url });
    await expect(store.values.set("key", "a")).rejects.toMatchObject({ name: "StoreError", code: "full" });
    await expect(store.sessions.set("key", "a")).rejects.toMatchObject({ code: "full" });
    await expect(store.events.append("stream", "a")).rejects.toMatchObject({ code: "full" });
  });
});
