import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { StorageError } from "../../src/storage/storage-error.js";
import type { TaskEntry } from "../../src/storage/task-entry.js";
import { createAll, idsOf, makeFolder, openStore, openTask, said } from "../support/storage/folders.js";

const TRASH = ".deleted-01234567-89ab-cdef-0123-456789abcdef";

describe("deleting", () => {
  test("a task is deleted with its subtasks and files, and its ID can be used again", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    await createAll(store, ["keep", "task"]);
    await store.create({ taskId: "part", title: "", parentTaskId: "task" });
    await store.create({ taskId: "part-of-part", title: "", parentTaskId: "part" });
    await store.create({ taskId: "other", title: "", parentTaskId: "keep" });
    await store.rename("task", "Renamed");
    const log = await openTask(store, "task");
    await store.results.write("task", "large");
    expect(await store.delete("task")).toBe(true);
    expect(readdirSync(folder).toSorted()).toEqual(["keep", "other"]);
    for (const each of [store, openStore(folder).store]) {
      expect(idsOf(await each.list(9))).toEqual(["keep"]);
      for (const taskId of ["task", "part", "part-of-part"]) {
        expect(await each.has(taskId)).toBe(false);
        expect(await each.open(taskId)).toBeUndefined();
      }
    }
    await expect(log.append(said("late"))).rejects.toThrow(new StorageError("The task was deleted."));
    expect(log.isBroken).toBe(true);
    expect(await store.delete("task")).toBe(false);
    const again = await store.create({ taskId: "task", title: "Again" });
    await again.append(said("new"));
    expect(await openTask(openStore(folder).store, "task")).toMatchObject({ title: "Again" });
  });

  test("entries that are being written are either stored before the deletion or rejected", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    const log = await store.create({ taskId: "task", title: "" });
    const appends = Array.from({ length: 50 }, (_, index) => log.append(said(`${index}`)));
    const [isDeleted, ...results] = await Promise.allSettled([store.delete("task"), ...appends]);
    expect(isDeleted).toMatchObject({ value: true });
    for (const result of results) {
      if (result.status === "rejected")
        expect(result.reason).toMatchObject({ message: "The task was deleted." });
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(["../outside", "", "missing", "no-task", "linked"])(
    "%j is not deleted, because it is not a task",
    async (taskId) => {
      const base = makeFolder();
      const folder = join(base, "storage");
      mkdirSync(join(folder, "no-task"), { recursive: true });
      mkdirSync(join(base, "outside"));
      writeFileSync(join(folder, "no-task", "notes.txt"), "mine");
      symlinkSync("../outside", join(folder, "linked"));
      const { store } = openStore(folder);
      expect(await store.delete(taskId)).toBe(false);
      expect(readdirSync(folder).toSorted()).toEqual(["linked", "no-task"]);
      expect(readdirSync(join(folder, "no-task"))).toEqual(["notes.txt"]);
    },
  );

  test("a task that is opened or created while it is deleted waits for the deletion", async () => {
    const { store } = openStore(makeFolder());
    await createAll(store, ["task"]);
    await openTask(store, "task");
    const deleting = store.delete("task");
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    const opened = store.open("task");
    expect(await deleting).toBe(true);
    expect(await opened).toBeUndefined();
    expect((await store.create({ taskId: "task", title: "Again" })).title).toBe("Again");
  });

  test.each([
    ["the subtasks remain", (folder: string) => renameSync(join(folder, "task"), join(folder, TRASH))],
    [
      "one subtask remains",
      (folder: string) => {
        renameSync(join(folder, "task"), join(folder, TRASH));
        renameSync(join(folder, "part-1"), join(folder, TRASH.replace("0123", "9999")));
      },
    ],
    [
      "only files remain",
      (folder: string) => {
        renameSync(join(folder, "task"), join(folder, TRASH));
        for (const part of ["part-1", "part-2"]) rmSync(join(folder, part), { recursive: true });
        rmSync(join(folder, TRASH, "log.jsonl"));
      },
    ],
  ])("a deletion that a crash interrupted is completed at the next start: %s", async (_what, crash) => {
    const folder = makeFolder();
    const before = openStore(folder).store;
    await createAll(before, ["keep", "task"]);
    for (const taskId of ["part-1", "part-2"])
      await before.create({ taskId, title: "", parentTaskId: "task" });
    await before.create({ taskId: "other", title: "", parentTaskId: "keep" });
    await before.rename("task", "Renamed");
    crash(folder);
    const { store, warnings } = openStore(folder);
    // Opening a task completes the deletion first.
    for (const taskId of ["part-1", "part-2", "task"]) expect(await store.open(taskId)).toBeUndefined();
    expect(readdirSync(folder).toSorted()).toEqual(["keep", "other"]);
    expect(idsOf(await store.list(9))).toEqual(["keep"]);
    expect(warnings).toEqual([]);
  });

  test("a subtask whose parent was removed by hand is kept", async () => {
    const folder = makeFolder();
    const before = openStore(folder).store;
    await createAll(before, ["task"]);
    await before.create({ taskId: "part", title: "", parentTaskId: "task" });
    rmSync(join(folder, "task"), { recursive: true });
    const { store } = openStore(folder);
    await store.list(1);
    expect(await store.has("part")).toBe(true);
  });

  test("a task whose folder was removed by hand can be deleted", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    await store.create({ taskId: "task", title: "" });
    rmSync(join(folder, "task"), { recursive: true });
    expect(await store.delete("task")).toBe(true);
    expect(await store.list(9)).toEqual([]);
  });

  test.runIf(process.getuid?.() !== 0)(
    "a folder that is not writable causes an error, and the task is kept",
    async () => {
      const folder = makeFolder();
      const { store } = openStore(folder);
      const log = await store.create({ taskId: "task", title: "" });
      chmodSync(folder, 0o500);
      await expect(store.delete("task")).rejects.toThrow("Could not delete the task: ");
      chmodSync(folder, 0o700);
      expect(log.isBroken).toBe(true);
      await (await openTask(store, "task")).append(said("still there"));
    },
  );
});

describe("at the task limit", () => {
  const completed: TaskEntry = { status: "completed" };

  /** Creates idle tasks a, b, c, and d, and gives each a time of its own. */
  async function fill(folder: string, done: readonly string[] = []): Promise<void> {
    const { store } = openStore(folder);
    for (const [index, taskId] of ["a", "b", "c", "d"].entries()) {
      const log = await store.create({ taskId, title: "" }, said("hello"));
      if (done.includes(taskId)) await log.append(completed);
      await store.release(log);
      utimesSync(join(folder, taskId, "log.jsonl"), 1000 + index, 1000 + index);
    }
  }

  test("the oldest task is archived with its files, and the operator can restore it", async () => {
    const folder = makeFolder();
    await fill(folder);
    const removed: unknown[] = [];
    const { store, warnings } = openStore(folder, {
      maxTasks: 4,
      onRemoved: (...event) => removed.push(event),
    });
    await store.create({ taskId: "e", title: "" });
    expect(idsOf(await store.list(9))).toEqual(["e", "d", "c", "b"]);
    expect(await store.has("a")).toBe(false);
    expect(removed).toEqual([["a", "archive"]]);
    expect(warnings).toEqual(['agent: storage: task "a" was archived because of the task limit (4).']);
    expect(readdirSync(join(folder, ".archive"))).toEqual(["a"]);
    renameSync(join(folder, ".archive", "a"), join(folder, "a"));
    expect((await openTask(openStore(folder).store, "a")).entries).toHaveLength(1);
  });

  test("completed tasks go first", async () => {
    const folder = makeFolder();
    await fill(folder, ["b", "d"]);
    const { store } = openStore(folder, { maxTasks: 4 });
    await createAll(store, ["e", "f", "g"]);
    expect(readdirSync(join(folder, ".archive")).toSorted()).toEqual(["a", "b", "d"]);
  });

  test("a task that was completed and then continued is not completed", async () => {
    const folder = makeFolder();
    await fill(folder, ["b", "c"]);
    const { store } = openStore(folder, { maxTasks: 4 });
    await (await openTask(store, "b")).append({ status: "streaming" });
    await createAll(store, ["e"]);
    expect(readdirSync(join(folder, ".archive"))).toEqual(["c"]);
  });

  test("tasks in use and tasks with a subtask in use are never removed", async () => {
    const folder = makeFolder();
    await fill(folder, ["a", "b"]);
    await openStore(folder).store.create({ taskId: "part", title: "", parentTaskId: "b" });
    const inUse = new Set(["a", "part", "c"]);
    const { store } = openStore(folder, { maxTasks: 5, isInUse: (taskId) => inUse.has(taskId) });
    await createAll(store, ["e"]);
    expect(readdirSync(join(folder, ".archive"))).toEqual(["d"]);
    inUse.add("e");
    await expect(store.create({ taskId: "f", title: "" })).rejects.toThrow(
      new StorageError(
        "Too many tasks (limit: 5), and all of them are in use. Try again later, or ask the operator to raise `maxTasks`.",
      ),
    );
    expect(await store.has("f")).toBe(false);
  });

  test("subtasks are archived with their task, also if a crash interrupts it", async () => {
    const folder = makeFolder();
    await fill(folder, ["a"]);
    const before = openStore(folder).store;
    await before.create({ taskId: "part", title: "", parentTaskId: "a" });
    await openStore(folder, { maxTasks: 5 }).store.create({ taskId: "e", title: "" });
    expect(readdirSync(join(folder, ".archive")).toSorted()).toEqual(["a", "part"]);
    // The state after a crash between the two moves.
    renameSync(join(folder, ".archive", "part"), join(folder, "part"));
    const { store } = openStore(folder);
    expect(await store.open("part")).toBeUndefined();
    expect(readdirSync(join(folder, ".archive")).toSorted()).toEqual(["a", "part"]);
  });

  test("parallel creations remove exactly as many tasks as necessary", async () => {
    const folder = makeFolder();
    await fill(folder);
    const { store } = openStore(folder, { maxTasks: 5 });
    const created = ["e", "f", "g"].map((taskId) => store.create({ taskId, title: "" }));
    await Promise.all(created);
    expect(readdirSync(folder).toSorted()).toEqual([".archive", "c", "d", "e", "f", "g"]);
  });

  test("an archived ID that is used again does not replace the archived task", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder, { maxTasks: 1 });
    for (const taskId of ["a", "b", "a", "b"]) await store.create({ taskId, title: "" });
    const names = readdirSync(join(folder, ".archive")).toSorted();
    expect(names).toHaveLength(3);
    expect(names.filter((name) => name.startsWith("a"))).toHaveLength(2);
  });

  test("`delete` deletes the task, and `reject` rejects the new one", async () => {
    const folder = makeFolder();
    await fill(folder);
    await openStore(folder, { maxTasks: 4, whenFull: "delete" }).store.create({ taskId: "e", title: "" });
    expect(readdirSync(folder).toSorted()).toEqual(["b", "c", "d", "e"]);
    await expect(
      openStore(folder, { maxTasks: 4, whenFull: "reject" }).store.create({ taskId: "f", title: "" }),
    ).rejects.toThrow(
      new StorageError(
        "Too many tasks (limit: 4). Delete old tasks, or ask the operator to raise `maxTasks`.",
      ),
    );
    expect(readdirSync(folder).toSorted()).toEqual(["b", "c", "d", "e"]);
  });

  test("a task that cannot be created does not remove another task", async () => {
    const folder = makeFolder();
    await fill(folder);
    const { store } = openStore(folder, { maxTasks: 4, maxTaskBytes: 300 });
    await expect(store.create({ taskId: "e", title: "" }, said("x".repeat(400)))).rejects.toThrow(
      "too large",
    );
    await expect(store.create({ taskId: "a", title: "" })).rejects.toThrow("already exists");
    expect(readdirSync(folder).toSorted()).toEqual(["a", "b", "c", "d"]);
  });
});
