import * as fc from "fast-check";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { TaskRecord } from "tenon/tasks";
import { createTaskRecord } from "../../src/tasks/contract/records.js";
import { DirectoryTaskLog } from "../../src/tasks/directory/directory-log.js";
import type { LoggedTask } from "../../src/tasks/directory/task-log.js";
import { complete, recordProgress, recordStep } from "../../src/tasks/state/transitions.js";
import { makeFolder } from "../support/tasks/engine-harnesses.js";
import { PLAIN, readTaskLog } from "../support/tasks/task-log.js";

const NOW = Date.now();

const logs: DirectoryTaskLog[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(logs.splice(0).map((log) => log.close()));
});

/** A log in a new directory, with the tasks that an engine would have. */
async function openLog(options: Partial<ConstructorParameters<typeof DirectoryTaskLog>[1]> = {}) {
  const directory = join(makeFolder(), "tasks");
  const log = new DirectoryTaskLog(directory, { sync: false, sealer: PLAIN, ...options });
  logs.push(log);
  const reports: unknown[] = [];
  await log.load((error) => reports.push(error));
  const live = new Map<string, LoggedTask>();
  let version = 0;
  const append = async (record: TaskRecord) => {
    const old = live.get(record.taskId);
    const task = { record, version: ++version };
    live.set(record.taskId, task);
    try {
      await log.append(task, () => live.values());
    } catch (error) {
      // As in the engine, a failed write has no effect.
      if (live.get(record.taskId) === task && old !== undefined) live.set(record.taskId, old);
      throw error;
    }
  };
  return { directory, file: join(directory, "tasks.log"), log, live, append, reports };
}

/** Replaces the writes of all files. A mock, because a disk cannot be filled in a test. */
async function spyOnWrites() {
  const handle = await open(process.execPath);
  const prototype = Object.getPrototypeOf(handle) as FileHandle; // Safe: the class of the log's own handle
  await handle.close();
  return vi.spyOn(prototype, "appendFile");
}

/** Returns the records of a log by task, as text in which the order of members does not matter. */
async function readTexts(file: string): Promise<Readonly<Record<string, string>>> {
  const { tasks } = await readTaskLog(file, (error) => {
    throw error;
  });
  return toTexts(tasks);
}

function toTexts(tasks: Iterable<LoggedTask>): Readonly<Record<string, string>> {
  const sort = (_key: string, value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return Object.fromEntries([...tasks].map(({ record }) => [record.taskId, JSON.stringify(record, sort)]));
}

test("the bytes of 1,000 steps with results of 1 KB grow with their number, not with its square", async () => {
  const { append, file, live } = await openLog();
  const spy = await spyOnWrites();
  const json = JSON.stringify("x".repeat(1_000));
  let record = createTaskRecord(NOW, { taskId: "a", isRunning: true });
  await append(record);
  for (let n = 0; n < 1_000; n++) {
    await append((record = recordStep(record, `step ${n}`, { state: "started", retry: false })));
    await append((record = recordStep(record, `step ${n}`, { state: "done", json })));
    await append((record = recordProgress(record, NOW + n, { progress: n, message: `${n} of 1000` })));
  }
  const bytes = spy.mock.calls.reduce((sum, [text]) => sum + String(text).length, 0);
  // The results alone take 1 MB. All of them in every line would take 1.5 GB.
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(bytes).toBeLessThan(5_000_000);
  expect(await readTexts(file)).toEqual(toTexts(live.values()));
});

/** Keys that are easily confused with members of objects and arrays. */
const key = fc.constantFrom("a", "b", "", "1", "__proto__", "constructor", "toString");
const json = fc.oneof(fc.constantFrom(null, 0, "", false), fc.record({ text: fc.string({ maxLength: 20 }) }));

type Edit = (record: TaskRecord) => TaskRecord;

function editEntries(member: "answers" | "prepared" | "questions" | "steps") {
  const set = fc.tuple(key, json).map(([name, value]): Edit => (record) => ({
    ...record,
    journal: { ...record.journal, [member]: { ...record.journal[member], [name]: value } },
  }));
  const remove = key.map((name): Edit => (record) => {
    const others = Object.entries(record.journal[member]).filter(([other]) => other !== name);
    return { ...record, journal: { ...record.journal, [member]: Object.fromEntries(others) } };
  });
  const replace = fc
    .dictionary(key, json)
    .map((entries): Edit => (record) => ({ ...record, journal: { ...record.journal, [member]: entries } }));
  return [set, set, remove, replace];
}

const edit: fc.Arbitrary<Edit> = fc.oneof(
  ...(["answers", "prepared", "questions", "steps"] as const).flatMap(editEntries),
  fc.integer().map(
    (progress): Edit =>
      (record) =>
        recordProgress(record, NOW, { progress, message: "é" }),
  ),
  fc
    .array(key)
    .map((keys): Edit => (record) => ({ ...record, journal: { ...record.journal, usedKeys: keys } })),
  fc
    .dictionary(key, json)
    .map((args): Edit => (record) => ({ ...record, request: { ...record.request, args } })),
  fc.nat().map((run): Edit => (record) => ({ ...record, run, statusMessage: null })),
  fc.constant<Edit>((record) => record),
  fc.constant<Edit>((record) => complete(record, NOW, '{"content":[]}')),
);

const command = fc.record({
  taskId: fc.constantFrom("a", "b", "__proto__"),
  edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
  /** Number of characters that a write stores before it fails. */
  fails: fc.option(fc.nat(400), { freq: 8 }),
});

test("after every write and every failed write, the log contains the newest record of each task", async () => {
  const spy = await spyOnWrites();
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { maxLength: 40 }),
      fc.nat(20_000),
      async (commands, minCompaction) => {
        const { append, file, live, log, reports } = await openLog({ minCompaction });
        const appendOnFullDisk = async (record: TaskRecord, stored: number) => {
          spy.mockImplementationOnce(async function fail(this: FileHandle, text) {
            await this.write(String(text).slice(0, stored).replace(/\n$/, ""));
            throw new Error("No space left");
          });
          await append(record).catch(async (error: unknown) => {
            expect(String(error)).toContain("No space left");
            // Compaction may have stored the record before its own line failed.
            const isStored =
              (await readTexts(file))[record.taskId] === toTexts([{ record, version: 0 }])[record.taskId];
            if (isStored) live.set(record.taskId, { record, version: 0 });
          });
        };
        for (const { taskId, edits, fails } of commands) {
          const created = live.get(taskId)?.record ?? createTaskRecord(NOW, { taskId });
          if (!live.has(taskId)) await append(created);
          const records = edits.map((_, n) =>
            edits.slice(0, n + 1).reduce((last, change) => change(last), created),
          );
          if (fails === null) await Promise.all(records.map(append));
          else await appendOnFullDisk(records[0] ?? created, fails);
          expect(await readTexts(file)).toEqual(toTexts(live.values()));
        }
        expect(reports.filter((error) => !String(error).includes("No space left"))).toEqual([]);
        await log.close();
      },
    ),
    { numRuns: 60 },
  );
}, 120_000);

test.each(["a", "1", "", "__proto__", "constructor", "toString"])(
  "a step with the key %j can be added, changed, and removed",
  async (name) => {
    const { append, file, live } = await openLog();
    let record = createTaskRecord(NOW, { taskId: "a" });
    await append(record);
    for (const step of [{ state: "started", retry: true }, { state: "done" }, undefined] as const) {
      await append((record = recordStep(record, name, step)));
      expect(await readTexts(file)).toEqual(toTexts(live.values()));
    }
    expect(readFileSync(file, "utf8").match(/"request"/g)).toHaveLength(1);
  },
);

test("a finished task has a complete line", async () => {
  const { append, file } = await openLog();
  const record = createTaskRecord(NOW, { taskId: "a" });
  for (const next of [record, { ...record, run: 1 }, complete(record, NOW, "{}")]) await append(next);
  const lines = readFileSync(file, "utf8").split("\n").slice(1, -1);
  expect(lines.map((line) => "base" in (JSON.parse(line) as object))).toEqual([false, true, false]);
});

test("a record that is stored during a compaction that fails is not lost", async () => {
  const spy = await spyOnWrites();
  const { append, file, live, reports } = await openLog({ minCompaction: 1 });
  const fresh = new Set<FileHandle>();
  spy.mockImplementation(async function write(this: FileHandle, text) {
    if (String(text).startsWith('{"format"')) fresh.add(this);
    // The first task is stored in the new file, and the second one is not.
    else if (fresh.has(this) && String(text).includes('"b"')) throw new Error("No space left");
    await this.write(String(text));
  });
  const [a, b] = ["a", "b"].map((taskId) => createTaskRecord(NOW, { taskId }));
  if (a === undefined || b === undefined) expect.unreachable();
  await Promise.all([append(a), append(b)]);
  // Compaction has started and will see this state.
  await append({ ...a, run: 1 });
  expect(await readTexts(file)).toEqual(toTexts(live.values()));
  await append({ ...a, run: 2 });
  expect(await readTexts(file)).toEqual(toTexts(live.values()));
  expect(String(reports[0])).toContain("No space left");
});

test("a line that is older than the task's newest one has no effect", async () => {
  const file = join(makeFolder(), "tasks.log");
  const toLine = (version: number) =>
    JSON.stringify({ version, record: createTaskRecord(NOW, { taskId: "a", run: version }) });
  const change = JSON.stringify({ version: 1, base: 2, record: { taskId: "a", run: 9 } });
  writeFileSync(file, ['{"format":2}', toLine(2), toLine(1), change, ""].join("\n"));
  const reports: unknown[] = [];
  const { tasks } = await readTaskLog(file, (error) => reports.push(error));
  expect(tasks.map(({ version, record }) => [version, record.run])).toEqual([[2, 2]]);
  expect(reports).toEqual([]);
});

test("lines that change a line which was not stored cannot be read, and the last readable state remains", async () => {
  const { append, file } = await openLog();
  const record = createTaskRecord(NOW, { taskId: "a" });
  for (let run = 0; run < 4; run++) await append({ ...record, run });
  const lines = readFileSync(file, "utf8").split("\n");
  expect(lines).toHaveLength(6);
  writeFileSync(file, lines.filter((_, index) => index !== 3).join("\n"));
  const reports: string[] = [];
  const { tasks } = await readTaskLog(file, (error) => reports.push(String(error)));
  expect(tasks.map(({ version, record: { run } }) => [version, run])).toEqual([[2, 1]]);
  expect(reports).toEqual([
    `Error: 1 of 3 lines of the task log "${file}" cannot be read (first: line 4). They were skipped.`,
  ]);
});

describe("the format", () => {
  const advice = "Use the version that wrote it, or a different directory.";

  test.each([
    ['{"format":3}\n', "has format 3"],
    ['{"format":"x"}\n{"version":1}\n', 'has format "x"'],
    ["garbage\n", "does not start with its format"],
    ['{"version":1,"record":{}}\n', "does not start with its format"],
  ])("a file of another format is an error, and remains as it is: %j", async (text, reason) => {
    const directory = join(makeFolder(), "tasks");
    const file = join(directory, "tasks.log");
    mkdirSync(directory, { mode: 0o700 });
    writeFileSync(file, `${text}torn`);
    const log = new DirectoryTaskLog(directory, { sync: true });
    const message = `The task log "${file}" ${reason}; this version of Tenon reads format 2. ${advice}`;
    await expect(log.load(() => undefined)).rejects.toThrow(message);
    expect(readFileSync(file, "utf8")).toBe(`${text}torn`);
    // The directory is not locked.
    await expect(log.load(() => undefined)).rejects.toThrow(message);
  });

  test.each(["", '{"form', '{"format":2}'])(
    "a file whose header is incomplete is empty: %j",
    async (text) => {
      const directory = join(makeFolder(), "tasks");
      const file = join(directory, "tasks.log");
      mkdirSync(directory, { mode: 0o700 });
      writeFileSync(file, text);
      const log = new DirectoryTaskLog(directory, { sync: true });
      logs.push(log);
      expect(await log.load(() => undefined)).toEqual([]);
      expect(readFileSync(file, "utf8")).toBe('{"format":2}\n');
    },
  );

  test("a file has its header also after compaction", async () => {
    const { append, file } = await openLog({ minCompaction: 2_000 });
    for (let run = 0; run < 50; run++) await append(createTaskRecord(NOW, { taskId: "a", run }));
    const [header, ...lines] = readFileSync(file, "utf8").split("\n");
    expect(header).toBe('{"format":2}');
    expect(lines.length).toBeLessThan(20);
    expect((await readTaskLog(file, () => undefined)).tasks[0]?.record.run).toBe(49);
  });
});

test("a log whose directory was taken over reports it and stores nothing more", async () => {
  const { append, directory, file, reports } = await openLog({ lock: { renewMs: 5 } });
  await append(createTaskRecord(NOW, { taskId: "a" }));
  const owner = { host: "web-2", pid: 1, startTime: "1" };
  writeFileSync(join(directory, "lock"), JSON.stringify(owner));
  const message = `Another process has taken over the task directory "${directory}".`;
  await expect
    .poll(() => reports.map(String), { timeout: 10_000 })
    .toEqual([expect.stringContaining(message)]);
  const text = readFileSync(file, "utf8");
  for (let n = 0; n < 2; n++)
    await expect(append(createTaskRecord(NOW, { taskId: "b" }))).rejects.toThrow(message);
  expect(readFileSync(file, "utf8")).toBe(text);
});
