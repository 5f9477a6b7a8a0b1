import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { TaskRecord } from "tenon/tasks";
import { createTaskRecord } from "../../src/tasks/contract/records.js";
import { DirectoryTaskLog } from "../../src/tasks/directory/directory-log.js";
import type { LoggedTask } from "../../src/tasks/directory/task-log.js";
import { makeFolder } from "../support/tasks/engine-harnesses.js";
import { PLAIN } from "../support/tasks/task-log.js";

const NOW = Date.now();

const logs: DirectoryTaskLog[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(logs.splice(0).map((log) => log.close()));
});

/** A log with the records that an engine would have. */
class Fixture {
  readonly directory: string;
  readonly log: DirectoryTaskLog;
  readonly live = new Map<string, LoggedTask>();
  readonly reports: string[] = [];
  #version = 0;

  constructor(directory = join(makeFolder(), "tasks"), minCompaction = 1_000_000) {
    this.directory = directory;
    this.log = new DirectoryTaskLog(directory, { sync: true, minCompaction, sealer: PLAIN });
    logs.push(this.log);
  }

  get file(): string {
    return join(this.directory, "tasks.log");
  }

  async load(): Promise<ReadonlyMap<string, TaskRecord>> {
    const tasks = await this.log.load((error) => this.reports.push((error as Error).message));
    for (const task of tasks) {
      this.live.set(task.record.taskId, task);
      this.#version = Math.max(this.#version, task.version);
    }
    return new Map(tasks.map(({ record }) => [record.taskId, record]));
  }

  append(record: TaskRecord): Promise<void> {
    const task = { record, version: ++this.#version };
    this.live.set(record.taskId, task);
    return this.log.append(task, () => this.live.values());
  }

  lines(): readonly Record<string, unknown>[] {
    const lines = readFileSync(this.file, "utf8").split("\n").slice(1, -1);
    return lines.map((line) => (JSON.parse(line) as { record: Record<string, unknown> }).record);
  }
}

/** Reads a copy of a directory, as the next process would after this one was killed. */
async function readCopy(directory: string) {
  const copy = join(makeFolder(), "tasks");
  cpSync(directory, copy, { recursive: true, filter: (path) => !path.includes("lock") });
  const fixture = new Fixture(copy);
  const tasks = await fixture.load();
  return { tasks, fixture, reports: fixture.reports };
}

function newRecord(taskId: string, run = 0, text = ""): TaskRecord {
  return createTaskRecord(NOW, { taskId, run, statusMessage: text });
}

test("the newest state of each task is read", async () => {
  const fixture = new Fixture();
  expect(await fixture.load()).toEqual(new Map());
  const [a, b] = [newRecord("a"), newRecord("b")];
  await Promise.all([fixture.append(a), fixture.append(b)]);
  await fixture.append({ ...a, run: 1 });
  const { tasks, reports } = await readCopy(fixture.directory);
  expect(tasks).toEqual(
    new Map([
      ["a", { ...a, run: 1 }],
      ["b", b],
    ]),
  );
  expect(reports).toEqual([]);
});

test("a request is written once, and again when its record was replaced or finished", async () => {
  const fixture = new Fixture();
  await fixture.load();
  const record = newRecord("a");
  for (let run = 0; run < 3; run++) await fixture.append({ ...record, run });
  await fixture.append({
    ...record,
    status: "failed",
    error: { code: 1, message: "no" },
    request: { ...record.request, args: {} },
  });
  expect(fixture.lines().map((line) => "request" in line)).toEqual([true, false, false, true]);
  const { tasks, fixture: next } = await readCopy(fixture.directory);
  expect(tasks.get("a")?.request).toEqual({ ...record.request, args: {} });
  // The next process does not know which lines the file has.
  await next.append(newRecord("a", 9));
  expect(next.lines().at(-1)).toHaveProperty("request");
});

test.each(["{", '{"version":9,"record":{"taskId":"b","sta', "\0\0\0\0", "é".slice(0, 1)])(
  "a last line that is incomplete is removed: %j",
  async (torn) => {
    const fixture = new Fixture();
    await fixture.load();
    await fixture.append(newRecord("a"));
    appendFileSync(fixture.file, torn);
    const { tasks, fixture: next, reports } = await readCopy(fixture.directory);
    expect([...tasks.keys()]).toEqual(["a"]);
    expect(reports).toEqual([]);
    await next.append(newRecord("b"));
    const last = await readCopy(next.directory);
    expect([...last.tasks.keys()]).toEqual(["a", "b"]);
    expect(last.reports).toEqual([]);
  },
);

test("lines that cannot be read are reported once and skipped, together with those that change them", async () => {
  const fixture = new Fixture();
  await fixture.load();
  for (const taskId of ["a", "b"]) await fixture.append(newRecord(taskId));
  const b = fixture.live.get("b")?.record ?? expect.unreachable();
  await fixture.append({ ...b, run: 1 });
  await fixture.append(newRecord("c"));
  const [header, first, , ...others] = readFileSync(fixture.file, "utf8").split("\n");
  writeFileSync(fixture.file, [header, first, "garbage", ...others].join("\n"));
  appendFileSync(fixture.file, '{"version":"x","record":{}}\n');
  const { tasks, reports, fixture: next } = await readCopy(fixture.directory);
  expect([...tasks.keys()]).toEqual(["a", "c"]);
  expect(reports).toEqual([
    `3 of 5 lines of the task log "${next.file}" cannot be read (first: line 3). They were skipped.`,
  ]);
});

test("a log that is larger than one part of the file is read completely", async () => {
  const fixture = new Fixture(undefined, Number.POSITIVE_INFINITY);
  await fixture.load();
  const text = "é€😀\u2028".repeat(500);
  const ids = Array.from({ length: 400 }, (_, n) => `task-${n}`);
  await Promise.all(ids.map((taskId) => fixture.append(newRecord(taskId, 0, `${taskId} ${text}`))));
  expect(statSync(fixture.file).size).toBeGreaterThan(2 * 1_048_576);
  const { tasks, reports } = await readCopy(fixture.directory);
  expect([...tasks.values()].map(({ statusMessage }) => statusMessage)).toEqual(
    ids.map((taskId) => `${taskId} ${text}`),
  );
  expect(reports).toEqual([]);
});

test("compaction keeps the newest state of every task and bounds the file", async () => {
  const fixture = new Fixture(undefined, 20_000);
  await fixture.load();
  const ids = ["a", "b", "c", "d"];
  const records = ids.map((taskId) => newRecord(taskId));
  for (let run = 0; run < 200; run++)
    await Promise.all(records.map((record) => fixture.append({ ...record, run })));
  expect(statSync(fixture.file).size).toBeLessThan(30_000);
  const { tasks } = await readCopy(fixture.directory);
  expect([...tasks.values()]).toEqual(records.map((record) => ({ ...record, run: 199 })));
});

test("compaction removes tasks that no longer exist", async () => {
  const fixture = new Fixture(undefined, 20_000);
  await fixture.load();
  await fixture.append(newRecord("deleted"));
  fixture.live.delete("deleted");
  for (let run = 0; run < 100; run++) await fixture.append(newRecord("a", run));
  const { tasks } = await readCopy(fixture.directory);
  expect([...tasks.keys()]).toEqual(["a"]);
});

test("every copy of a directory that is being written contains all acknowledged records", async () => {
  const fixture = new Fixture(undefined, 5_000);
  await fixture.load();
  const acknowledged = new Map<string, number>();
  const write = async (taskId: string) => {
    for (let run = 1; run <= 60; run++) {
      await fixture.append(newRecord(taskId, run));
      acknowledged.set(taskId, run);
    }
  };
  const writers = Promise.all(["a", "b", "c"].map(write));
  const state = { isDone: false };
  void writers.then(() => {
    state.isDone = true;
  });
  let copies = 0;
  while (!state.isDone) {
    const expected = new Map(acknowledged);
    const { tasks, reports } = await readCopy(fixture.directory);
    expect(reports).toEqual([]);
    for (const [taskId, run] of expected) expect(tasks.get(taskId)?.run).toBeGreaterThanOrEqual(run);
    copies++;
  }
  expect(copies).toBeGreaterThan(0);
  await writers;
});

test("a process that was killed during compaction left a file that does no harm", async () => {
  const fixture = new Fixture(undefined, 20_000);
  await fixture.load();
  await fixture.append(newRecord("a"));
  writeFileSync(`${fixture.file}.new`, '{"version":99,"record":{"taskId":"other"');
  expect([...(await readCopy(fixture.directory)).tasks.keys()]).toEqual(["a"]);
  for (let run = 0; run < 100; run++) await fixture.append(newRecord("a", run));
  expect(existsSync(`${fixture.file}.new`)).toBe(false);
  const { tasks, reports } = await readCopy(fixture.directory);
  expect([...tasks.keys()]).toEqual(["a"]);
  expect(reports).toEqual([]);
});

test("compaction that fails is reported and does not affect the records", async () => {
  const fixture = new Fixture(undefined, 20_000);
  await fixture.load();
  // A directory cannot be replaced by a file.
  mkdirSync(join(`${fixture.file}.new`, "full"), { recursive: true });
  for (let run = 0; run < 100; run++) await fixture.append(newRecord("a", run));
  expect(fixture.reports.length).toBeGreaterThan(0);
  expect(fixture.reports.length).toBeLessThan(10);
  const { tasks } = await readCopy(fixture.directory);
  expect(tasks.get("a")?.run).toBe(99);
});

test("only the owner can read the files, and a new directory", async () => {
  const fixture = new Fixture(undefined, 20_000);
  await fixture.load();
  for (let run = 0; run < 50; run++) await fixture.append(newRecord("a", run));
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  expect(modeOf(fixture.directory)).toBe(0o700);
  expect(modeOf(fixture.file)).toBe(0o600);
  expect(modeOf(join(fixture.directory, "lock"))).toBe(0o600);
});

test("a write that fails reaches its writer, and the next one is not damaged by its remains", async () => {
  const fixture = new Fixture();
  await fixture.load();
  await fixture.append(newRecord("a"));
  const handle = await open(fixture.file);
  const prototype = Object.getPrototypeOf(handle) as typeof handle; // Safe: the class of the log's own handle
  await handle.close();
  // A mock, because a disk cannot be filled in a test.
  vi.spyOn(prototype, "appendFile").mockImplementationOnce(async function failing(this: typeof handle, data) {
    await this.write(String(data).slice(0, 30));
    throw new Error("No space left");
  });
  const b = newRecord("b");
  await expect(fixture.append(b)).rejects.toThrow("No space left");
  // The request must be written again, because the failed line had it.
  await fixture.append({ ...b, run: 1 });
  const { tasks, reports } = await readCopy(fixture.directory);
  expect(reports).toEqual([]);
  expect([...tasks.values()].map(({ taskId, run }) => [taskId, run])).toEqual([
    ["a", 0],
    ["b", 1],
  ]);
});

test("a closed log has stored everything, rejects more, and releases the directory", async () => {
  const fixture = new Fixture();
  await fixture.load();
  const pending = fixture.append(newRecord("a"));
  await fixture.log.close();
  await fixture.log.close();
  await pending;
  await expect(fixture.append(newRecord("b"))).rejects.toThrow(
    `The task directory "${fixture.directory}" is closed.`,
  );
  const next = new Fixture(fixture.directory);
  expect([...(await next.load()).keys()]).toEqual(["a"]);
  await expect(new Fixture(fixture.directory).load()).rejects.toThrow("is in use by another server");
  await next.log.close();
});

test("a directory that cannot be used is an error, and is not locked", async () => {
  const directory = join(makeFolder(), "tasks");
  mkdirSync(join(directory, "tasks.log"), { recursive: true, mode: 0o700 });
  const message = `"${join(directory, "tasks.log")}" is not a file. Delete it.`;
  await expect(new Fixture(directory).load()).rejects.toThrow(message);
  expect(existsSync(join(directory, "lock"))).toBe(false);
  chmodSync(directory, 0o700);
});
