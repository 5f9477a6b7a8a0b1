import { createTaskRecord } from "tenon/testing";
import type { TaskRecord } from "tenon/tasks";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../../tools/redis-server.js";
import { startWorker, type WorkerProcess } from "../support/tasks/processes.js";
import { noRedis } from "../support/fixture.js";
import { createPrefix, openNode, type TestNode } from "../support/tasks/engines.js";

let server: RedisServer | undefined;
const cleanUps: (() => Promise<void>)[] = [];

beforeAll(async () => {
  if (noRedis === undefined) server = await startRedis();
}, REDIS_INSTALL_MS + 60_000);
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});
afterAll(() => server?.stop());

const POLICIES = ["retry", "fail"] as const;
const IDS = POLICIES.flatMap((policy) => Array.from({ length: 8 }, (_, n) => `${policy}-${n}`));

describe.skipIf(noRedis !== undefined)("a worker process that holds 16 tasks", () => {
  test("is killed: another takes them over, `retry` tasks complete, and `fail` tasks fail", async () => {
    const { node, holder, other } = await setUp();
    const killedAt = Date.now();
    await holder.kill();
    const records = await waitUntilFinal(node);
    for (const { taskId, status, lostWorkers, result, error } of records) {
      expect(lostWorkers).toBe(1);
      if (taskId.startsWith("retry")) {
        expect([status, result]).toEqual(["completed", '{"by":"run","run":2}']);
      } else {
        expect([status, error?.message]).toEqual(["failed", "The worker stopped before the task finished."]);
      }
    }
    expect(other.runs.map(({ taskId }) => taskId).toSorted()).toEqual(IDS.toSorted());
    const retried = other.runs.filter(({ taskId }) => taskId.startsWith("retry"));
    const slowest = Math.max(...retried.map(({ at }) => at)) - killedAt;
    // The goal is 4 seconds. A busy machine may need more.
    expect(slowest).toBeLessThan(16_000);
    expect(other.reports).toEqual([]);
  });

  test("is frozen: another takes them over, and its late results are rejected", async () => {
    const { node, holder, other } = await setUp();
    holder.send("SIGSTOP");
    const records = await waitUntilFinal(node);
    holder.send("SIGCONT");
    holder.release();
    // It continues, and runs new tasks.
    const later: string[] = [];
    const runsLater = async () => {
      const taskId = `later-${later.length}`;
      later.push(taskId);
      await node.engine.create(createTaskRecord(Date.now(), { taskId, run: 1 }));
      return holder.runs.some((start) => start.taskId.startsWith("later"));
    };
    await expect.poll(runsLater).toBe(true);
    await expect.poll(async () => (await readAll(node, later)).every(isFinal)).toBe(true);
    expect(await readAll(node, IDS)).toEqual(records);
    expect(other.runs.filter(({ taskId }) => IDS.includes(taskId))).toHaveLength(IDS.length);
    // Its connections to Redis may have been closed in the meantime.
    expect(
      holder.reports.filter((report) => !/connection was lost|cannot use Redis now/.test(report)),
    ).toEqual([]);
  });
});

/** Starts a process that holds all tasks, and then another one. */
async function setUp(): Promise<{ node: TestNode; holder: WorkerProcess; other: WorkerProcess }> {
  const url = server?.url ?? "";
  const prefix = createPrefix();
  const node = await openNode({ url, prefix });
  cleanUps.push(() => node.close());
  const holder = await startWorker(url, prefix, "hold");
  cleanUps.push(() => holder.kill());
  for (const taskId of IDS) {
    const onLostWorker: TaskRecord["policy"]["onLostWorker"] = taskId.startsWith("retry") ? "retry" : "fail";
    const policy = { onLostWorker, maxLostWorkers: 3, resultTtlMs: 300_000 };
    await node.engine.create(createTaskRecord(Date.now(), { taskId, policy }));
  }
  await expect.poll(() => holder.runs.length).toBe(IDS.length);
  const other = await startWorker(url, prefix, "run");
  cleanUps.push(() => other.kill());
  return { node, holder, other };
}

async function waitUntilFinal(node: TestNode): Promise<readonly TaskRecord[]> {
  // Tasks that must not run twice fail when their node has been silent for half a minute.
  await expect.poll(async () => (await readAll(node, IDS)).every(isFinal), { timeout: 90_000 }).toBe(true);
  return readAll(node, IDS);
}

async function readAll({ engine }: TestNode, ids: readonly string[]): Promise<readonly TaskRecord[]> {
  const tasks = await Promise.all(ids.map((taskId) => engine.read(taskId)));
  return tasks.flatMap((task) => (task === undefined ? [] : [task.record]));
}

function isFinal({ status }: TaskRecord): boolean {
  return status !== "working";
}
