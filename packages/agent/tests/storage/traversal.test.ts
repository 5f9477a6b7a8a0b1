import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { showValue } from "@tenon/internal/kind-of";
import { isTaskId, TASK_ID_RULE } from "../../src/storage/task-id.js";
import { StorageError } from "../../src/storage/storage-error.js";
import { makeFolder, openStore, snapshot } from "../support/storage/folders.js";

/** Invalid task IDs, grouped by attack. */
const TRIES = {
  dots: [
    "",
    " ",
    ".",
    "..",
    "...",
    "../outside",
    "..\\outside",
    "../../etc/passwd",
    "a/..",
    "a/../../outside",
  ],
  roots: [
    "/",
    "\\",
    "/etc/passwd",
    "C:\\Windows",
    "C:",
    "\\\\host\\share",
    "//host/share",
    "file:///etc/passwd",
  ],
  separators: [
    "a/b",
    "a\\b",
    "./a",
    ".\\a",
    ".hidden",
    ".new-00000000-0000-0000-0000-000000000000",
    "~",
    "~root",
  ],
  encoded: ["%2e%2e", "%2e%2e%2foutside", "..%2foutside", "%252e%252e", "..%c0%af", "%00", "a%00b"],
  endings: [
    "\0",
    "a\0",
    "a\0.jsonl",
    "..\0/",
    "a\n",
    "\na",
    "a\r",
    "a\t",
    "a ",
    " a",
    "a.",
    "a.jsonl",
    "a:stream",
  ],
  lookalikes: [
    "‥",
    "․․",
    "．．",
    "．．／outside",
    "..∕outside",
    "..⁄outside",
    "..＼outside",
    "а",
    "a\u0301",
    "é",
    "ａ",
    "１",
  ],
  odd: [
    "a\u200b",
    "\u202ea",
    "\ufeffa",
    "\ud800",
    "😀",
    "-",
    "-rf",
    "--",
    "_",
    "_a",
    "*",
    "a*",
    "a?",
    "$HOME",
  ],
  shells: [
    "`id`",
    "$(id)",
    "a;b",
    "a|b",
    "a&b",
    "'",
    '"',
    "<a>",
    "__proto__",
    "x".repeat(129),
    "x".repeat(100_000),
  ],
  devices: ["con", "CON", "Con", "prn", "aux", "nul", "NUL", "com0", "com1", "COM9", "lpt0", "lpt1", "LPT9"],
};
const HOSTILE = Object.values(TRIES).flat();

test("the table contains more than 90 different IDs", () => {
  expect(new Set(HOSTILE).size).toBe(HOSTILE.length);
  expect(HOSTILE.length).toBeGreaterThan(90);
});

test.each(HOSTILE.map((name) => [name.slice(0, 60), name]))(
  "the id %j does not touch the file system",
  async (_title, name) => {
    const base = makeFolder();
    const folder = join(base, "storage");
    mkdirSync(join(base, "outside"));
    mkdirSync(folder);
    const bait = '{"v":1,"taskId":"outside","title":"bait","createdAt":0}\n';
    writeFileSync(join(base, "outside", "log.jsonl"), bait);
    writeFileSync(join(base, "log.jsonl"), bait);
    const before = snapshot(base);
    const { store } = openStore(folder);
    expect(isTaskId(name)).toBe(false);
    expect(await store.has(name)).toBe(false);
    expect(await store.open(name)).toBeUndefined();
    await expect(store.create({ taskId: name, title: "t" })).rejects.toThrow(
      new StorageError(`A task ID must be ${TASK_ID_RULE}; got ${showValue(name)}.`),
    );
    await expect(store.create({ taskId: "fine", title: "t", parentTaskId: name })).rejects.toThrow(
      StorageError,
    );
    expect(await store.list(10)).toEqual([]);
    expect(snapshot(base)).toEqual(before);
  },
);

test("a task folder or log that is a link is not a task, and nothing is written through it", async () => {
  const base = makeFolder();
  const folder = join(base, "storage");
  mkdirSync(join(folder, "inner"), { recursive: true });
  mkdirSync(join(base, "outside"));
  const line = (taskId: string) => `${JSON.stringify({ v: 1, taskId, title: "bait", createdAt: 0 })}\n`;
  writeFileSync(join(base, "outside", "log.jsonl"), line("linked"));
  writeFileSync(join(base, "inner.jsonl"), line("inner"));
  symlinkSync("../outside", join(folder, "linked"));
  symlinkSync("../../inner.jsonl", join(folder, "inner", "log.jsonl"));
  symlinkSync("nowhere", join(folder, "dangling"));
  symlinkSync("../outside", join(folder, ".new-00000000-0000-0000-0000-000000000000"));
  const before = snapshot(base);
  const { store } = openStore(folder);
  for (const taskId of ["linked", "inner", "dangling"]) {
    expect(await store.has(taskId)).toBe(false);
    expect(await store.open(taskId)).toBeUndefined();
    await expect(store.create({ taskId, title: "t" })).rejects.toThrow(
      new StorageError(`Task "${taskId}" already exists.`),
    );
  }
  expect(await store.list(10)).toEqual([]);
  expect(snapshot(base)).toEqual(before);
  expect(readdirSync(join(base, "outside"))).toEqual(["log.jsonl"]);
});
