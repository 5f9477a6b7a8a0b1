import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { StorageError } from "../../src/storage/storage-error.js";
import type { TaskLog } from "../../src/storage/task-log.js";
import { makeFolder, openStore, openTask, said, snapshot } from "../support/storage/folders.js";

const DRAFT = ".new-01234567-89ab-cdef-0123-456789abcdef";

/** Creates a clock that advances by one on every read. */
function ticking(start = 0): () => number {
  let time = start;
  return () => ++time;
}

describe("creating", () => {
  test("nothing is created before the first task", async () => {
    const folder = join(makeFolder(), "deep", "storage");
    const { store } = openStore(folder);
    expect(await store.list(10)).toEqual([]);
    expect(await store.has("task")).toBe(false);
    expect(await store.open("task")).toBeUndefined();
    expect(existsSync(folder)).toBe(false);
    await store.create({ taskId: "task", title: "A task" });
    expect(readdirSync(folder)).toEqual(["task"]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test("the first line is the task header", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder, { now: () => 1234 });
    await store.create({ taskId: "task", title: "Tïtle\n2" });
    await store.create({ taskId: "part", title: "", parentTaskId: "task" });
    expect(readFileSync(join(folder, "task", "log.jsonl"), "utf8")).toBe(
      '{"v":1,"taskId":"task","title":"Tïtle\\n2","createdAt":1234}\n',
    );
    expect(readFileSync(join(folder, "part", "log.jsonl"), "utf8")).toBe(
      '{"v":1,"taskId":"part","title":"","parentTaskId":"task","createdAt":1234}\n',
    );
    const part = await openTask(openStore(folder).store, "part");
    expect(part).toMatchObject({ taskId: "part", title: "", parentTaskId: "task", entries: [] });
  });

  test.each([
    ["a".repeat(501), "a".repeat(500)],
    ["\0".repeat(5000), "\0".repeat(500)],
    [`${"a".repeat(499)}😀`, "a".repeat(499)],
  ])("a long title is truncated, and the task is still listed", async (title, kept) => {
    const folder = makeFolder();
    const parentTaskId = "p".repeat(128);
    const before = openStore(folder).store;
    await before.create({ taskId: parentTaskId, title });
    const log = await before.create({ taskId: "t".repeat(128), title, parentTaskId });
    expect(log.title).toBe(kept);
    const { store } = openStore(folder);
    expect(await store.list(10)).toMatchObject([{ taskId: parentTaskId, title: kept }]);
    expect(await store.open("t".repeat(128))).toMatchObject({ title: kept, parentTaskId });
  });

  test("an ID cannot be used twice, even by parallel requests or if the task is only on disk", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    const results = await Promise.allSettled([
      store.create({ taskId: "task", title: "one" }),
      store.create({ taskId: "task", title: "two" }),
    ]);
    const taken = new StorageError('Task "task" already exists.');
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(results[1]).toMatchObject({ reason: taken });
    await expect(store.create({ taskId: "task", title: "three" })).rejects.toThrow(taken);
    const late = openStore(folder).store;
    await late.list(1);
    await store.create({ taskId: "after-the-scan", title: "" });
    await expect(late.create({ taskId: "after-the-scan", title: "" })).rejects.toThrow(
      new StorageError('Task "after-the-scan" already exists.'),
    );
    expect(readdirSync(folder).toSorted()).toEqual(["after-the-scan", "task"]);
    expect((await openTask(openStore(folder).store, "task")).title).toBe("one");
  });

  test("the limit includes subtasks and tasks that are being created", async () => {
    const folder = makeFolder();
    await openStore(folder).store.create({ taskId: "before", title: "" });
    // The parent of the new tasks is in use.
    const { store } = openStore(folder, { maxTasks: 4 });
    const results = await Promise.allSettled(
      ["a", "b", "c", "d", "e"].map((taskId) => store.create({ taskId, title: "", parentTaskId: "before" })),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(results[4]).toMatchObject({
      reason: new StorageError(
        "Too many tasks (limit: 4), and all of them are in use. Try again later, or ask the operator to raise `maxTasks`.",
      ),
    });
    expect(readdirSync(folder)).toHaveLength(4);
  });

  test.each([
    ["a file", (base: string) => join(base, "file")],
    ["below a file", (base: string) => join(base, "file", "storage")],
  ])("a storage path that is %s causes an error with advice and without the path", async (_what, pathIn) => {
    const base = makeFolder();
    writeFileSync(join(base, "file"), "");
    const { store } = openStore(pathIn(base));
    const advice =
      "the server cannot write to its storage folder. Ask the operator to make it writable or to change `storagePath`.";
    const failure = await store.create({ taskId: "task", title: "" }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StorageError);
    expect(failure).toMatchObject({ message: `Could not list the tasks: ${advice}` });
    expect(String((failure as StorageError).cause)).toContain(base);
    await expect(store.list(1)).rejects.toThrow(StorageError);
    // The folder is scanned again, so a restart is not necessary.
    rmSync(join(base, "file"));
    await store.create({ taskId: "task", title: "" });
    expect(await store.has("task")).toBe(true);
  });

  test("a folder that becomes unusable after the scan leaves no draft, and the ID can be used later", async () => {
    const base = makeFolder();
    const folder = join(base, "storage");
    const { store } = openStore(folder);
    await store.list(1);
    writeFileSync(folder, "");
    await expect(store.create({ taskId: "task", title: "" })).rejects.toThrow(
      "Could not save the task: the server cannot write to its storage folder. " +
        "Ask the operator to make it writable or to change `storagePath`.",
    );
    rmSync(folder);
    await store.create({ taskId: "task", title: "" });
    expect(readdirSync(folder)).toEqual(["task"]);
  });
});

describe("opening", () => {
  test("all users of an open task share one log until the last one releases it", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    await store.release(await store.create({ taskId: "task", title: "" }));
    const [one, two] = await Promise.all([openTask(store, "task"), openTask(store, "task")]);
    expect(two).toBe(one);
    await store.release(one);
    expect(await store.open("task")).toBe(one);
    await Promise.all([store.release(one), store.release(one), store.release(one), store.release(one)]);
    const fresh = await openTask(store, "task");
    expect(fresh).not.toBe(one);
    await store.release(one);
    expect(await store.open("task")).toBe(fresh);
  });

  test("a task that is opened during its last release keeps its log", async () => {
    const { store } = openStore(makeFolder());
    const log = await store.create({ taskId: "task", title: "" });
    const append = log.append(said("a"));
    const releasing = store.release(log);
    // The release has started and waits for the append.
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    const again = await openTask(store, "task");
    await Promise.all([append, releasing]);
    expect(again).toBe(log);
    await again.append(said("b"));
    expect(await store.open("task")).toBe(log);
  });

  test("opening waits for a task that is being created", async () => {
    const { store } = openStore(makeFolder());
    await store.list(1);
    const early = store.open("task");
    const making = store.create({ taskId: "task", title: "" });
    const opens = [store.open("task"), store.open("task")];
    expect(await early).toBeUndefined();
    expect(await Promise.all(opens)).toEqual([await making, await making]);
    expect(await store.open("task")).toBe(await making);
  });

  test("a missing task is looked up again at the next open", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    expect(await store.open("task")).toBeUndefined();
    await openStore(folder).store.create({ taskId: "task", title: "late" });
    expect(await store.open("task")).toMatchObject({ title: "late" });
  });

  test("many parallel opens and creates share one log", async () => {
    for (let round = 0; round < 20; round++) {
      const { store } = openStore(makeFolder());
      const logs = new Set<TaskLog | undefined>();
      const wanted = Array.from({ length: 40 }, async (_, index) => {
        for (let wait = 0; wait < index * round; wait++) await Promise.resolve();
        if (index === 3) logs.add(await store.create({ taskId: "task", title: "" }));
        else logs.add(await store.open("task"));
      });
      await Promise.all(wanted);
      logs.delete(undefined);
      expect(logs.size).toBe(1);
    }
  });

  test("a log that belongs to a different task is not opened", async () => {
    const folder = makeFolder();
    await openStore(folder).store.create({ taskId: "task", title: "" });
    // A case-insensitive file system would find this log.
    renameSync(join(folder, "task"), join(folder, "TASK"));
    const { store, warnings } = openStore(folder);
    expect(await store.open("TASK")).toBeUndefined();
    expect(await store.has("TASK")).toBe(false);
    expect(await store.list(1)).toEqual([]);
    expect(warnings).toEqual([
      'agent: storage: task "TASK" was not opened: its log header is invalid or belongs to a different task.',
    ]);
  });

  test.each([
    ["", "an empty file"],
    ["\n", "an empty line"],
    ['{"v":2,"taskId":"task","title":"","createdAt":0}\n', "a later format"],
    ['{"v":1,"taskId":"task","createdAt":0}\n', "no title"],
    ['{"v":1,"taskId":"task","title":"","parentTaskId":"../x","createdAt":0}\n', "an invalid parent id"],
    [`{"v":1,"taskId":"task","title":"${"x".repeat(5000)}","createdAt":0}\n`, "a header that is too long"],
    ["\u{feff}", "a byte order mark"],
  ])("a log that begins with %j is not a task", async (text, _why) => {
    const folder = makeFolder();
    mkdirSync(join(folder, "task"));
    writeFileSync(join(folder, "task", "log.jsonl"), text);
    const before = snapshot(folder);
    const { store } = openStore(folder, {
      logger: {
        debug() {},
        info() {},
        warn() {
          throw new Error("The logger failed.");
        },
        error() {},
      },
    });
    expect(await store.open("task")).toBeUndefined();
    expect(await store.list(10)).toEqual([]);
    await expect(store.create({ taskId: "task", title: "" })).rejects.toThrow(
      new StorageError('Task "task" already exists.'),
    );
    expect(snapshot(folder)).toEqual(before);
  });
});

describe("listing", () => {
  test("returns the newest tasks first, without subtasks, up to the limit", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder, { now: ticking(Date.now()) });
    const a = await store.create({ taskId: "a", title: "A" });
    await store.create({ taskId: "b", title: "B" });
    const part = await store.create({ taskId: "part", title: "P", parentTaskId: "a" });
    await store.create({ taskId: "c", title: "C" });
    const names = async (limit: number) => (await store.list(limit)).map(({ taskId }) => taskId);
    expect(await names(10)).toEqual(["c", "b", "a"]);
    await a.append(said("news"));
    await part.append(said("more"));
    expect(await names(10)).toEqual(["a", "c", "b"]);
    expect(await names(2)).toEqual(["a", "c"]);
    expect(await names(0)).toEqual([]);
    expect((await store.list(1))[0]).toEqual({ taskId: "a", title: "A", updatedAt: expect.any(Number) });
  });

  test("after a restart, update times come from the files", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    for (const taskId of ["a", "b", "c", "d"]) await store.create({ taskId, title: taskId });
    for (const [taskId, seconds] of [
      ["a", 30],
      ["b", 10],
      ["c", 40],
      ["d", 30],
    ] as const) {
      utimesSync(join(folder, taskId, "log.jsonl"), seconds, seconds);
    }
    expect(await openStore(folder).store.list(10)).toEqual([
      { taskId: "c", title: "c", updatedAt: 40_000 },
      { taskId: "d", title: "d", updatedAt: 30_000 },
      { taskId: "a", title: "a", updatedAt: 30_000 },
      { taskId: "b", title: "b", updatedAt: 10_000 },
    ]);
  });

  test("an append before or during the scan updates the order", async () => {
    const folder = makeFolder();
    for (const taskId of ["a", "b", "c"]) await openStore(folder).store.create({ taskId, title: taskId });
    const later = Date.now() + 1_000_000;
    const { store } = openStore(folder, { now: ticking(later) });
    await (await openTask(store, "b")).append(said("before"));
    // The file system clock may differ from the test clock.
    utimesSync(join(folder, "b", "log.jsonl"), 1, 1);
    const log = await openTask(store, "a");
    const [list] = await Promise.all([store.list(10), log.append(said("during"))]);
    expect(list).toHaveLength(3);
    expect((await store.list(2)).map(({ taskId, updatedAt }) => [taskId, updatedAt - later])).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
  });

  test("unrelated files are ignored, and drafts that a crash left behind are removed", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    await store.create({ taskId: "task", title: "T" });
    writeFileSync(join(folder, "file"), "a file with a task's name");
    writeFileSync(join(folder, "notes.txt"), "mine");
    mkdirSync(join(folder, "empty"));
    mkdirSync(join(folder, "folder", "log.jsonl"), { recursive: true });
    mkdirSync(join(folder, ".git"));
    mkdirSync(join(folder, ".new-mine"));
    mkdirSync(join(folder, "pipe"));
    execFileSync("mkfifo", [join(folder, "pipe", "log.jsonl")]);
    const before = snapshot(folder);
    mkdirSync(join(folder, DRAFT));
    writeFileSync(join(folder, DRAFT, "log.jsonl"), '{"v":1,"taskId":"half');
    const { store: fresh, warnings } = openStore(folder);
    expect(await fresh.list(10)).toMatchObject([{ taskId: "task" }]);
    expect(snapshot(folder)).toEqual(before);
    expect(warnings).toEqual([]);
    for (const taskId of ["file", "empty", "folder", "pipe"]) {
      expect(await fresh.open(taskId)).toBeUndefined();
      expect(await fresh.has(taskId)).toBe(false);
    }
    // Replacing an empty folder loses nothing.
    await fresh.create({ taskId: "empty", title: "E" });
    expect((await fresh.list(1))[0]).toMatchObject({ taskId: "empty" });
  });

  test.runIf(process.platform === "linux")(
    "a task folder that cannot be scanned is counted, and opening it fails with the reason",
    async () => {
      // Permissions do not apply to root. Instead, the folder is nested so deeply that file paths in it are too long.
      const base = makeFolder();
      const deep = Array.from({ length: 45 }, () => "x".repeat(100)).join("/");
      const folder = join(base, deep).slice(0, 4088).replace(/\/$/, "x");
      mkdirSync(join(folder, "task"), { recursive: true });
      const { store, warnings } = openStore(folder);
      expect(await store.list(10)).toEqual([]);
      expect(warnings).toEqual(["agent: storage: could not read or list 1 task folder."]);
      const failure = new StorageError(
        "Could not read the task: the server cannot write to its storage folder. " +
          "Ask the operator to make it writable or to change `storagePath`.",
      );
      await expect(store.open("task")).rejects.toThrow(failure);
      await expect(store.has("task")).rejects.toThrow(failure);
    },
  );
});
