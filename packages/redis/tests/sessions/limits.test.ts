import { Redis } from "ioredis";
import { randomUUID } from "node:crypto";
import type { HttpOptions } from "tenon/fetch";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readEvents } from "../../../../tests/support/http-events.js";
import type { Endpoint } from "../../../../tests/support/http-faces.js";
import { type LegacyClient, openSession } from "../../../../tests/support/http-messages.js";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../../tools/redis-server.js";
import { moveTo, rotate, startNode } from "../../../tenon/tests/support/session/shared/nodes.js";
import { noRedis, openTestStore } from "../support/fixture.js";

const as = (user: string) => ({ "x-user": user });

const openMany = async (endpoint: Endpoint, headers: Readonly<Record<string, string>>, count: number) => {
  const clients: LegacyClient[] = [];
  for (let number = 0; number < count; number++) clients.push(await openSession(endpoint, { headers }));
  return clients;
};

const countAlive = async (clients: readonly LegacyClient[]) => {
  const replies = await Promise.all(clients.map((client) => client.call("echo", { text: "hi" })));
  return replies.filter(({ status }) => status === 200).length;
};

describe.skipIf(noRedis !== undefined)("the limits of sessions on a real Redis", { timeout: 120_000 }, () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  }, REDIS_INSTALL_MS);
  afterAll(() => server.stop());

  /** Starts two nodes with real sockets and connections of their own. */
  const startNodes = async (maxSessions: number, sessions: HttpOptions<unknown>["sessions"] = {}) => {
    const prefix = randomUUID();
    const start = async () =>
      startNode({
        store: await openTestStore({ url: server.url, prefix, maxSessions }),
        sockets: true,
        http: {
          sessions,
          trustedProxies: 1,
          authenticate: ({ header }) => {
            const principal = header("x-user");
            return typeof principal === "string" ? { auth: { principal, scopes: [] } } : {};
          },
        },
      });
    const [a, b] = [await start(), await start()];
    return { prefix, a, b, both: rotate([a, b]) };
  };

  test("a principal replaces its own sessions on all nodes, never those of others", async () => {
    const { both } = await startNodes(1_000, { maxSessionsPerPrincipal: 4 });
    const bobs = await openMany(both, as("bob"), 3);
    const adas = await openMany(both, as("ada"), 15);
    const strangers = await openMany(both, { "x-forwarded-for": "ada, 192.0.2.1" }, 7);
    expect([await countAlive(bobs), await countAlive(adas), await countAlive(strangers)]).toEqual([3, 4, 4]);
    expect(await countAlive(await openMany(both, as("bob"), 1))).toBe(1);
    expect(await countAlive(bobs)).toBe(3);
  });

  test("a principal that fills Redis does not lock out another one or end its sessions", async () => {
    const { both } = await startNodes(10);
    const bobs = await openMany(both, as("bob"), 2);
    const adas = await openMany(both, as("ada"), 30);
    expect([await countAlive(bobs), await countAlive(adas)]).toEqual([2, 8]);
    bobs.push(...(await openMany(both, as("bob"), 2)));
    expect([await countAlive(bobs), await countAlive(adas)]).toEqual([4, 6]);
  });

  test("a session that was replaced ends on every node, with its streams and its events", async () => {
    const { prefix, a, b } = await startNodes(100, { maxSessionsPerPrincipal: 1 });
    const [ada] = await openMany(a.endpoint, as("ada"), 1);
    if (ada === undefined) return expect.fail("There is no session.");
    const main = readEvents(await moveTo(b, ada).get());
    expect((await ada.call("count", { to: 3 })).status).toBe(200);
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    const listEvents = () => client.keys(`${prefix}:event*`);
    await expect.poll(async () => (await listEvents()).length).toBeGreaterThan(0);
    await openMany(a.endpoint, as("ada"), 1);
    await main.rest();
    for (const node of [a, b])
      expect((await moveTo(node, ada).call("echo", { text: "hi" })).status).toBe(404);
    await expect.poll(async () => (await listEvents()).length).toBe(0);
    return undefined;
  });

  test("neither principals nor addresses are in Redis", async () => {
    const { prefix, both } = await startNodes(100);
    await openMany(both, as("ada@example.com"), 2);
    await openMany(both, { "x-forwarded-for": "192.0.2.77" }, 2);
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    const keys = await client.keys(`${prefix}:*`);
    const texts: string[] = [...keys];
    for (const key of keys) {
      const type = await client.type(key);
      if (type === "string") texts.push((await client.get(key)) ?? "");
      if (type === "zset") texts.push(...(await client.zrange(key, "0", "-1")));
    }
    expect(keys.filter((key) => key.includes(":owner:"))).toHaveLength(2);
    expect(texts.join("\n")).not.toMatch(/ada@example|192\.0\.2\.77/);
  });
});
