import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { StorageError } from "../../src/storage/storage-error.js";
import { createAll, makeFolder, openStore, openTask } from "../support/storage/folders.js";

test("a result is read in pages that never split a character", async () => {
  const folder = makeFolder();
  const { store } = openStore(folder);
  await store.create({ taskId: "task", title: "" });
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.integer({ min: 1, max: 60 }),
      async (text, limit) => {
        const { resultId, bytes } = await store.results.write("task", text);
        let read = "";
        for (let offset: number | undefined = 0; offset !== undefined;) {
          const page = await store.results.read("task", { resultId, offset, limit });
          expect(page).toMatchObject({ offset, bytes });
          expect(Buffer.byteLength(page?.text ?? "")).toBeLessThanOrEqual(Math.max(limit, 4));
          read += page?.text ?? "";
          offset = page?.nextOffset;
        }
        // A lone surrogate cannot be stored in UTF-8.
        expect(read).toBe(Buffer.from(text).toString());
      },
    ),
    { numRuns: 100 },
  );
});

test.each([
  [-5, "€uro", 0],
  [1, "uro", 3],
  [3, "uro", 3],
  [99, "", 6],
  [NaN, "€uro", 0],
])("the offset %d is moved to the next character", async (offset, text, at) => {
  const { store } = openStore(makeFolder());
  await store.create({ taskId: "task", title: "" });
  const { resultId, bytes } = await store.results.write("task", "€uro");
  expect(await store.results.read("task", { resultId, offset })).toEqual({ text, offset: at, bytes });
});

test("a result with a log entry survives a restart, and one without is removed", async () => {
  const folder = makeFolder();
  const { store } = openStore(folder);
  const log = await store.create({ taskId: "task", title: "" });
  const kept = await store.results.write("task", "kept");
  const lost = await store.results.write("task", "lost");
  await log.append({ storedResult: kept });
  const again = openStore(folder).store;
  expect((await openTask(again, "task")).entries).toEqual([{ storedResult: kept }]);
  expect(await again.results.read("task", kept)).toEqual({ text: "kept", offset: 0, bytes: 4 });
  expect(await again.results.read("task", lost)).toBeUndefined();
});

test("a result is kept if an unreadable line may refer to it", async () => {
  const folder = makeFolder();
  const { store } = openStore(folder);
  const log = await store.create({ taskId: "task", title: "" });
  const { resultId } = await store.results.write("task", "kept");
  await store.release(log);
  writeFileSync(join(folder, "task", "log.jsonl"), '{"later":true}\n', { flag: "a" });
  const again = openStore(folder).store;
  await openTask(again, "task");
  expect(await again.results.read("task", { resultId })).toMatchObject({ text: "kept" });
});

test("the results of a task are limited, also after a restart", async () => {
  const folder = makeFolder();
  const options = { maxResultBytes: 10 };
  const { store } = openStore(folder, options);
  const log = await store.create({ taskId: "task", title: "" });
  const results = await Promise.allSettled(
    ["1234", "5678", "9ab"].map((text) => store.results.write("task", text)),
  );
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  expect(results[2]).toMatchObject({
    reason: new StorageError("The results of this task are too large (limit: 10 bytes). Start a new task."),
  });
  for (const result of results)
    if (result.status === "fulfilled") await log.append({ storedResult: result.value });
  const again = openStore(folder, options).store;
  await openTask(again, "task");
  await expect(again.results.write("task", "9ab")).rejects.toThrow("are too large");
  await again.results.write("task", "9a");
});

test.each(["../log", "log.jsonl", "", "01234567-89ab-cdef-0123-456789abcdef"])(
  "the result %j does not exist",
  async (resultId) => {
    const folder = makeFolder();
    const { store } = openStore(folder);
    await store.create({ taskId: "task", title: "" });
    for (const taskId of ["task", "missing", "../task"]) {
      expect(await store.results.read(taskId, { resultId })).toBeUndefined();
    }
    expect(existsSync(join(folder, "missing"))).toBe(false);
  },
);

test("a result cannot be stored for a task that is not open", async () => {
  const folder = makeFolder();
  const { store } = openStore(folder);
  await createAll(store, ["task"]);
  for (const taskId of ["task", "missing", "../task"]) {
    await expect(store.results.write(taskId, "text")).rejects.toThrow(
      new StorageError("The task of this result is not open."),
    );
  }
  await openTask(store, "task");
  const { resultId } = await store.results.write("task", "text");
  await store.delete("task");
  await expect(store.results.write("task", "text")).rejects.toThrow(StorageError);
  await store.create({ taskId: "task", title: "" });
  expect(await store.results.read("task", { resultId })).toBeUndefined();
});

test("a damaged result is still read to its end", async () => {
  const folder = makeFolder();
  const { store } = openStore(folder);
  await store.create({ taskId: "task", title: "" });
  const { resultId } = await store.results.write("task", "text");
  const damaged = Buffer.from([0xe2, ...Array<number>(20).fill(0x82), 0x41]);
  writeFileSync(join(folder, "task", `result-${resultId}.txt`), damaged);
  let pages = 0;
  for (let offset: number | undefined = 0; offset !== undefined; pages++) {
    const page = await store.results.read("task", { resultId, offset, limit: 4 });
    if (page?.nextOffset !== undefined) expect(page.nextOffset).toBeGreaterThan(offset);
    offset = page?.nextOffset;
  }
  expect(pages).toBeLessThan(10);
});
