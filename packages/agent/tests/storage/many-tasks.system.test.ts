import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder, openStore, openTask } from "../support/storage/folders.js";

const MEMORY = "/dev/shm";

test("finds 10,000 tasks and lists the newest", async () => {
  // Uses a file system in memory if possible, because creating the files takes longer than scanning them.
  const folder = makeFolder(existsSync(MEMORY) ? MEMORY : undefined);
  for (let index = 0; index < 10_000; index++) {
    const taskId = `task-${index}`;
    mkdirSync(join(folder, taskId));
    const header = { v: 1, taskId, title: `Task ${index}`, createdAt: index };
    writeFileSync(join(folder, taskId, "log.jsonl"), `${JSON.stringify(header)}\n`);
  }
  const last = [9999, 9998, 9997];
  const future = (index: number) => 10_000_000_000 + index;
  for (const index of last) {
    utimesSync(join(folder, `task-${index}`, "log.jsonl"), future(index), future(index));
  }
  const { store } = openStore(folder);
  const [newest] = await Promise.all([store.list(3), store.list(5)]);
  expect(newest).toEqual(
    last.map((index) => ({
      taskId: `task-${index}`,
      title: `Task ${index}`,
      updatedAt: future(index) * 1000,
    })),
  );
  expect(await store.list(20_000)).toHaveLength(10_000);
  // An old task makes room.
  await store.create({ taskId: "one-more", title: "" });
  expect(await store.list(20_000)).toHaveLength(10_000);
  expect(readdirSync(join(folder, ".archive"))).toHaveLength(1);
  expect((await openTask(store, "task-9998")).title).toBe("Task 9998");
}, 60_000);
