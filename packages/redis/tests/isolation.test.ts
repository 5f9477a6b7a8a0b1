import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { createTaskRecord } from "tenon/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { read } from "../../../tests/support/http-faces.js";
import { openSession } from "../../../tests/support/http-messages.js";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../tools/redis-server.js";
import {
  CROWDS,
  fillWithTasks,
  fillWithValues,
  MAX_BYTES,
  MAX_COUNT,
} from "../../tenon/tests/support/isolation/greedy-cases.js";
import { expectNewScopesApply, expectResultsApart } from "../../tenon/tests/support/isolation/keyed-calls.js";
import { moveTo, startNode } from "../../tenon/tests/support/session/shared/nodes.js";
import { noRedis, openTestStore } from "./support/fixture.js";
import { createPrefix, openNode } from "./support/tasks/engines.js";

describe.skipIf(noRedis !== undefined)("on a real Redis", { timeout: 60_000 }, () => {
  let server: RedisServer;
  let client: Redis;
  beforeAll(async () => {
    server = await startRedis();
    client = new Redis(server.url);
  }, REDIS_INSTALL_MS);
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  const open = async (prefix = createPrefix()) => {
    const limits = { maxTotalBytes: MAX_BYTES, maxTasks: MAX_COUNT };
    const node = await openNode({ url: server.url, prefix, limits });
    onTestFinished(() => node.close());
    return { node, root: `${prefix}:{tasks:contract}` };
  };

  test("a session does not exist for a server with a different name, the same prefix, and the same secret", async () => {
    const prefix = randomUUID();
    const start = async (name: string) =>
      startNode({ store: await openTestStore({ url: server.url, prefix }), server: { name } });
    const [one, same, two] = await Promise.all([start("one"), start("one"), start("two")]);
    const session = await openSession(one.endpoint);
    const foreign = moveTo(two, session);
    for (const use of ["call", "get", "end"] as const) {
      const refused = await foreign[use]("echo");
      expect(refused.status).toBe(404);
      expect(await read(refused)).toMatchObject({
        body: { error: { message: "Session not found. Send `initialize` to open a new session." } },
      });
    }
    expect((await moveTo(same, session).call("echo", { text: "hi" })).status).toBe(200);
  });

  test("the result of an idempotency key is only for callers of the same tool of the same server", async () => {
    await expectResultsApart(await openTestStore({ url: server.url }));
    await expectNewScopesApply(await openTestStore({ url: server.url }));
  });

  describe.each(CROWDS)("$title", (crowd) => {
    test("cannot take the memory for all tasks", async () => {
      const { node } = await open();
      await fillWithTasks(node.engine, crowd);
    });

    test("cannot fill the store of values", async () => {
      const limits = { maxValueBytes: MAX_BYTES, maxValues: MAX_COUNT };
      await fillWithValues((await openTestStore({ url: server.url, ...limits })).values, crowd);
    });
  });

  test("the size of an owner's tasks is counted again if nodes with an earlier version did not update it", async () => {
    const { node, root } = await open();
    const create = (taskId: string) =>
      node.engine.create(createTaskRecord(Date.now(), { taskId, principal: "ada", bytes: 10_000 }));
    await create("first");
    const [owner = ""] = await client.hkeys(`${root}:shares`);
    expect(await client.hget(`${root}:shares`, owner)).toBe("10000");
    await client.hset(`${root}:shares`, owner, String(MAX_BYTES));
    await create("second");
    expect(await client.hget(`${root}:shares`, owner)).toBe("20000");
    await client.hdel(`${root}:shares`, owner);
    await create("third");
    expect(await client.hget(`${root}:shares`, owner)).toBe("30000");
  });

  test("a task of such an owner is not rejected when it grows", async () => {
    const { node, root } = await open();
    const record = createTaskRecord(Date.now(), { taskId: "task", principal: "ada", bytes: 10_000 });
    await node.engine.create(record);
    const [owner = ""] = await client.hkeys(`${root}:shares`);
    await client.hset(`${root}:shares`, owner, String(MAX_BYTES));
    const { version = "" } = (await node.engine.read("task")) ?? {};
    const larger = { ...record, bytes: 20_000 };
    expect(await node.engine.write({ record: larger, expectedVersion: version })).toBe(true);
    expect(await client.hget(`${root}:shares`, owner)).toBe("20000");
  });

  test("tasks and values that have expired leave nothing behind in the counts", async () => {
    const { node, root } = await open();
    const deleteAt = Date.now() + 200;
    for (const principal of ["ada", null])
      await node.engine.create(
        createTaskRecord(Date.now(), { taskId: `of ${principal}`, principal, deleteAt }),
      );
    await expect.poll(() => client.hlen(`${root}:shares`), { timeout: 20_000 }).toBe(0);
    expect(await client.get(`${root}:bytes`)).toBe("0");
    const prefix = randomUUID();
    const { values } = await openTestStore({ url: server.url, prefix });
    await values.set("short", "x", { ttlMs: 1, owner: "ada" });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await values.set("deleted", "x", { ttlMs: 60_000, owner: "bob" });
    expect(await values.delete("deleted")).toBe(true);
    const [entries, sizes] = (await client.keys(`${prefix}:value-shares:*`)).toSorted();
    // Only the total is left.
    expect(entries).toMatch(/:bytes$/);
    expect(sizes).toBeUndefined();
    expect(await client.get(entries ?? "")).toBe("0");
  });
});
