import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { withLock } from "../src/files/with-lock.js";
import { setAge, startLockHolder, writeLock } from "./support/locks.js";

const folder = mkdtempSync(join(tmpdir(), "tenon-with-lock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
/** Returns the path of a lock file in a folder of its own. */
const makePath = () => join(mkdtempSync(join(folder, `${++count}-`)), "lock");
const filesNextTo = (path: string) => readdirSync(dirname(path));

/** Creates a task that returns true if it ran alone. */
function createLoneTask(): () => Promise<boolean> {
  let running = 0;
  return async () => {
    running += 1;
    await setImmediate();
    const isAlone = running === 1;
    running -= 1;
    return isAlone;
  };
}

test("one task runs at a time, and leaves no file", async () => {
  const path = makePath();
  const task = createLoneTask();
  const run = () => withLock(path, async () => (await task()) && existsSync(path));
  expect(await Promise.all(Array.from({ length: 20 }, run))).toEqual(Array.from({ length: 20 }, () => true));
  expect(filesNextTo(path)).toEqual([]);
});

test("the lock is released after a failure", async () => {
  const path = makePath();
  await expect(withLock(path, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await withLock(path, async () => "next")).toBe("next");
});

test("missing folders are created, accessible only to their owner", async () => {
  const path = join(folder, "missing", "deep", "lock");
  expect(await withLock(path, async () => 1)).toBe(1);
  expect(statSync(join(folder, "missing")).mode & 0o777).toBe(0o700);
});

test("the lock of a process that has ended is taken over by one task only", async () => {
  const path = makePath();
  const holder = await startLockHolder(path);
  await holder.lock();
  await holder.kill();
  // The process may also have ended during a takeover.
  writeFileSync(`${path}.next`, readFileSync(path));
  const task = createLoneTask();
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => withLock(path, task)));
  expect(outcomes).toEqual(Array.from({ length: 10 }, () => true));
  expect(filesNextTo(path)).toEqual([]);
});

test("a task waits for the lock of another process until the signal aborts", async () => {
  const path = makePath();
  writeLock(path, { pid: 1, host: "web-2" });
  const controller = new AbortController();
  let isStarted = false;
  const waiting = withLock(path, async () => (isStarted = true), { signal: controller.signal });
  controller.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  expect(isStarted).toBe(false);
  expect(readFileSync(path, "utf8")).toContain("web-2");
});

test("a task waits for the lock of another process for a limited time", async () => {
  const path = makePath();
  writeLock(path, { pid: 7, host: "web-2" });
  await expect(withLock(path, async () => 1, { waitMs: 50 })).rejects.toThrow(
    `The lock file "${path}" still belongs to process 7 on host "web-2" after 0.05 seconds. ` +
      "Stop that process, or delete the file if the process does not exist.",
  );
  setAge(path, 60_000);
  expect(await withLock(path, async () => 1, { waitMs: 50 })).toBe(1);
});

test("a task that has lost its lock cannot confirm it, and leaves the new lock alone", async () => {
  const path = makePath();
  let isWritten = false;
  const task = async (confirm: () => Promise<void>) => {
    await confirm();
    writeLock(path, { pid: 1, host: "web-2" });
    await confirm();
    isWritten = true;
  };
  await expect(withLock(path, task)).rejects.toThrow(
    `Another process has taken over the lock file "${path}", because this one did not respond for too long. ` +
      "Nothing was written. Try again.",
  );
  expect(isWritten).toBe(false);
  expect(readFileSync(path, "utf8")).toContain("web-2");
});
