import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StorageError } from "../../src/storage/storage-error.js";
import type { TaskEntry } from "../../src/storage/task-entry.js";
import { TaskStore } from "../../src/storage/task-store.js";
import { createAll, idsOf, makeFolder, openStore, openTask, said } from "../support/storage/folders.js";

const DRAFT = ".new-01234567-89ab-cdef-0123-456789abcdef";

describe("paging", () => {
  test("pages contain every task once, newest first", async () => {
    const { store } = openStore(makeFolder());
    await createAll(store, ["a", "b", "c", "d", "e"]);
    const first = await store.page({ limit: 2 });
    const second = await store.page({ limit: 2, cursor: first.nextCursor });
    const third = await store.page({ limit: 2, cursor: second.nextCursor });
    expect([first, second, third].map(({ tasks }) => idsOf(tasks))).toEqual([["e", "d"], ["c", "b"], ["a"]]);
    expect(third.nextCursor).toBeUndefined();
    expect((await store.page({ limit: 5 })).nextCursor).toBeUndefined();
  });

  test("tasks that are created, changed, or deleted between two pages do not shift the other tasks", async () => {
    const { store } = openStore(makeFolder());
    await createAll(store, ["a", "b", "c", "d", "e", "f"]);
    const first = await store.page({ limit: 3 });
    expect(idsOf(first.tasks)).toEqual(["f", "e", "d"]);
    await createAll(store, ["new"]);
    await (await openTask(store, "b")).append(said("changed"));
    await store.delete("d"); // the task that the cursor names
    await store.delete("f");
    const second = await store.page({ limit: 3, cursor: first.nextCursor });
    expect(idsOf(second.tasks)).toEqual(["c", "a"]);
    expect(idsOf((await store.page({ limit: 9 })).tasks)).toEqual(["b", "new", "e", "c", "a"]);
  });

  test.each(["", "x", "1", "1-", "-a", "1-../a", `1-${"x".repeat(200)}`, "9".repeat(30) + "-a", "1-a\n"])(
    "the cursor %j is rejected",
    async (cursor) => {
      const { store } = openStore(makeFolder());
      await createAll(store, ["a"]);
      await expect(store.page({ limit: 1, cursor })).rejects.toThrow(
        new StorageError("The cursor is invalid. Request the first page again."),
      );
    },
  );

  test("with an owner, only the tasks of this user are listed, also after a restart", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    await store.create({ taskId: "a", title: "A", owner: "ann" });
    await store.create({ taskId: "b", title: "B", owner: "bob" });
    await store.create({ taskId: "c", title: "C" });
    for (const each of [store, openStore(folder).store]) {
      expect(await each.page({ limit: 9, owner: "ann" })).toEqual({
        tasks: [{ taskId: "a", title: "A", owner: "ann", updatedAt: expect.any(Number) }],
      });
      expect(idsOf((await each.page({ limit: 9, owner: "an" })).tasks)).toEqual([]);
      expect(idsOf((await each.page({ limit: 9 })).tasks).toSorted()).toEqual(["a", "b", "c"]);
      expect(await each.headerOf("b")).toMatchObject({ taskId: "b", owner: "bob" });
      expect((await openTask(each, "b")).owner).toBe("bob");
    }
  });

  test.each(["", "a\nb", "x".repeat(1601), "\ud800", "\u202e"])("the owner %j is rejected", async (owner) => {
    const { store } = openStore(makeFolder());
    await expect(store.create({ taskId: "a", title: "", owner })).rejects.toThrow(
      new StorageError("The owner's user ID is invalid."),
    );
  });

  test("the longest header is readable", async () => {
    const folder = makeFolder();
    const header = {
      taskId: "t".repeat(128),
      parentTaskId: "p".repeat(128),
      title: "\0".repeat(500),
      owner: "€".repeat(1600),
    };
    const { store } = openStore(folder);
    await store.create({ taskId: header.parentTaskId, title: "", owner: header.owner });
    await store.create(header);
    expect(await openStore(folder).store.headerOf(header.taskId)).toEqual(header);
  });

  test("a task whose owner is not readable is not a task", async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, "task"));
    const header = { v: 1, taskId: "task", title: "", owner: 7, createdAt: 0 };
    writeFileSync(join(folder, "task", "log.jsonl"), `${JSON.stringify(header)}\n`);
    expect(await openStore(folder).store.open("task")).toBeUndefined();
  });
});

describe("searching", () => {
  const entry = (type: string, data: Record<string, unknown>): TaskEntry => ({ shown: { type, data } });

  async function searchable() {
    const { store } = openStore(makeFolder());
    await store.create({ taskId: "title", title: "Holiday in KYŌTO" });
    const user = await store.create({ taskId: "user", title: "One" });
    await user.append(entry("userSendMessage", { message: "Where is the Library?" }));
    const model = await store.create({ taskId: "model", title: "Two" });
    await model.append(entry("message", { message: "The\nlibrary is closed on Sundays." }));
    const question = await store.create({ taskId: "question", title: "Three" });
    await question.append(entry("askFollowupQuestion", { question: "Which library?" }));
    const hidden = await store.create({ taskId: "hidden", title: "Four" });
    await hidden.append(entry("think", { message: "library" }));
    await hidden.append(entry("tool", { toolName: "library", message: "library", toolResult: "library" }));
    await hidden.append({ model: { role: "system", content: "library" } });
    return store;
  }

  test.each([
    ["library", ["question", "model", "user"]],
    ["LIBR", ["question", "model", "user"]],
    ["  closed   libr ", ["model"]],
    ["library kyōto", []],
    ["kyo\u0304to", ["title"]],
    ["hol", ["title"]],
    ["one", ["user"]],
    ["no such word", []],
  ])("the search %j finds %j", async (search, found) => {
    const store = await searchable();
    expect(idsOf((await store.page({ limit: 9, search })).tasks)).toEqual(found);
  });

  test("an empty search lists all tasks", async () => {
    const store = await searchable();
    expect((await store.page({ limit: 9, search: "  " })).tasks).toHaveLength(5);
  });

  test("tasks that are not open are searched on disk, and results show where the words are", async () => {
    const folder = makeFolder();
    const log = await openStore(folder).store.create({ taskId: "task", title: "T" });
    await log.append(
      entry("message", { message: `${"x ".repeat(500)}the\u202e\tNeedle\n${"y ".repeat(500)}` }),
    );
    const { tasks } = await openStore(folder).store.page({ limit: 1, search: "needle" });
    expect(tasks[0]?.excerpt).toMatch(/^(?:x ){10,}the Needle (?:y ){10,}y?$/);
    expect(tasks[0]?.excerpt?.length).toBeLessThanOrEqual(160);
  });

  test("one search reads a limited amount, and its cursor continues the search", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    for (let index = 0; index < 4; index++) {
      const log = await store.create({ taskId: `task-${index}`, title: "T" });
      await log.append(
        entry("message", { message: `${index === 0 ? "needle" : "hay"} ${"x".repeat(12_000_000)}` }),
      );
      await store.release(log);
    }
    const first = await store.page({ limit: 9, search: "needle" });
    expect(first.tasks).toEqual([]);
    expect(first.nextCursor).toBeDefined();
    const second = await store.page({ limit: 9, search: "needle", cursor: first.nextCursor });
    expect(second).toMatchObject({ tasks: [{ taskId: "task-0" }] });
    expect(second.nextCursor).toBeUndefined();
  }, 60_000);

  test("too many searches at the same time are rejected", async () => {
    const store = await searchable();
    const searches = Array.from({ length: 20 }, () => store.page({ limit: 9, search: "library" }));
    const results = await Promise.allSettled(searches);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(16);
    expect(results.at(-1)).toMatchObject({
      reason: new StorageError("Too many searches at the same time (limit: 16). Try again later."),
    });
    expect((await store.page({ limit: 9, search: "library" })).tasks).toHaveLength(3);
  });
});

describe("renaming", () => {
  test("a new title is in the list, in the open log, and on disk, and does not change the order", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    await createAll(store, ["a", "b"]);
    const before = readFileSync(join(folder, "a", "log.jsonl"));
    const log = await openTask(store, "a");
    expect(await store.rename("a", "  Zürich  ")).toBe(true);
    expect(log.title).toBe("Zürich");
    for (const each of [store, openStore(folder).store]) {
      expect((await each.list(9)).map(({ taskId, title }) => [taskId, title])).toEqual([
        ["b", "Title b"],
        ["a", "Zürich"],
      ]);
      expect((await openTask(each, "a")).title).toBe("Zürich");
      expect(await each.headerOf("a")).toMatchObject({ title: "Zürich" });
    }
    await log.append(said("more"));
    expect((await store.list(1))[0]).toMatchObject({ taskId: "a", title: "Zürich" });
    expect(readFileSync(join(folder, "a", "log.jsonl")).subarray(0, before.length)).toEqual(before);
  });

  test("parallel renames end with the last title, in memory and on disk", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    await createAll(store, ["a"]);
    await Promise.all(Array.from({ length: 20 }, (_, index) => store.rename("a", `Name ${index}`)));
    expect((await store.list(1))[0]?.title).toBe("Name 19");
    expect((await openStore(folder).store.list(1))[0]?.title).toBe("Name 19");
    expect(readdirSync(join(folder, "a")).toSorted()).toEqual(["log.jsonl", "meta.json"]);
  });

  test("a long title is truncated, an empty one is rejected, and an unknown task is not created", async () => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    await createAll(store, ["a"]);
    await store.rename("a", "\0".repeat(600));
    expect((await openStore(folder).store.list(1))[0]?.title).toBe("\0".repeat(500));
    await expect(store.rename("a", " \n")).rejects.toThrow(new StorageError("A title must not be empty."));
    for (const taskId of ["b", "../a", ""]) expect(await store.rename(taskId, "x")).toBe(false);
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  test.each([
    ["nothing", ""],
    ["half a file", '{"v":1,"ti'],
    ["a later format", '{"v":2,"title":"x"}'],
    ["a title that is not a text", '{"v":1,"title":7}'],
  ])("a title file with %s is ignored", async (_what, text) => {
    const folder = makeFolder();
    await createAll(openStore(folder).store, ["a"]);
    writeFileSync(join(folder, "a", "meta.json"), text);
    writeFileSync(join(folder, DRAFT), "left by a crash");
    const { store } = openStore(folder);
    expect((await store.list(1))[0]?.title).toBe("Title a");
    await store.rename("a", "New");
    expect((await openStore(folder).store.list(1))[0]?.title).toBe("New");
    expect(readdirSync(folder)).toEqual(["a"]);
    expect(readdirSync(join(folder, "a")).toSorted()).toEqual(["log.jsonl", "meta.json"]);
  });

  test("a title file that is a link is not followed", async () => {
    const folder = makeFolder();
    await createAll(openStore(folder).store, ["a"]);
    const outside = join(makeFolder(), "outside.json");
    writeFileSync(outside, '{"v":1,"title":"bait"}');
    symlinkSync(outside, join(folder, "a", "meta.json"));
    const { store } = openStore(folder);
    expect((await store.list(1))[0]?.title).toBe("Title a");
    await store.rename("a", "New");
    expect((await openStore(folder).store.list(1))[0]?.title).toBe("New");
    expect(readFileSync(outside, "utf8")).toBe('{"v":1,"title":"bait"}');
  });
});

test("after any sequence of changes, lists and pages show exactly the existing tasks", async () => {
  const steps = fc.array(
    fc.tuple(
      fc.constantFrom("create", "create", "part", "touch", "rename", "delete", "restart"),
      fc.nat({ max: 7 }),
    ),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (sequence, limit) => {
      const folder = makeFolder();
      let store = new TaskStore({ folder });
      const titles = new Map<string, string>();
      const parts = new Map<string, string>();
      for (const [index, [action, which]] of sequence.entries()) {
        const taskId = `task-${which}`;
        const isThere = titles.has(taskId);
        if (action === "create" && !isThere) {
          await store.create({ taskId, title: `first ${index}` });
          titles.set(taskId, `first ${index}`);
        } else if (action === "part" && isThere) {
          await store.create({ taskId: `part-${index}`, title: "", parentTaskId: taskId });
          parts.set(`part-${index}`, taskId);
        } else if (action === "touch" && isThere) {
          await (await openTask(store, taskId)).append(said(`${index}`));
        } else if (action === "rename") {
          expect(await store.rename(taskId, `renamed ${index}`)).toBe(isThere);
          if (isThere) titles.set(taskId, `renamed ${index}`);
        } else if (action === "delete") {
          expect(await store.delete(taskId)).toBe(isThere);
          titles.delete(taskId);
          for (const [part, parent] of parts) if (parent === taskId) parts.delete(part);
        } else if (action === "restart") {
          await store.close();
          store = new TaskStore({ folder });
        }
      }
      const listed: [string, string][] = [];
      let cursor: string | undefined;
      do {
        const page = await store.page({ limit, cursor });
        listed.push(...page.tasks.map(({ taskId, title }): [string, string] => [taskId, title]));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(listed).toHaveLength(titles.size);
      expect(new Map(listed)).toEqual(titles);
      expect(readdirSync(folder).toSorted()).toEqual([...titles.keys(), ...parts.keys()].toSorted());
      await store.close();
      rmSync(folder, { recursive: true });
    }),
    { numRuns: 100 },
  );
}, 120_000);
