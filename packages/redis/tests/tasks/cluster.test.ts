import { createTaskRecord } from "tenon/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RedisCluster, startRedisCluster } from "../../../../tools/redis-cluster.js";
import { REDIS_INSTALL_MS } from "../../../../tools/redis-server.js";
import { noRedis } from "../support/fixture.js";
import { createPrefix, openNode } from "../support/tasks/engines.js";

let redisCluster: RedisCluster | undefined;

beforeAll(async () => {
  if (noRedis === undefined) redisCluster = await startRedisCluster();
}, REDIS_INSTALL_MS + 60_000);
afterAll(() => redisCluster?.stop());

test.skipIf(noRedis !== undefined)(
  "tasks of several principals and servers run on a Redis Cluster, and are watched there",
  async () => {
    const prefix = createPrefix();
    const cluster = redisCluster?.nodes.map(({ host, port }) => ({ host, port })) ?? [];
    const limits = { concurrencyPerPrincipal: 2 };
    const names = ["one", "two", "three"];
    const nodes = await Promise.all(names.map((name) => openNode({ cluster, prefix, limits, server: name })));
    const done = new Map<string, string[]>();
    let calls = 0;
    for (const [n, { engine }] of nodes.entries()) {
      const own: string[] = [];
      done.set(names[n] ?? "", own);
      await engine.watch("task-0", () => calls++);
      engine.work({
        async run(taskId) {
          const stored = await engine.read(taskId);
          if (stored === undefined) throw new Error("The task was lost.");
          const record = { ...stored.record, status: "completed" as const };
          await engine.write({ record, expectedVersion: stored.version });
          own.push(taskId);
        },
        report: (error) => expect.unreachable(String(error)),
      });
    }
    const ids = Array.from({ length: 30 }, (_, n) => `task-${n}`);
    for (const { engine } of nodes) {
      for (const [n, taskId] of ids.entries())
        await engine.create(createTaskRecord(Date.now(), { taskId, principal: `principal ${n % 5}` }));
    }
    for (const own of done.values()) await expect.poll(() => own.toSorted()).toEqual(ids.toSorted());
    await expect.poll(() => calls).toBe(nodes.length);
    for (const { engine } of nodes)
      await expect.poll(() => engine.countTasks()).toEqual({ queued: 0, active: 0, stored: 30 });
    for (const node of nodes) await node.close();
  },
);
