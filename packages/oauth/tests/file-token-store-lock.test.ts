import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { setAge, writeLock } from "../../internal/tests/support/locks.js";
import { createFileTokenStore } from "../src/index.js";

const folder = mkdtempSync(join(tmpdir(), "tenon-file-lock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const freshPath = () => {
  const own = join(folder, String(++count));
  mkdirSync(own);
  return join(own, "lock");
};
const filesNextTo = (path: string) => readdirSync(join(path, ".."));

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

  test("stores nothing once another process has taken over the lock", async () => {
    const path = freshPath();
    // The clock is read after the file, and before it is written.
    let takeOver = () => {};
    const now = () => {
      takeOver();
      return Date.now();
    };
    const store = createFileTokenStore({ path, key: KEY, ports: { now } });
    await store.set("key", "before", 60_000);
    const stored = readFileSync(path);
    takeOver = () => writeLock(`${path}.lock`, { pid: 1, host: "web-2" });
    await expect(store.set("key", "after", 60_000)).rejects.toThrow(
      `Another process has taken over the lock file "${path}.lock"`,
    );
    expect(readFileSync(path)).toEqual(stored);
    expect(readFileSync(`${path}.lock`, "utf8")).toContain("web-2");
    // The lock of another host is free again after some time.
    takeOver = () => {};
    setAge(`${path}.lock`, 60_000);
    await store.set("key", "after");
    expect(await store.get("key")).toBe("after");
  });
});
