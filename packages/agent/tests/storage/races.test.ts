import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TaskSearcher } from "../../src/storage/list/search-tasks.js";
import type { TaskSummary } from "../../src/storage/list/task-list.js";
import { StorageError } from "../../src/storage/storage-error.js";
import { TaskLocks } from "../../src/storage/task-locks.js";
import { TaskStore } from "../../src/storage/task-store.js";
import { createAll, idsOf, makeFolder, openStore, openTask, said } from "../support/storage/folders.js";

describe("work on the same task at the same time", () => {
  test("a task that is created while it is deleted is a new task", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    const old = await store.create({ taskId: "task", title: "Old" }, said("old"));
    const [isDeleted, log] = await Promise.all([
      store.delete("task"),
      store.create({ taskId: "task", title: "New" }, said("new")),
    ]);
    expect(isDeleted).toBe(true);
    expect(log.title).toBe("New");
    await expect(old.append(said("late"))).rejects.toThrow("The task was deleted.");
    await log.append(said("more"));
    expect((await openTask(openStore(folder).store, "task")).entries).toHaveLength(2);
  });

  test("of two deletions, one finds the task", async () => {
    const { store } = openStore(makeFolder());
    await createAll(store, ["task"]);
    const results = await Promise.all([store.delete("task"), store.delete("task")]);
    expect(results).toEqual([true, false]);
  });

  test("a new title never reaches a new task with the same ID", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    await createAll(store, ["task"]);
    const [isRenamed] = await Promise.all([
      store.rename("task", "Renamed"),
      store.delete("task"),
      store.create({ taskId: "task", title: "New" }),
      store.delete("missing"),
    ]);
    expect(isRenamed).toBe(true);
    expect((await openTask(store, "task")).title).toBe("New");
    expect((await openStore(folder).store.list(9)).map(({ title }) => title)).toEqual(["New"]);
  });

  test("a subtask that is created while its task is deleted is deleted or rejected", async () => {
    for (const isFirst of [true, false]) {
      const folder = makeFolder();
      const { store } = openStore(folder);
      await createAll(store, ["task"]);
      const create = () => store.create({ taskId: "part", title: "", parentTaskId: "task" }, said("hello"));
      const early = isFirst ? create() : undefined;
      const deleting = store.delete("task");
      const [created] = await Promise.allSettled([early ?? create(), deleting]);
      expect(created.status).toBe(isFirst ? "fulfilled" : "rejected");
      if (created.status === "rejected") {
        expect(created.reason).toEqual(new StorageError("The parent task does not exist."));
      } else {
        await expect(created.value.append(said("late"))).rejects.toThrow("The task was deleted.");
      }
      expect(await store.has("part")).toBe(false);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test("a task is not removed for a new one if it is used meanwhile", async () => {
    const folder = makeFolder();
    await createAll(openStore(folder).store, ["a", "b"]);
    const inUse = new Set<string>();
    let checks = 0;
    const { store } = openStore(folder, {
      maxTasks: 2,
      isInUse: (taskId) => {
        // The oldest task is used after it was selected.
        if (taskId === "a" && checks++ === 0) queueMicrotask(() => inUse.add("a"));
        return inUse.has(taskId);
      },
    });
    await store.create({ taskId: "c", title: "" });
    expect(await store.has("a")).toBe(true);
    expect(readdirSync(join(folder, ".archive"))).toEqual(["b"]);
  });

  test("locks of several tasks are taken together, in call order", async () => {
    const locks = new TaskLocks();
    const events: string[] = [];
    const work = (name: string) => async () => {
      events.push(name);
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      events.push(`${name} ended`);
    };
    const all = [
      locks.run(["a", "b"], work("ab")),
      locks.run(["b", "c"], work("bc")),
      locks.run(["c", "a"], work("ca")),
    ];
    expect(["a", "b", "c", "d"].map((id) => locks.isHeld(id))).toEqual([true, true, true, false]);
    await Promise.all(all);
    expect(events).toEqual(["ab", "ab ended", "bc", "bc ended", "ca", "ca ended"]);
    await expect(locks.run(["a"], () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(locks.isHeld("a")).toBe(false);
  });

  test("after any mix of concurrent changes, the list, the open logs, and the disk agree", async () => {
    const step = fc.record({
      action: fc.constantFrom(
        "create",
        "create",
        "part",
        "open",
        "append",
        "rename",
        "delete",
        "page",
        "search",
      ),
      which: fc.nat({ max: 2 }),
      turns: fc.nat({ max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const folder = makeFolder();
        const store = new TaskStore({ folder, maxTasks: 5 });
        const run = async (action: string, taskId: string, index: number): Promise<unknown> => {
          if (action === "create") return store.create({ taskId, title: `${index}` }, said("hello"));
          if (action === "part")
            return store.create({ taskId: `part-${index}`, title: "", parentTaskId: taskId });
          if (action === "rename") return store.rename(taskId, `renamed ${index}`);
          if (action === "delete") return store.delete(taskId);
          if (action === "page") return store.page({ limit: 3 });
          if (action === "search") return store.page({ limit: 3, search: "hello" });
          const log = await store.open(taskId);
          if (log === undefined) return undefined;
          if (action === "append") await log.append(said(`${index}`));
          return store.release(log);
        };
        const running: Promise<unknown>[] = [];
        for (const [index, { action, which, turns }] of steps.entries()) {
          running.push(run(action, `task-${which}`, index));
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
          if (turns === 6) await Promise.allSettled(running);
        }
        for (const result of await Promise.allSettled(running)) {
          if (result.status === "rejected") expect(result.reason).toBeInstanceOf(StorageError);
        }
        const listed = await store.list(99);
        const again = new TaskStore({ folder });
        const byId = (tasks: typeof listed) => new Map(tasks.map(({ taskId, title }) => [taskId, title]));
        expect(byId(await again.list(99))).toEqual(byId(listed));
        const names = readdirSync(folder).filter((name) => name !== ".archive");
        expect(names.filter((name) => name.startsWith("task-")).toSorted()).toEqual(
          [...idsOf(listed)].toSorted(),
        );
        for (const taskId of new Set(["task-0", "task-1", "task-2", ...names])) {
          const [log, other] = [await store.open(taskId), await again.open(taskId)];
          expect([taskId, log?.entries, log?.title]).toEqual([taskId, other?.entries, other?.title]);
          if (log === undefined) continue;
          // No subtask is left without its task, and every log is usable.
          if (log.parentTaskId !== undefined) expect(names).toContain(log.parentTaskId);
          await log.append(said("last"));
        }
        await Promise.all([store.close(), again.close()]);
        rmSync(folder, { recursive: true });
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});

describe("searches while tasks change", () => {
  test.each([
    ["is deleted", undefined],
    ["is replaced by a task of another user", { taskId: "a", title: "needle", owner: "bob", updatedAt: 2 }],
  ])("a task that %s during a search is not found", async (_what, later) => {
    for (const title of ["needle", "other"]) {
      const first: TaskSummary = { taskId: "a", title, owner: "ann", updatedAt: 1 };
      const search = async (isChanged: () => boolean, change: () => void) => {
        const searcher = new TaskSearcher({
          find: () => (isChanged() ? later : first),
          read: async () => {
            change();
            return { entries: [said("needle")], bytes: 10 };
          },
        });
        return idsOf((await searcher.search([first], { words: ["needle"], limit: 9 })).tasks);
      };
      const keep = () => undefined;
      expect(await search(() => false, keep)).toEqual(["a"]);
      // The task changes before it is searched.
      expect(await search(() => true, keep)).toEqual([]);
      // The task changes while it is read. A title that matches is not read.
      let isChanged = false;
      const change = () => void (isChanged = true);
      expect(await search(() => isChanged, change)).toEqual(title === "needle" ? ["a"] : []);
    }
  });

  test("a search of one user does not find the tasks of others and tasks without an owner", async () => {
    const { store } = openStore(makeFolder());
    await store.create({ taskId: "a", title: "T", owner: "ann" }, said("needle"));
    await store.create({ taskId: "b", title: "needle", owner: "bob" });
    await store.create({ taskId: "c", title: "needle" });
    const find = async (owner?: string) =>
      idsOf((await store.page({ limit: 9, search: "needle", owner })).tasks);
    expect(await find("ann")).toEqual(["a"]);
    expect(await find("bob")).toEqual(["b"]);
    expect(await find("eve")).toEqual([]);
    expect(await find()).toEqual(["c", "b", "a"]);
  });

  test("one user can have four searches at the same time, and others can still search", async () => {
    const { store } = openStore(makeFolder());
    await store.create({ taskId: "a", title: "needle", owner: "ann" });
    const search = (owner: string) => store.page({ limit: 9, search: "needle", owner });
    const results = await Promise.allSettled([
      ...Array.from({ length: 5 }, () => search("ann")),
      search("bob"),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      ...Array<string>(4).fill("fulfilled"),
      "rejected",
      "fulfilled",
    ]);
    expect(results[4]).toMatchObject({
      reason: new StorageError("Too many searches at the same time (limit: 4). Try again later."),
    });
    expect((await search("ann")).tasks).toHaveLength(1);
  });
});

describe("subtasks", () => {
  test("a subtask has the owner of its parent, also after a restart", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    await store.create({ taskId: "task", title: "", owner: "ann" });
    const part = await store.create({ taskId: "part", title: "", parentTaskId: "task" });
    expect(part.owner).toBe("ann");
    await store.create({ taskId: "same", title: "", parentTaskId: "part", owner: "ann" });
    expect(await openStore(folder).store.headerOf("part")).toMatchObject({
      owner: "ann",
      parentTaskId: "task",
    });
  });

  test.each([
    [
      { taskId: "part", title: "", parentTaskId: "task", owner: "bob" },
      "A subtask must have the owner of its parent task.",
    ],
    [
      { taskId: "part", title: "", parentTaskId: "free", owner: "bob" },
      "A subtask must have the owner of its parent task.",
    ],
    [{ taskId: "part", title: "", parentTaskId: "missing" }, "The parent task does not exist."],
    [{ taskId: "part", title: "", parentTaskId: "part" }, "The parent task does not exist."],
  ])("the subtask %j is rejected", async (header, message) => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    await store.create({ taskId: "task", title: "", owner: "ann" });
    await store.create({ taskId: "free", title: "" });
    await expect(store.create(header)).rejects.toThrow(new StorageError(message));
    expect(readdirSync(folder).toSorted()).toEqual(["free", "task"]);
  });

  test("subtasks of subtasks are archived at the next start if a crash interrupted it", async () => {
    const folder = makeFolder();
    const before = openStore(folder).store;
    await createAll(before, ["task"]);
    await before.create({ taskId: "part", title: "", parentTaskId: "task" });
    await before.create({ taskId: "part-of-part", title: "", parentTaskId: "part" });
    mkdirSync(join(folder, ".archive"));
    renameSync(join(folder, "task"), join(folder, ".archive", "task"));
    expect(await openStore(folder).store.open("part-of-part")).toBeUndefined();
    expect(readdirSync(folder)).toEqual([".archive"]);
    expect(readdirSync(join(folder, ".archive")).toSorted()).toEqual(["part", "part-of-part", "task"]);
  });
});

describe("the archive", () => {
  test("tasks that wait for an approval go last, and the status survives a restart", async () => {
    const folder = makeFolder();
    const before = openStore(folder).store;
    await before.create({ taskId: "waiting", title: "" }, { status: "waiting" });
    await before.create({ taskId: "idle", title: "" }, { status: "idle" });
    const { store } = openStore(folder, { maxTasks: 2 });
    expect((await openTask(store, "waiting")).status).toBe("waiting");
    await store.create({ taskId: "new", title: "" }, { status: "waiting" });
    expect(readdirSync(join(folder, ".archive"))).toEqual(["idle"]);
    await store.create({ taskId: "newer", title: "" });
    expect(readdirSync(join(folder, ".archive")).toSorted()).toEqual(["idle", "waiting"]);
  });

  test.each(["a link", "a file"])("an archive that is %s is not used", async (what) => {
    const folder = makeFolder();
    const outside = makeFolder();
    await createAll(openStore(folder).store, ["a"]);
    if (what === "a link") symlinkSync(outside, join(folder, ".archive"));
    else writeFileSync(join(folder, ".archive"), "");
    const { store } = openStore(folder, { maxTasks: 1 });
    await expect(store.create({ taskId: "b", title: "" })).rejects.toThrow("Could not archive the task");
    expect(readdirSync(outside)).toEqual([]);
    expect(await store.has("a")).toBe(true);
    expect(await store.has("b")).toBe(false);
  });
});
