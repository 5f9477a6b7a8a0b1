import { Redis } from "ioredis";
import { type StoredTask, type TaskEngine, TaskEngineError, type TaskRecord } from "tenon/tasks";
import { createTaskRecord } from "tenon/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../../tools/redis-server.js";
import { noRedis } from "../support/fixture.js";
import {
  createPrefix,
  createSealer,
  type NodeOptions,
  openNode,
  type TestNode,
} from "../support/tasks/engines.js";

let server: RedisServer | undefined;
let client: Redis | undefined;
const cleanUps: (() => Promise<void>)[] = [];

beforeAll(async () => {
  if (noRedis === undefined) server = await startRedis();
  if (server !== undefined) client = new Redis(server.url);
}, REDIS_INSTALL_MS + 60_000);
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});
afterAll(async () => {
  client?.disconnect();
  await server?.stop();
});

function redis(): Redis {
  if (client === undefined) throw new Error("Redis is not running.");
  return client;
}

async function open(options: Partial<NodeOptions> = {}): Promise<TestNode> {
  const node = await openNode({ url: server?.url ?? "", prefix: createPrefix(), ...options });
  cleanUps.push(() => node.close());
  return node;
}

function keyOf({ options }: TestNode, taskId: string): string {
  return `${options.prefix}:{tasks:${options.server ?? "contract"}}:task:${taskId}`;
}

async function create(engine: TaskEngine, members: Partial<TaskRecord> & { readonly taskId: string }) {
  await engine.create(createTaskRecord(Date.now(), members));
}

describe.skipIf(noRedis !== undefined)("a record in Redis", () => {
  test("that was altered is not found, is reported once, and never runs", async () => {
    const node = await open();
    const ids = Array.from({ length: 300 }, (_, n) => `task-${n}`);
    for (const [n, taskId] of ids.entries()) {
      await create(node.engine, { taskId });
      const field = n % 3 === 0 ? "v" : "s";
      const text = (await redis().hget(keyOf(node, taskId), field)) ?? "";
      const position = (n * 37) % text.length;
      const changed = text[position] === "A" ? "B" : "A";
      const altered =
        n % 7 === 0 ? text.slice(0, -1) : text.slice(0, position) + changed + text.slice(position + 1);
      await redis().hset(keyOf(node, taskId), field, altered);
    }
    const started: string[] = [];
    const reports: unknown[] = [];
    node.engine.work({
      run: async (taskId) => void started.push(taskId),
      report: (error) => reports.push(error),
    });
    for (const taskId of ids) expect(await node.engine.read(taskId)).toBeUndefined();
    await create(node.engine, { taskId: "sentinel" });
    await expect.poll(() => started).toEqual(["sentinel"]);
    for (const taskId of ids) expect(await node.engine.read(taskId)).toBeUndefined();
    await expect.poll(() => reports.length).toBe(ids.length);
    expect(String(reports[0])).toMatch(
      /^Error: Ignored the record of a task that was altered or has an unknown key/,
    );
    await expect.poll(() => node.engine.countTasks()).toMatchObject({ queued: 0, active: 0 });
  });

  test("of a newer version is reported once, and its task waits for a node that can read it", async () => {
    const node = await open();
    const { engine } = node;
    const ids = ["task-1", "task-2"];
    const started: string[] = [];
    const reports: unknown[] = [];
    engine.work({
      run: async (taskId) => void started.push(taskId),
      report: (error) => reports.push(error),
    });
    const records = ids.map((taskId) => createTaskRecord(Date.now(), { taskId }));
    for (const record of records) await engine.create(Object.assign(record, { format: 2 }));
    for (const taskId of ids)
      await expect(engine.read(taskId)).rejects.toThrow(
        new TaskEngineError("unavailable", "The record of a task has the format of a newer version."),
      );
    await create(engine, { taskId: "sentinel" });
    await expect.poll(() => started).toEqual(["sentinel"]);
    await expect.poll(() => engine.countTasks()).toMatchObject({ queued: 2, active: 0, stored: 3 });
    expect(reports.map(String)).toEqual([
      "Error: A record (task) has format 2, but this version of Tenon reads only up to format 1. " +
        "It is left to nodes with the version that wrote it.",
    ]);
    // A node with the newer version would run them. Here, they get the format of this version.
    for (const record of records) {
      const version = await redis().hget(keyOf(node, record.taskId), "v");
      const place = JSON.stringify(["task", "contract", record.taskId, version]);
      const sealed = await createSealer().seal(JSON.stringify({ ...record, format: 1 }), place);
      await redis().hset(keyOf(node, record.taskId), "s", sealed);
    }
    await expect.poll(() => started.toSorted()).toEqual(["sentinel", ...ids]);
  });

  test.each(["key of another task", "server with a different name"])(
    "cannot be moved to the %s",
    async (place) => {
      const node = await open();
      const isMovedToServer = place.startsWith("server");
      const other = isMovedToServer ? await open({ prefix: node.options.prefix, server: "other" }) : node;
      const target = isMovedToServer ? "task" : "moved";
      await create(node.engine, { taskId: "task", principal: "ada" });
      await create(other.engine, { taskId: target === "task" ? "task" : "moved", principal: "eve" });
      await redis().copy(keyOf(node, "task"), keyOf(other, target), "REPLACE");
      expect(await other.engine.read(target)).toBeUndefined();
      expect((await node.engine.read("task"))?.record.principal).toBe("ada");
    },
  );

  test("that was sealed with an unknown key is not found", async () => {
    const node = await open();
    const other = await open({
      prefix: node.options.prefix,
      secret: "another secret with enough bytes, really",
    });
    await create(node.engine, { taskId: "task" });
    expect(await other.engine.read("task")).toBeUndefined();
  });

  test("contains no plain text of arguments, answers, results, or principals", async () => {
    const node = await open();
    const { engine } = node;
    const taskId = "task";
    const record = createTaskRecord(Date.now(), {
      taskId,
      principal: "MARKER-principal",
      tool: "MARKER-tool",
    });
    await engine.create({ ...record, request: { ...record.request, args: { text: "MARKER-argument" } } });
    const seen = [await dump(node)];
    const stored = (await engine.read(taskId)) as StoredTask; // Safe: it was created above
    const journal = { ...stored.record.journal, answers: { text: "MARKER-answer" } };
    const result = JSON.stringify({ text: "MARKER-result" });
    await engine.write({
      record: { ...stored.record, journal, result, statusMessage: "MARKER-message" },
      expectedVersion: stored.version,
      queue: true,
    });
    seen.push(await dump(node));
    let isDone = false;
    engine.work({
      run: async () => {
        seen.push(await dump(node));
        isDone = true;
      },
      report: (error) => expect.unreachable(String(error)),
    });
    await expect.poll(() => isDone).toBe(true);
    expect(seen.every((text) => text.includes(":task:task"))).toBe(true);
    for (const text of seen) {
      expect(text).not.toContain("MARKER");
      expect(text).not.toContain(Buffer.from("MARKER").toString("base64").slice(0, 7));
    }
  });

  test("and all other keys of a server have one hash tag, and expire with the record", async () => {
    const node = await open({ server: "a server: {with} special characters" });
    node.engine.work({ run: async () => undefined, report: (error) => expect.unreachable(String(error)) });
    await create(node.engine, { taskId: "task", principal: "ada", deleteAt: Date.now() + 60_000 });
    await expect.poll(() => node.engine.countTasks()).toMatchObject({ queued: 0, active: 0, stored: 1 });
    const keys = await redis().keys(`*${node.options.prefix}*`);
    const tags = new Set(keys.map((key) => /\{[^}]+\}/.exec(key)?.[0]));
    expect(keys.length).toBeGreaterThan(4);
    expect([...tags]).toHaveLength(1);
    expect([...tags][0]).toMatch(/^\{tasks:~[\w-]+\}$/);
    const record = keys.find((key) => key.endsWith(":task:task")) ?? "";
    expect(await redis().pttl(record)).toBeGreaterThan(50_000);
  });
});

describe.skipIf(noRedis !== undefined)("limits apply to all nodes together", () => {
  test("`maxTasks`, `maxTasksPerPrincipal`, and `maxTotalBytes`, with the messages of the embedded engine", async () => {
    const limits = { maxTasks: 8, maxTasksPerPrincipal: 2, maxTotalBytes: 10_000 };
    const first = await open({ limits });
    const second = await open({ limits, prefix: first.options.prefix });
    await create(first.engine, { taskId: "a1", principal: "a", bytes: 1_000 });
    await create(second.engine, { taskId: "a2", principal: "a", bytes: 1_000 });
    await expect(create(first.engine, { taskId: "a3", principal: "a" })).rejects.toThrow(
      new TaskEngineError("full", "Too many tasks for this caller (limit: 2)."),
    );
    await expect(create(first.engine, { taskId: "b1", principal: "b", bytes: 8_001 })).rejects.toThrow(
      new TaskEngineError("full", "The tasks on this server use too much memory (limit: 10000 bytes)."),
    );
    const shared =
      "The tasks of this caller use too much memory: the rest is for others (limit for all: 10000 bytes).";
    await create(first.engine, { taskId: "c1", principal: "c", bytes: 3_000 });
    await expect(create(second.engine, { taskId: "c2", principal: "c", bytes: 1_000 })).rejects.toThrow(
      new TaskEngineError("full", shared),
    );
    for (const principal of ["d", "e"])
      await create(second.engine, { taskId: principal, principal, bytes: 0 });
    await expect(create(second.engine, { taskId: "d2", principal: "d", bytes: 0 })).rejects.toThrow(
      new TaskEngineError(
        "full",
        "Too many tasks for this caller: the remaining places are for others (limit for all: 8).",
      ),
    );
    await create(second.engine, { taskId: "b2", principal: "b", bytes: 5_000 });
    for (const principal of ["f", "g"])
      await create(second.engine, { taskId: principal, principal, bytes: 0 });
    await expect(create(first.engine, { taskId: "n1", bytes: 0 })).rejects.toThrow(
      new TaskEngineError("full", "Too many tasks on this server (limit: 8)."),
    );
  });

  test("`concurrencyPerPrincipal`, and others are not delayed by the tasks of one principal", async () => {
    const limits = { concurrencyPerPrincipal: 2, concurrency: 4 };
    const first = await open({ limits });
    const second = await open({ limits, prefix: first.options.prefix });
    const gate = createGate();
    const started: string[] = [];
    let [running, most] = [0, 0];
    for (const { engine } of [first, second]) {
      engine.work({
        async run(taskId) {
          started.push(taskId);
          if (!taskId.startsWith("a")) return;
          most = Math.max(most, ++running);
          await gate.opened;
          running--;
        },
        report: (error) => expect.unreachable(String(error)),
      });
    }
    const ids = Array.from({ length: 50 }, (_, n) => `a${n}`);
    for (const taskId of ids) await create(first.engine, { taskId, principal: "a" });
    await create(second.engine, { taskId: "b", principal: "b" });
    await expect.poll(() => started).toContain("b");
    await expect.poll(() => running).toBe(2);
    await expect.poll(() => second.engine.countTasks()).toEqual({ queued: 48, active: 2, stored: 51 });
    gate.open();
    await expect.poll(() => started.length).toBe(51);
    expect(most).toBe(2);
    expect(started.toSorted()).toEqual([...ids, "b"].toSorted());
  });

  test("an expired task that waits or runs gives up its slot", async () => {
    const limits = { concurrencyPerPrincipal: 1 };
    const node = await open({ limits });
    const gate = createGate();
    const started: string[] = [];
    node.engine.work({
      async run(taskId) {
        started.push(taskId);
        if (taskId === "first") await gate.opened;
      },
      report: (error) => expect.unreachable(String(error)),
    });
    await create(node.engine, { taskId: "first", principal: "a", deleteAt: Date.now() + 3_000 });
    await expect.poll(() => started).toEqual(["first"]);
    await create(node.engine, { taskId: "second", principal: "a", deleteAt: Date.now() + 1_500 });
    await create(node.engine, { taskId: "third", principal: "a" });
    await expect.poll(() => started).toEqual(["first", "third"]);
    gate.open();
    await expect.poll(() => node.engine.countTasks()).toEqual({ queued: 0, active: 0, stored: 1 });
    await expect
      .poll(() => redis().get(`${node.options.prefix}:{tasks:contract}:bytes`))
      .toBe(String(createTaskRecord(0).bytes));
  });
});

/** Returns all keys and values of a node as text. */
async function dump({ options }: TestNode): Promise<string> {
  const texts: unknown[] = [];
  for (const key of await redis().keys(`*${options.prefix}*`)) {
    const type = await redis().type(key);
    if (type === "hash") texts.push(key, await redis().hgetall(key));
    else if (type === "zset") texts.push(key, await redis().zrange(key, "0", "-1"));
    else if (type === "set") texts.push(key, await redis().smembers(key));
    else if (type === "list") texts.push(key, await redis().lrange(key, 0, -1));
    else if (type === "stream") texts.push(key, await redis().xrange(key, "-", "+"));
    else texts.push(key, await redis().get(key));
  }
  return JSON.stringify(texts);
}

function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  cleanUps.push(async () => open());
  return { opened, open };
}
