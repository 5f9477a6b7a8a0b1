import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, test, vi } from "vitest";
import {
  type DirectoryLock,
  lockDirectory as lock,
  type LockOptions,
} from "../../src/tasks/directory/directory-lock.js";
import { buildFixture } from "../../../../tests/support/stdio-child.js";
import { makeFolder } from "./engine-harnesses.js";

const children: ChildProcessWithoutNullStreams[] = [];
const locks: DirectoryLock[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await Promise.all(locks.splice(0).map((held) => held.release()));
});

async function lockDirectory(directory: string, options?: LockOptions): Promise<DirectoryLock> {
  const held = await lock(directory, options);
  locks.push(held);
  return held;
}

/** Writes the lock file of a process. */
function writeLock(directory: string, owner: { pid: number; host?: string; startTime?: string }): string {
  const path = join(directory, "lock");
  writeFileSync(path, JSON.stringify({ host: hostname(), startTime: "1", ...owner }));
  return path;
}

/** Makes a file look as if it was last written a time ago. */
function setAge(path: string, ms: number): void {
  const time = (Date.now() - ms) / 1_000;
  utimesSync(path, time, time);
}

/** Process that locks a directory when it is told to. */
async function startHolder(directory: string) {
  const file = buildFixture("../../packages/tenon/tests/tasks/directory-lock-holder.ts");
  const child = spawn(process.execPath, [file, directory], { stdio: "pipe" });
  children.push(child);
  const lines = createInterface({ input: child.stdout });
  await once(lines, "line");
  const send = async (command: string) => {
    const line = once(lines, "line");
    child.stdin.write(`${command}\n`);
    return String((await line)[0]);
  };
  return {
    pid: child.pid,
    lock: () => send("lock"),
    unlock: () => send("unlock"),
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

function messageFor(directory: string, owner: string): string {
  return (
    `The task directory "${directory}" is in use by ${owner}. ` +
    "Use a different directory, or stop that process. If it does not exist, delete the file `lock`."
  );
}

test("a directory that another process uses cannot be locked, until that process has ended", async () => {
  const directory = makeFolder();
  const holder = await startHolder(directory);
  expect(await holder.lock()).toBe("locked");
  await expect(lockDirectory(directory)).rejects.toThrow(messageFor(directory, `process ${holder.pid}`));
  await holder.kill();
  const held = await lockDirectory(directory);
  const other = await startHolder(directory);
  expect(await other.lock()).toBe(`Error: ${messageFor(directory, `process ${process.pid}`)}`);
  await held.release();
  expect(await other.lock()).toBe("locked");
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

test("the lock of an earlier process with the same ID is taken over, as in a restarted container", async () => {
  const directory = makeFolder();
  const path = writeLock(directory, { pid: process.pid });
  const text = readFileSync(path, "utf8");
  const held = await lockDirectory(directory);
  expect(readFileSync(path, "utf8")).not.toBe(text);
  await held.release();
});

test.runIf(existsSync("/proc/self/stat"))(
  "a lock of this process that another thread holds is not taken over",
  async () => {
    const [directory, other] = [makeFolder(), makeFolder()];
    const held = await lockDirectory(other);
    writeFileSync(join(directory, "lock"), readFileSync(join(other, "lock")));
    await expect(lockDirectory(directory)).rejects.toThrow(messageFor(directory, `process ${process.pid}`));
    await held.release();
  },
);

test.runIf(existsSync("/proc/self/stat"))(
  "the lock of a process whose ID now belongs to another one is taken over",
  async () => {
    const directory = makeFolder();
    writeLock(directory, { pid: process.ppid });
    await (await lockDirectory(directory)).release();
  },
);

test.each([
  "",
  "garbage",
  "{}",
  "null",
  '{"host":"a","pid":-1,"startTime":""}',
  '{"host":"a","pid":1e400,"startTime":""}',
])("a lock without a process is taken over: %j", async (text) => {
  const directory = makeFolder();
  writeFileSync(join(directory, "lock"), text);
  await (await lockDirectory(directory)).release();
  expect(readdirSync(directory)).toEqual([]);
});

test("of several processes that take over a lock at the same time, one succeeds", async () => {
  const directory = makeFolder();
  const lock = join(directory, "lock");
  const ended = await startHolder(directory);
  await ended.lock();
  await ended.kill();
  const stale = readFileSync(lock);
  const holders = await Promise.all(Array.from({ length: 5 }, () => startHolder(directory)));
  for (let round = 0; round < 20; round++) {
    // The right to take over may also belong to an ended process.
    writeFileSync(lock, stale);
    if (round % 2 === 1) writeFileSync(`${lock}.next`, stale);
    const outcomes = await Promise.all(holders.map((holder) => holder.lock()));
    expect(outcomes.filter((outcome) => outcome === "locked")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome.includes("is in use by"))).toHaveLength(4);
    await Promise.all(holders.map((holder) => holder.unlock()));
    expect(readdirSync(directory)).toEqual([]);
  }
});

test("a directory that does not exist is an error", async () => {
  const directory = join(makeFolder(), "missing");
  await expect(lockDirectory(directory)).rejects.toThrow("ENOENT");
  // The failure does not count as a lock.
  await expect(lockDirectory(directory)).rejects.toThrow("ENOENT");
});

test("the lock of another host is taken over only after it was not renewed for 30 seconds", async () => {
  const directory = makeFolder();
  // A process with this ID and start time does not exist on this host.
  const path = writeLock(directory, { pid: process.pid, host: "web-2" });
  setAge(path, 10_500);
  await expect(lockDirectory(directory)).rejects.toThrow(
    `The task directory "${directory}" is in use by process ${process.pid} on host "web-2". ` +
      "Use a different directory, or stop that process. If it has ended, the directory can be used in ",
  );
  await expect(lockDirectory(directory)).rejects.toThrow(/ in (?:1\d|20) seconds\.$/);
  setAge(path, 30_500);
  const held = await lockDirectory(directory);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ host: hostname(), pid: process.pid });
  await held.release();
  expect(readdirSync(directory)).toEqual([]);
});

test("the right to take over a lock belongs to another host for 30 seconds as well", async () => {
  const directory = makeFolder();
  const path = writeLock(directory, { pid: 1, host: "web-2" });
  setAge(path, 60_000);
  const right = `${path}.next`;
  writeFileSync(right, JSON.stringify({ host: "web-3", pid: 1, startTime: "1" }));
  await expect(lockDirectory(directory)).rejects.toThrow('is in use by process 1 on host "web-3".');
  setAge(right, 60_000);
  await lockDirectory(directory);
});

test("a lock is renewed while it is held, so that another host does not take it over", async () => {
  const directory = makeFolder();
  await lockDirectory(directory, { renewMs: 5 });
  const path = join(directory, "lock");
  setAge(path, 60_000);
  await expect.poll(() => Date.now() - statSync(path).mtimeMs, { timeout: 10_000 }).toBeLessThan(30_000);
});

test("an owner whose lock was taken over is told once, and leaves the new lock alone", async () => {
  const directory = makeFolder();
  const reports: Error[] = [];
  const held = await lockDirectory(directory, { renewMs: 5, onLost: (error) => reports.push(error) });
  await held.confirm();
  const path = writeLock(directory, { pid: 1, host: "web-2" });
  await expect.poll(() => reports.length, { timeout: 10_000 }).toBe(1);
  const message =
    `Another process has taken over the task directory "${directory}". ` +
    "This process no longer stores tasks. Stop one of the two processes, or use a different directory.";
  for (let n = 0; n < 2; n++) await expect(held.confirm()).rejects.toThrow(message);
  await held.release();
  expect(reports.map((error) => error.message)).toEqual([message]);
  expect(readFileSync(path, "utf8")).toContain("web-2");
});

test("an owner that was suspended notices the loss before its next write", async () => {
  const directory = makeFolder();
  // The timer does not fire, as in a suspended process, and the last renewal counts as too old.
  const held = await lockDirectory(directory, { renewMs: 2 ** 30 });
  const real = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => real + 2 ** 32);
  writeLock(directory, { pid: 1, host: "web-2" });
  await expect(held.confirm()).rejects.toThrow("Another process has taken over");
  clock.mockRestore();
});

test("a lock file that was deleted is created again", async () => {
  const directory = makeFolder();
  const reports: Error[] = [];
  await lockDirectory(directory, { renewMs: 5, onLost: (error) => reports.push(error) });
  const path = join(directory, "lock");
  const text = readFileSync(path, "utf8");
  unlinkSync(path);
  await expect.poll(() => existsSync(path), { timeout: 10_000 }).toBe(true);
  expect(readFileSync(path, "utf8")).toBe(text);
  expect(reports).toEqual([]);
});
