import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { type TaskEngine, TaskEngineError, type TaskRecord, type TaskWorker } from "tenon/tasks";
import { createTaskRecord } from "tenon/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startFaultProxy } from "../../../../tools/fault-proxy.js";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../../tools/redis-server.js";
import { RecordCodec } from "../../src/tasks/record-codec.js";
import { RedisCalls } from "../../src/tasks/redis-calls.js";
import { TaskScripts } from "../../src/tasks/task-scripts.js";
import { noRedis } from "../support/fixture.js";
import {
  createPrefix,
  createSealer,
  LIMITS,
  type NodeOptions,
  openNode,
  type TestNode,
} from "../support/tasks/engines.js";

let server: RedisServer | undefined;
const cleanUps: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  if (noRedis === undefined) server = await startRedis();
}, REDIS_INSTALL_MS + 60_000);
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});
afterAll(() => server?.stop());

async function open(options: Partial<NodeOptions> = {}): Promise<TestNode> {
  const node = await openNode({ url: server?.url ?? "", prefix: createPrefix(), ...options });
  cleanUps.push(() => node.close());
  return node;
}

async function create(engine: TaskEngine, members: Partial<TaskRecord> & { readonly taskId: string }) {
  await engine.create(createTaskRecord(Date.now(), members));
}

/** Replaces members of a record. */
async function change(engine: TaskEngine, taskId: string, members: Partial<TaskRecord>): Promise<boolean> {
  const stored = await engine.read(taskId);
  if (stored === undefined) throw new Error(`Task "${taskId}" was lost.`);
  return engine.write({ record: { ...stored.record, ...members }, expectedVersion: stored.version });
}

/** Worker that begins each run in the record, waits for the gate, and ends it. */
function startWorker({ engine }: TestNode, gate: Promise<void> = Promise.resolve()) {
  const log = { started: [] as string[], ended: [] as string[], reports: [] as unknown[] };
  const worker: TaskWorker = {
    async run(taskId) {
      log.started.push(taskId);
      await change(engine, taskId, { isRunning: true });
      await gate;
      await change(engine, taskId, { isRunning: false, status: "completed" });
      log.ended.push(taskId);
    },
    report: (error) => log.reports.push(error),
  };
  return Object.assign(log, { stop: engine.work(worker) });
}

function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  cleanUps.push(() => open());
  return { opened, open };
}

describe.skipIf(noRedis !== undefined)("a node that is cut off from Redis while others are not", () => {
  test.each([
    ["fail", "keeps", ["cut off"]],
    ["retry", "loses", ["cut off", "other"]],
  ] as const)("with the policy %s %s its task", { timeout: 60_000 }, async (onLostWorker, _verb, runs) => {
    const prefix = createPrefix();
    const proxy = await startFaultProxy({ port: server?.port ?? 0 });
    cleanUps.push(() => proxy.close());
    const node = await open({ url: `redis://${proxy.host}:${proxy.port}`, prefix });
    const other = await open({ prefix });
    const gate = createGate();
    const cutOff = startWorker(node, gate.opened);
    const policy = { onLostWorker, maxLostWorkers: 3, resultTtlMs: 300_000 };
    await create(node.engine, { taskId: "task", policy });
    // A run whose own write fails is repeated by any node, which is not what this test is about.
    await expect.poll(async () => (await node.engine.read("task"))?.record.isRunning).toBe(true);
    const taker = startWorker(other);
    proxy.refuse();
    proxy.cut();
    await sleep(8_000);
    proxy.accept();
    await expect
      .poll(() =>
        node.engine.read("task").then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    gate.open();
    await expect.poll(async () => (await other.engine.read("task"))?.record.status).toBe("completed");
    const ran = [...cutOff.started.map(() => "cut off"), ...taker.started.map(() => "other")];
    expect(ran).toEqual(runs);
  });
});

describe.skipIf(noRedis !== undefined)("a task is not lost", () => {
  test("if its node crashes after it stored the record and before it added the job", async () => {
    const node = await open();
    const root = `${node.options.prefix}:{tasks:contract}`;
    const scripts = new TaskScripts(new RedisCalls(node.link), root, LIMITS);
    const codec = new RecordCodec({ server: "contract", sealer: createSealer() });
    const record = createTaskRecord(Date.now(), { taskId: "task" });
    const { taskId, bytes, deleteAt } = record;
    const sealed = await codec.seal(record, "version");
    const task = {
      taskId,
      bytes,
      deleteAt,
      sealed,
      version: "version",
      owner: "",
      job: "job",
      patienceMs: "",
    } as const;
    expect(await scripts.create(task)).toBe("added");
    const { ended } = startWorker(node);
    await expect.poll(() => ended).toEqual(["task"]);
  });

  test("if Redis loses the queue", async () => {
    const node = await open();
    await create(node.engine, { taskId: "task" });
    await expect.poll(() => node.engine.countTasks()).toMatchObject({ queued: 1 });
    const keys = await node.link.client.keys(`*${node.options.prefix}*:jobs:*`);
    expect(keys.length).toBeGreaterThan(0);
    await node.link.client.del(...keys, `${node.options.prefix}:{tasks:contract}:pending`);
    expect(await node.engine.countTasks()).toMatchObject({ queued: 0, stored: 1 });
    const { ended } = startWorker(node);
    await expect.poll(() => ended).toEqual(["task"]);
  });

  test("if its run is rejected: it runs again later", async () => {
    const node = await open();
    const reports: unknown[] = [];
    let runs = 0;
    node.engine.work({
      async run() {
        if (++runs < 3) throw new Error(`failure ${runs}`);
      },
      report: (error) => reports.push(error),
    });
    await create(node.engine, { taskId: "task", principal: "ada" });
    await expect.poll(() => node.engine.countTasks()).toMatchObject({ queued: 0, active: 0 });
    expect([runs, reports.map(String)]).toEqual([3, ["Error: failure 1", "Error: failure 2"]]);
  });

  test("if its worker stops during a run: it is in the queue when the worker has stopped", async () => {
    const node = await open();
    const gate = createGate();
    let isBegun = false;
    const stop = node.engine.work({
      async run(taskId) {
        await change(node.engine, taskId, { isRunning: true });
        isBegun = true;
        await gate.opened;
      },
      report: (error) => expect.unreachable(String(error)),
    });
    await create(node.engine, { taskId: "task", principal: "ada" });
    await expect.poll(() => isBegun).toBe(true);
    const stopped = stop();
    gate.open();
    await stopped;
    const other = await open({ prefix: node.options.prefix });
    await expect.poll(() => other.engine.countTasks()).toMatchObject({ queued: 1, active: 0 });
    const { ended } = startWorker(other);
    await expect.poll(() => ended).toEqual(["task"]);
  });

  test("if its node closes during a run: another node takes it at once", async () => {
    const node = await open();
    const first = startWorker(node, createGate().opened);
    await create(node.engine, { taskId: "task" });
    await expect.poll(() => first.started).toEqual(["task"]);
    const other = await open({ prefix: node.options.prefix });
    const { ended } = startWorker(other);
    await node.engine.close();
    await expect.poll(() => ended).toEqual(["task"]);
    expect(first.ended).toEqual([]);
  });
});

describe.skipIf(noRedis !== undefined)("while Redis is away", () => {
  test("every method fails soon, the outage is reported once, and service returns by itself", async () => {
    const own = await startRedis();
    cleanUps.push(() => own.stop());
    const node = await open({ url: own.url });
    const { engine } = node;
    const { ended, reports } = startWorker(node);
    await create(engine, { taskId: "before" });
    await expect.poll(() => ended).toEqual(["before"]);
    const stored = await engine.read("before");
    await own.kill();
    const record = createTaskRecord(Date.now(), { taskId: "during" });
    const calls = {
      create: () => engine.create(record),
      read: () => engine.read("before"),
      write: () => engine.write({ record, expectedVersion: stored?.version ?? "" }),
      watch: () => engine.watch("before", () => undefined),
    };
    for (const call of Object.values(calls)) {
      const startedAt = performance.now();
      await expect(call()).rejects.toMatchObject({ name: "TaskEngineError", code: "unavailable" });
      // The limit for one command is 2 seconds. A busy machine may need more.
      expect(performance.now() - startedAt).toBeLessThan(8_000);
    }
    await own.restart();
    await expect
      .poll(() =>
        create(engine, { taskId: "after" }).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await expect.poll(() => ended).toEqual(["before", "after"]);
    expect(await engine.read("during")).toBeUndefined();
    expect(reports.length).toBe(1);
    expect(reports[0]).toBeInstanceOf(Error);
  });

  test("a worker stops and the engine closes", async () => {
    const own = await startRedis();
    cleanUps.push(() => own.stop());
    const node = await open({ url: own.url });
    const gate = createGate();
    const log = startWorker(node, gate.opened);
    await create(node.engine, { taskId: "task" });
    await expect.poll(() => log.started).toEqual(["task"]);
    await own.kill();
    const stopped = log.stop();
    gate.open();
    await stopped;
    await node.engine.close();
    await expect(create(node.engine, { taskId: "late" })).rejects.toThrow(TaskEngineError);
  });
});

describe.skipIf(noRedis !== undefined).each(["killed and restarted", "paused for 5 seconds"])(
  "if Redis is %s",
  (fault) => {
    test("running tasks are not taken from their node, and no task is lost", async () => {
      const own = await startRedis();
      cleanUps.push(() => own.stop());
      const first = await open({ url: own.url });
      const gate = createGate();
      const holder = startWorker(first, gate.opened);
      const held = Array.from({ length: 10 }, (_, n) => `held-${n}`);
      for (const taskId of held) await create(first.engine, { taskId });
      await expect.poll(() => holder.started.length).toBe(10);
      const queued = Array.from({ length: 100 }, (_, n) => `queued-${n}`);
      for (const taskId of queued) await create(first.engine, { taskId });
      const second = await open({ url: own.url, prefix: first.options.prefix });
      const other = startWorker(second);
      if (fault.startsWith("killed")) {
        await own.kill();
        await own.restart();
      } else {
        const since = performance.now();
        own.pause();
        cleanUps.push(() => own.resume());
        await expect.poll(() => performance.now() - since).toBeGreaterThan(5_000);
        own.resume();
      }
      // Long enough for both to find a lost node.
      const monitor = new Redis(own.url);
      cleanUps.push(() => monitor.disconnect());
      const [start] = await monitor.time();
      await expect.poll(async () => Number((await monitor.time())[0]) - Number(start)).toBeGreaterThan(5);
      gate.open();
      const ended = () => [...holder.ended, ...other.ended];
      await expect.poll(() => new Set(ended()).size).toBe(110);
      expect(holder.started.filter((taskId) => held.includes(taskId)).toSorted()).toEqual(held.toSorted());
      expect(other.started.filter((taskId) => held.includes(taskId))).toEqual([]);
      await expect.poll(() => second.engine.countTasks()).toMatchObject({ queued: 0, active: 0 });
    });
  },
);

test.skipIf(noRedis !== undefined)(
  "a handler does not see the asynchronous context of the code that started the worker",
  async () => {
    const storage = new AsyncLocalStorage<string>();
    const node = await open();
    const seen: unknown[] = [];
    storage.run("the first request", () => {
      node.engine.work({
        run: async () => void seen.push(storage.getStore()),
        report: (error) => expect.unreachable(String(error)),
      });
    });
    await storage.run("another request", () => create(node.engine, { taskId: "task" }));
    await expect.poll(() => seen).toEqual([undefined]);
  },
);
