import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createFileTokenStore } from "../src/index.js";
import { withFileLock } from "../src/tokens/file-lock.js";

const folder = mkdtempSync(join(tmpdir(), "tenon-file-lock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const freshPath = () => {
  const own = join(folder, String(++count));
  mkdirSync(own);
  return join(own, "lock");
};
const filesNextTo = (path: string) => readdirSync(join(path, ".."));
const age = (path: string, ms: number) => {
  const time = new Date(Date.now() - ms);
  utimesSync(path, time, time);
};

describe("a file lock", () => {
  test("runs one task at a time, and leaves no file", async () => {
    const path = freshPath();
    let running = 0;
    let most = 0;
    const task = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return existsSync(path);
    };
    const results = await Promise.all(Array.from({ length: 20 }, () => withFileLock(path, task)));
    expect(results).toEqual(Array.from({ length: 20 }, () => true));
    expect(most).toBe(1);
    expect(filesNextTo(path)).toEqual([]);
  });

  test("is released after a failure", async () => {
    const path = freshPath();
    await expect(withFileLock(path, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(await withFileLock(path, async () => "next")).toBe("next");
  });

  test("creates missing folders", async () => {
    const path = join(folder, "missing", "deep", "lock");
    expect(await withFileLock(path, async () => 1)).toBe(1);
  });

  test("of a process that has ended is taken over, by one process only", async () => {
    const path = freshPath();
    writeFileSync(path, "ended");
    age(path, 20_000);
    let running = 0;
    const task = async () => {
      running += 1;
      const alone = running === 1;
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return alone;
    };
    const results = await Promise.all(Array.from({ length: 10 }, () => withFileLock(path, task)));
    expect(results).toEqual(Array.from({ length: 10 }, () => true));
    expect(filesNextTo(path)).toEqual([]);
  });

  test("is taken over even if a process ended during a takeover", async () => {
    const path = freshPath();
    for (const file of [path, `${path}.takeover`]) {
      writeFileSync(file, "ended");
      age(file, 20_000);
    }
    expect(await withFileLock(path, async () => "done")).toBe("done");
    expect(filesNextTo(path)).toEqual([]);
  });

  test("of a process that still runs is waited for until the signal aborts", async () => {
    const path = freshPath();
    writeFileSync(path, "running");
    const controller = new AbortController();
    let isStarted = false;
    const waiting = withFileLock(path, async () => (isStarted = true), controller.signal);
    controller.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    expect(isStarted).toBe(false);
    expect(readFileSync(path, "utf8")).toBe("running");
  });

  test("that another process has taken over is not released", async () => {
    const path = freshPath();
    await withFileLock(path, async () => writeFileSync(path, "another"));
    expect(readFileSync(path, "utf8")).toBe("another");
  });
});

describe("the lock of a file store", () => {
  const KEY = new Uint8Array(32).fill(7);

  test("separates keys, and is shared by all stores of the file", async () => {
    const path = freshPath();
    const [one, two] = [createFileTokenStore({ path, key: KEY }), createFileTokenStore({ path, key: KEY })];
    const order: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const first = one.lock?.("a", async () => {
      order.push("first");
      await held;
      order.push("first ends");
    });
    await expect.poll(() => order).toEqual(["first"]);
    const second = two.lock?.("a", async () => void order.push("second"));
    await two.lock?.("b", async () => void order.push("other key"));
    await two.set("key", 1); // changes do not need the lock
    release();
    await Promise.all([first, second]);
    expect(order).toEqual(["first", "other key", "first ends", "second"]);
    expect(filesNextTo(path)).toEqual(["lock"]);
  });

  test("keeps the writes of two stores of the same file", async () => {
    const path = freshPath();
    const [one, two] = [createFileTokenStore({ path, key: KEY }), createFileTokenStore({ path, key: KEY })];
    const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`);
    await Promise.all(keys.map((key, index) => (index % 2 === 0 ? one : two).set(key, index)));
    const values = await Promise.all(keys.map((key) => one.get(key)));
    expect(values).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });
});
