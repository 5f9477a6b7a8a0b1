/**
 * @fileoverview Appends numbered messages to one task in parallel, and prints each number when its append has
 * resolved.
 * @module tests/agent/support/storage/crash-child
 */
import { writeSync } from "node:fs";
import { TaskStore } from "../../../src/storage/task-store.js";

const [, , folder = "", inFlight = "100"] = process.argv;
const COUNT = 10_000;

const store = new TaskStore({ folder, maxTaskBytes: 512 * 1024 * 1024 });
const log = (await store.open("crash")) ?? (await store.create({ taskId: "crash", title: "Crash" }));

let next = log.entries.length;
const end = next + COUNT;

async function work(): Promise<void> {
  while (next < end) {
    const number = next++;
    // Line lengths range from a few bytes to multiple memory pages.
    const padding = "é".repeat((number * 7919) % (number % 50 === 0 ? 20_000 : 300));
    await log.append({ shown: { type: "message", data: { number, padding } } });
    // Synchronous, so that a printed number is in the pipe even if this process is killed.
    writeSync(1, `${number}\n`);
  }
}

await Promise.all(Array.from({ length: Number(inFlight) }, work));
