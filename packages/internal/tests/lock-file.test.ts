import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { acquireLock, type HeldLock, type LockOptions } from "../src/files/held-lock.js";
import { type LockHolderProcess, setAge, startLockHolder, writeLock } from "./support/locks.js";

const processes: LockHolderProcess[] = [];
const locks: HeldLock[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(processes.splice(0).map((holder) => holder.kill()));
  await Promise.all(locks.splice(0).map((held) => held.release()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Returns the path of a lock file in a new folder. */
function makePath(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-lock-"));
  folders.push(folder);
  return join(folder, "lock");
}

async function startHolder(path: string): Promise<LockHolderProcess> {
  const holder = await startLockHolder(path);
  processes.push(holder);
  return holder;
}

async function lock(path: string, options?: LockOptions): Promise<HeldLock> {
  const attempt = await acquireLock(path, options);
  if (!attempt.ok) throw new Error(`held by process ${attempt.holder.pid}`);
  locks.push(attempt.lock);
  return attempt.lock;
}

const filesNextTo = (path: string) => readdirSync(dirname(path));
const hasStartTimes = existsSync("/proc/self/stat");

test("a file that another process holds cannot be locked, until that process is killed", async () => {
  const path = makePath();
  const holder = await startHolder(path);
  expect(await holder.lock()).toBe("locked");
  expect(await acquireLock(path)).toMatchObject({ ok: false, holder: { pid: holder.pid } });
  await holder.kill();
  const held = await lock(path);
  const other = await startHolder(path);
  expect(await other.lock()).toBe(`held by process ${process.pid}`);
  await held.release();
  expect(await other.lock()).toBe("locked");
});

test("two locks of one process exclude each other", async () => {
  const path = makePath();
  const held = await lock(path);
  expect(await acquireLock(path)).toMatchObject({ ok: false, holder: { pid: process.pid } });
  await held.release();
  const again = await lock(path);
  // A second call must not remove the lock of the next owner.
  await held.release();
  expect(await acquireLock(path)).toMatchObject({ ok: false });
  await again.release();
  expect(filesNextTo(path)).toEqual([]);
});

test("the lock of an earlier process with the same ID is taken over, as in a restarted container", async () => {
  const path = makePath();
  writeLock(path, { pid: process.pid });
  const text = readFileSync(path, "utf8");
  await lock(path);
  expect(readFileSync(path, "utf8")).not.toBe(text);
});

test.runIf(hasStartTimes)(
  "the lock of a process whose ID now belongs to another one is taken over",
  async () => {
    const path = makePath();
    writeLock(path, { pid: process.ppid });
    await lock(path);
  },
);

test("on systems without start times, a lock counts while it is renewed, even one of this process", async () => {
  const path = makePath();
  for (const pid of [process.pid, process.ppid]) {
    writeLock(path, { pid, startTime: "" });
    setAge(path, 20_000);
    const attempt = await acquireLock(path);
    expect(attempt).toEqual({ ok: false, holder: { pid, leftMs: expect.closeTo(10_000, -4) } });
    setAge(path, 30_500);
    await (await lock(path)).release();
  }
});

test.each([
  "",
  "garbage",
  "{}",
  "null",
  '{"host":"a","pid":-1,"startTime":""}',
  '{"host":"a","pid":1e400,"startTime":""}',
])("a lock without a process is taken over: %j", async (text) => {
  const path = makePath();
  writeFileSync(path, text);
  await (await lock(path)).release();
  expect(filesNextTo(path)).toEqual([]);
});

test("of several processes that take over a lock at the same time, one succeeds", async () => {
  const path = makePath();
  const ended = await startHolder(path);
  await ended.lock();
  await ended.kill();
  const stale = readFileSync(path);
  const holders = await Promise.all(Array.from({ length: 5 }, () => startHolder(path)));
  for (let round = 0; round < 20; round++) {
    // The right to take over may also belong to an ended process.
    writeFileSync(path, stale);
    if (round % 2 === 1) writeFileSync(`${path}.next`, stale);
    const outcomes = await Promise.all(holders.map((holder) => holder.lock()));
    expect(outcomes.filter((outcome) => outcome === "locked")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome.startsWith("held by "))).toHaveLength(4);
    await Promise.all(holders.map((holder) => holder.unlock()));
    expect(filesNextTo(path)).toEqual([]);
  }
});

test("the lock of another host is taken over only after it was not renewed for 30 seconds", async () => {
  const path = makePath();
  // A process with this ID and start time does not exist on this host.
  writeLock(path, { pid: process.pid, host: "web-2" });
  setAge(path, 20_000);
  const holder = { pid: process.pid, host: "web-2", leftMs: expect.closeTo(10_000, -4) };
  expect(await acquireLock(path)).toEqual({ ok: false, holder });
  setAge(path, 30_500);
  const held = await lock(path);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ host: hostname(), pid: process.pid });
  await held.release();
  expect(filesNextTo(path)).toEqual([]);
});

test("the right to take over a lock belongs to another host for 30 seconds as well", async () => {
  const path = makePath();
  writeLock(path, { pid: 1, host: "web-2" });
  setAge(path, 60_000);
  const right = `${path}.next`;
  writeLock(right, { pid: 1, host: "web-3" });
  expect(await acquireLock(path)).toMatchObject({ ok: false, holder: { pid: 1, host: "web-3" } });
  setAge(right, 60_000);
  await lock(path);
});

test("a lock is renewed while it is held, so that another host does not take it over", async () => {
  const path = makePath();
  await lock(path, { renewMs: 5 });
  setAge(path, 60_000);
  await expect.poll(() => Date.now() - statSync(path).mtimeMs, { timeout: 10_000 }).toBeLessThan(30_000);
});

test("an owner whose lock was taken over is told once, and leaves the new lock alone", async () => {
  const path = makePath();
  const onLost = vi.fn<() => void>();
  const held = await lock(path, { renewMs: 5, onLost });
  expect(await held.isHeld()).toBe(true);
  writeLock(path, { pid: 1, host: "web-2" });
  await expect.poll(() => onLost.mock.calls.length, { timeout: 10_000 }).toBe(1);
  for (let n = 0; n < 2; n++) expect([await held.isHeld(), await held.renew()]).toEqual([false, false]);
  await held.release();
  expect(onLost).toHaveBeenCalledOnce();
  expect(readFileSync(path, "utf8")).toContain("web-2");
});

test("an owner that was suspended notices the loss before its next write", async () => {
  const path = makePath();
  // The timer does not fire, as in a suspended process, and the last renewal counts as too old.
  const held = await lock(path, { renewMs: 2 ** 30 });
  writeLock(path, { pid: 1, host: "web-2" });
  expect(await held.isHeld()).toBe(true);
  const real = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => real + 2 ** 32);
  expect(await held.isHeld()).toBe(false);
  clock.mockRestore();
});

test("a lock file that was deleted is created again", async () => {
  const path = makePath();
  const onLost = vi.fn<() => void>();
  await lock(path, { renewMs: 5, onLost });
  const text = readFileSync(path, "utf8");
  unlinkSync(path);
  await expect.poll(() => existsSync(path), { timeout: 10_000 }).toBe(true);
  expect(readFileSync(path, "utf8")).toBe(text);
  expect(onLost).not.toHaveBeenCalled();
});
