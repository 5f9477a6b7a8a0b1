import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";
import { lockDirectory } from "../../src/tasks/directory/directory-lock.js";
import { buildFixture } from "../../../../tests/support/stdio-child.js";
import { makeFolder } from "./engine-harnesses.js";

const children: ChildProcessWithoutNullStreams[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

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
  const unlock = await lockDirectory(directory);
  const other = await startHolder(directory);
  expect(await other.lock()).toBe(`Error: ${messageFor(directory, `process ${process.pid}`)}`);
  await unlock();
  expect(await other.lock()).toBe("locked");
});

test("two servers in one process cannot use the same directory, however it is spelled", async () => {
  const directory = makeFolder();
  const unlock = await lockDirectory(directory);
  const spelled = join(directory, "x", "..");
  await expect(lockDirectory(`${directory}/./`)).rejects.toThrow(
    "is in use by another server in this process.",
  );
  await expect(lockDirectory(spelled)).rejects.toThrow("is in use by another server in this process.");
  await unlock();
  const again = await lockDirectory(directory);
  // A second call must not remove the lock of the next owner.
  await unlock();
  await expect(lockDirectory(directory)).rejects.toThrow("another server");
  await again();
  expect(readdirSync(directory)).toEqual([]);
});

test("the lock of an earlier process with the same ID is taken over, as in a restarted container", async () => {
  const directory = makeFolder();
  writeFileSync(join(directory, "lock"), `${process.pid} 1`);
  const unlock = await lockDirectory(directory);
  expect(readFileSync(join(directory, "lock"), "utf8")).not.toBe(`${process.pid} 1`);
  await unlock();
});

test.runIf(existsSync("/proc/self/stat"))(
  "a lock of this process that another thread holds is not taken over",
  async () => {
    const [directory, other] = [makeFolder(), makeFolder()];
    const unlock = await lockDirectory(other);
    writeFileSync(join(directory, "lock"), readFileSync(join(other, "lock")));
    await expect(lockDirectory(directory)).rejects.toThrow(messageFor(directory, `process ${process.pid}`));
    await unlock();
  },
);

test.runIf(existsSync("/proc/self/stat"))(
  "the lock of a process whose ID now belongs to another one is taken over",
  async () => {
    const directory = makeFolder();
    writeFileSync(join(directory, "lock"), `${process.ppid} 1`);
    await (
      await lockDirectory(directory)
    )();
  },
);

test.each(["", "garbage", "-1 5", "0", "1e400 2"])(
  "a lock without a process is taken over: %j",
  async (text) => {
    const directory = makeFolder();
    writeFileSync(join(directory, "lock"), text);
    await (
      await lockDirectory(directory)
    )();
    expect(readdirSync(directory)).toEqual([]);
  },
);

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
