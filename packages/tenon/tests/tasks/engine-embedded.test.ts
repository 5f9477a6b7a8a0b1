import { parseOptions } from "@tenon/internal/options/define-options";
import { expect, test } from "vitest";
import type { TaskRecord } from "tenon/tasks";
import { createTaskRecord } from "../../src/tasks/contract/records.js";
import type { LoggedTask, TaskLog } from "../../src/tasks/directory/task-log.js";
import { EmbeddedTaskEngine } from "../../src/tasks/engine/embedded-engine.js";
import { type EngineOptions, ENGINE_OPTIONS } from "../../src/tasks/engine/engine-options.js";
import { ManualClock } from "../support/tasks/engine-harnesses.js";
import { createTaskClock } from "../support/tasks/task-client.js";

/** Log whose writes end when the test says so. */
class ManualLog implements TaskLog {
  readonly stored: LoggedTask[];
  readonly pending: { readonly task: LoggedTask; readonly done: () => void; readonly fail: () => void }[] =
    [];
  live: (() => Iterable<LoggedTask>) | undefined;
  loadError: Error | undefined;
  closes = 0;

  constructor(stored: readonly LoggedTask[] = []) {
    this.stored = [...stored];
  }

  async load(): Promise<readonly LoggedTask[]> {
    if (this.loadError !== undefined) throw this.loadError;
    return this.stored;
  }

  append(task: LoggedTask, live: () => Iterable<LoggedTask>): Promise<void> {
    this.live = live;
    return new Promise((resolve, reject) => {
      this.pending.push({ task, done: resolve, fail: () => reject(new Error("The disk is full.")) });
    });
  }

  async close(): Promise<void> {
    this.closes++;
  }

  /** Waits for the next write. */
  async next() {
    await expect.poll(() => this.pending.length).toBeGreaterThan(0);
    return this.pending.shift() ?? expect.unreachable();
  }
}

const clock = new ManualClock();

function open(log: ManualLog, options: EngineOptions = {}): EmbeddedTaskEngine {
  const ports = { now: () => clock.now(), ...options.ports };
  return new EmbeddedTaskEngine(parseOptions(ENGINE_OPTIONS, options), { log, ports });
}

function newRecord(members: Partial<TaskRecord> = {}): TaskRecord {
  return createTaskRecord(clock.now(), members);
}

async function create(engine: EmbeddedTaskEngine, log: ManualLog, record = newRecord()): Promise<string> {
  const created = engine.create(record);
  (await log.next()).done();
  await created;
  return (await engine.read(record.taskId))?.version ?? "";
}

test("a record can be read only when it is durable", async () => {
  const log = new ManualLog();
  const engine = open(log);
  const expectedVersion = await create(engine, log);
  let calls = 0;
  await engine.watch("task", () => calls++);
  const write = engine.write({ record: newRecord({ run: 1 }), expectedVersion });
  const line = await log.next();
  expect((await engine.read("task"))?.record.run).toBe(0);
  expect(calls).toBe(0);
  // A log that is compacted now must contain the new state, because its own copy of it is replaced.
  expect([...(log.live?.() ?? [])].map(({ record }) => record.run)).toEqual([1]);
  line.done();
  expect(await write).toBe(true);
  expect((await engine.read("task"))?.record.run).toBe(1);
  expect(calls).toBe(1);
});

test("a second write with the same version waits for the first, and is rejected", async () => {
  const log = new ManualLog();
  const engine = open(log);
  const expectedVersion = await create(engine, log);
  const first = engine.write({ record: newRecord({ run: 1 }), expectedVersion });
  const second = engine.write({ record: newRecord({ run: 2 }), expectedVersion });
  const line = await log.next();
  expect(log.pending).toEqual([]);
  line.done();
  expect(await Promise.all([first, second])).toEqual([true, false]);
  expect((await engine.read("task"))?.record.run).toBe(1);
});

test("a write that cannot be stored is rejected and changes nothing", async () => {
  const log = new ManualLog();
  const engine = open(log, { maxTotalBytes: 10_000 });
  const expectedVersion = await create(engine, log, newRecord({ bytes: 6_000 }));
  const first = engine.write({ record: newRecord({ run: 1, bytes: 7_500 }), expectedVersion, queue: true });
  const second = engine.write({ record: newRecord({ run: 2, bytes: 6_000 }), expectedVersion });
  (await log.next()).fail();
  await expect(first).rejects.toThrow("The disk is full.");
  expect((await engine.read("task"))?.record.run).toBe(0);
  // The second write has the version that is still current.
  (await log.next()).done();
  expect(await second).toBe(true);
  expect((await engine.read("task"))?.record.run).toBe(2);
  // The memory that the failed write needed is free again.
  await create(engine, log, newRecord({ taskId: "other", principal: "ada", bytes: 4_000 }));
});

test("a task that cannot be stored does not exist", async () => {
  const log = new ManualLog();
  const engine = open(log, { maxTasks: 1, maxTasksPerPrincipal: 1 });
  const created = engine.create(newRecord({ principal: "ada" }));
  (await log.next()).fail();
  await expect(created).rejects.toThrow("The disk is full.");
  expect(await engine.read("task")).toBeUndefined();
  await create(engine, log, newRecord({ principal: "ada" }));
});

test("an engine whose log could not be opened tries again on the next request", async () => {
  const log = new ManualLog([{ record: newRecord(), version: 7 }]);
  log.loadError = new Error("The directory is in use.");
  const engine = open(log);
  const reports: unknown[] = [];
  const runs: string[] = [];
  engine.work({ run: async (taskId) => void runs.push(taskId), report: (error) => reports.push(error) });
  await expect(engine.read("task")).rejects.toThrow("The directory is in use.");
  await expect.poll(() => reports).toEqual([log.loadError]);
  log.loadError = undefined;
  expect((await engine.read("task"))?.version).toBe("7");
  await expect.poll(() => runs).toEqual(["task"]);
});

test("an engine whose log could not be opened tries again later, without a request", async () => {
  const log = new ManualLog([{ record: newRecord({ deleteAt: null }), version: 7 }]);
  const reason = new Error("The directory is in use.");
  log.loadError = reason;
  const { ports, timers, advance } = createTaskClock();
  const engine = open(log, { ports });
  const reports: unknown[] = [];
  const runs: string[] = [];
  engine.work({ run: async (taskId) => void runs.push(taskId), report: (error) => reports.push(error) });
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect.poll(timers, { interval: 2 }).toBe(1);
    expect(reports).toEqual([reason]);
    if (attempt === 2) log.loadError = undefined;
    advance(5_000);
  }
  await expect.poll(() => runs).toEqual(["task"]);
});

test("more stored tasks than the limits allow are an error, and the log is released", async () => {
  const stored = ["a", "b"].map((taskId, version) => ({ record: newRecord({ taskId }), version }));
  const log = new ManualLog(stored);
  const engine = open(log, { maxTasks: 1 });
  const runs: string[] = [];
  engine.work({ run: async (taskId) => void runs.push(taskId), report: () => undefined });
  await expect(engine.read("a")).rejects.toThrow("The directory contains more tasks than the engine allows.");
  expect(log.closes).toBeGreaterThan(0);
  expect(runs).toEqual([]);
});

test("expired tasks of a principal do not count, however many there are", async () => {
  const engine = new EmbeddedTaskEngine(parseOptions(ENGINE_OPTIONS, { maxTasksPerPrincipal: 100 }), {
    ports: { now: () => clock.now() },
  });
  for (let n = 0; n < 100; n++)
    await engine.create(newRecord({ taskId: `${n}`, principal: "ada", deleteAt: clock.now() + 1_000 }));
  await expect(engine.create(newRecord({ principal: "ada" }))).rejects.toThrow("(limit: 100)");
  clock.advance(1_000);
  for (let n = 0; n < 100; n++) await engine.create(newRecord({ taskId: `new ${n}`, principal: "ada" }));
  await expect(engine.create(newRecord({ principal: "ada" }))).rejects.toThrow("(limit: 100)");
});

test("a log that is compacted does not get tasks that have expired", async () => {
  const log = new ManualLog();
  const engine = open(log);
  await create(engine, log, newRecord({ taskId: "short", deleteAt: clock.now() + 1_000 }));
  await create(engine, log, newRecord({ taskId: "long" }));
  const idsOf = () => [...(log.live?.() ?? [])].map(({ record }) => record.taskId);
  expect(idsOf()).toEqual(["short", "long"]);
  clock.advance(1_000);
  expect(idsOf()).toEqual(["long"]);
});

test("every call of `close` waits for the log, and the log is not opened afterwards", async () => {
  const log = new ManualLog();
  const engine = open(log);
  await Promise.all([engine.close(), engine.close()]);
  expect(log.closes).toBe(1);
  await expect(engine.read("task")).rejects.toThrow("The task engine is closed.");
});

test("versions continue after those in the log, so that no version is used twice", async () => {
  const expired = { record: newRecord({ taskId: "old", deleteAt: clock.now() - 1 }), version: 41 };
  const log = new ManualLog([{ record: newRecord(), version: 7 }, expired]);
  const engine = open(log);
  expect(await engine.read("old")).toBeUndefined();
  expect(await create(engine, log, newRecord({ taskId: "new" }))).toBe("42");
});
