import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  type DirectoryLock,
  type DirectoryLockOptions,
  lockDirectory as lock,
} from "../../src/tasks/directory/directory-lock.js";
import { setAge, startLockHolder, writeLock } from "../../../internal/tests/support/locks.js";
import { makeFolder } from "../support/tasks/engine-harnesses.js";

const locks: DirectoryLock[] = [];

afterEach(async () => {
  await Promise.all(locks.splice(0).map((held) => held.release()));
});

async function lockDirectory(directory: string, options?: DirectoryLockOptions): Promise<DirectoryLock> {
  const held = await lock(directory, options);
  locks.push(held);
  return held;
}

test("a directory that another process uses cannot be locked, until that process has ended", async () => {
  const directory = makeFolder();
  const holder = await startLockHolder(join(directory, "lock"));
  try {
    await holder.lock();
    await expect(lockDirectory(directory)).rejects.toThrow(
      `The task directory "${directory}" is in use by process ${holder.pid}. ` +
        "Use a different directory, or stop that process. If it does not exist, delete the file `lock`.",
    );
  } finally {
    await holder.kill();
  }
  await lockDirectory(directory);
});

test("two servers in one process cannot use the same directory, however it is spelled", async () => {
  const directory = makeFolder();
  const held = await lockDirectory(directory);
  const spelled = join(directory, "x", "..");
  await expect(lockDirectory(`${directory}/./`)).rejects.toThrow(
    `The task directory "${directory}/./" is in use by another server in this process. ` +
      "Use a different directory, or create one engine with `createTaskEngine()` and pass it to both servers.",
  );
  await expect(lockDirectory(spelled)).rejects.toThrow("is in use by another server in this process.");
  await held.release();
  const again = await lockDirectory(directory);
  // A second call must not remove the lock of the next owner.
  await held.release();
  await expect(lockDirectory(directory)).rejects.toThrow("another server");
  await again.release();
  expect(readdirSync(directory)).toEqual([]);
});

test.runIf(existsSync("/proc/self/stat"))(
  "a lock of this process that another thread holds is not taken over",
  async () => {
    const [directory, other] = [makeFolder(), makeFolder()];
    await lockDirectory(other);
    writeFileSync(join(directory, "lock"), readFileSync(join(other, "lock")));
    await expect(lockDirectory(directory)).rejects.toThrow("another server in this process");
  },
);

test("a directory that does not exist is an error", async () => {
  const directory = join(makeFolder(), "missing");
  await expect(lockDirectory(directory)).rejects.toThrow("ENOENT");
  // The failure does not count as a lock.
  await expect(lockDirectory(directory)).rejects.toThrow("ENOENT");
});

test("a directory that another host uses names that host, and the time after which it can be used", async () => {
  const directory = makeFolder();
  const path = join(directory, "lock");
  writeLock(path, { pid: process.pid, host: "web-2" });
  setAge(path, 10_500);
  await expect(lockDirectory(directory)).rejects.toThrow(
    `The task directory "${directory}" is in use by process ${process.pid} on host "web-2". ` +
      "Use a different directory, or stop that process. If it has ended, the directory can be used in ",
  );
  await expect(lockDirectory(directory)).rejects.toThrow(/ in (?:1\d|20) seconds\.$/);
  setAge(path, 30_500);
  await (await lockDirectory(directory)).release();
  expect(readdirSync(directory)).toEqual([]);
});

test("an owner whose directory was taken over is told once", async () => {
  const directory = makeFolder();
  const reports: Error[] = [];
  const held = await lockDirectory(directory, { renewMs: 5, onLost: (error) => reports.push(error) });
  await held.confirm();
  writeLock(join(directory, "lock"), { pid: 1, host: "web-2" });
  await expect.poll(() => reports.length, { timeout: 10_000 }).toBe(1);
  const message =
    `Another process has taken over the task directory "${directory}". ` +
    "This process no longer stores tasks. Stop one of the two processes, or use a different directory.";
  for (let n = 0; n < 2; n++) await expect(held.confirm()).rejects.toThrow(message);
  expect(reports.map((error) => error.message)).toEqual([message]);
});
