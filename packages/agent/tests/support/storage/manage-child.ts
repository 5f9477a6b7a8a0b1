/**
 * @fileoverview Creates, changes, renames, and deletes tasks in random order. Prints each operation when it begins and
 * when it is acknowledged.
 * @module tests/agent/support/storage/manage-child
 */
import { randomInt } from "node:crypto";
import { writeSync } from "node:fs";
import { TaskStore } from "../../../src/storage/task-store.js";

const [, , folder = "", first = "0"] = process.argv;
const SLOTS = 12;
const WORKERS = 4;

const store = new TaskStore({ folder });
let next = Number(first);

function print(at: "begin" | "done", operation: readonly [string, string, number]): void {
  // Synchronous, so that a printed line is in the pipe even if this process is killed.
  writeSync(1, `${JSON.stringify([at, ...operation])}\n`);
}

/** Runs one random operation on a task. */
async function change(taskId: string): Promise<void> {
  const value = next++;
  const isThere = await store.has(taskId);
  const action = isThere
    ? (["append", "append", "result", "part", "rename", "rename", "delete"] as const)[randomInt(7)]
    : "create";
  const operation = [action ?? "append", taskId, value] as const;
  print("begin", operation);
  if (action === "create") {
    await store.release(await store.create({ taskId, title: `${value}` }));
  } else if (action === "part") {
    const part = { taskId: `${taskId}-part-${value}`, title: "", parentTaskId: taskId };
    await store.release(await store.create(part));
  } else if (action === "rename") {
    await store.rename(taskId, `${value}`);
  } else if (action === "delete") {
    await store.delete(taskId);
  } else {
    const log = await store.open(taskId);
    if (log === undefined) throw new Error(`Task ${taskId} does not exist.`);
    const stored = action === "result" ? { storedResult: await store.results.write(taskId, `${value}`) } : {};
    await log.append({ shown: { type: "message", data: { number: value } }, ...stored });
    await store.release(log);
  }
  print("done", operation);
}

/** Changes the tasks of one worker, one after another. */
async function work(worker: number): Promise<void> {
  for (;;) await change(`task-${worker + WORKERS * randomInt(SLOTS / WORKERS)}`);
}

await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
