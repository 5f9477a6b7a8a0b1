import fs from "node:fs/promises";
import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDirectory } from "../../src/files/directory.js";
import { makeFolder } from "../support/files/served-store.js";

/** Counts how often a directory is read. */
function countReadings(): { count: number } {
  const readings = { count: 0 };
  const { opendir } = fs;
  fs.opendir = (...args) => {
    readings.count++;
    return opendir(...args);
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.opendir = opendir;
    syncBuiltinESMExports();
  });
  return readings;
}

/** Sets the modification time to an hour ago. */
function letSettle(folder: string): void {
  const time = new Date(Date.now() - 3_600_000);
  utimesSync(folder, time, time);
}

test("Z37: an unchanged directory is read once, and again after a change", async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, "a.csv"), "");
  letSettle(folder);
  const readings = countReadings();
  const directory = createDirectory(folder);
  for (let at = 0; at < 10; at++) expect(await directory.findById("a")).toBe("a.csv");
  expect(await directory.findById("b")).toBe(undefined);
  expect(readings.count).toBe(1);
  writeFileSync(join(folder, "b.csv"), "");
  expect(await directory.findById("b")).toBe("b.csv");
  rmSync(join(folder, "a.csv"));
  expect(await directory.findById("a")).toBe(undefined);
});

test("Z37: files are found as soon as they are saved, even in quick succession", async () => {
  const folder = makeFolder();
  const directory = createDirectory(folder);
  for (let at = 0; at < 200; at++) {
    const [, found] = await Promise.all([
      directory.findById("nothing"), // a read is in flight while the file is saved
      Promise.resolve().then(() => {
        writeFileSync(join(folder, `f${at}.csv`), "");
        return directory.findById(`f${at}`);
      }),
    ]);
    expect(found).toBe(`f${at}.csv`);
  }
});

test("Z37: a thousand concurrent requests share two reads", async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, "a.csv"), "");
  const readings = countReadings();
  const directory = createDirectory(folder);
  const found = await Promise.all(Array.from({ length: 1_000 }, () => directory.findById("a")));
  expect(new Set(found)).toEqual(new Set(["a.csv"]));
  expect(readings.count).toBe(2);
});

test("Z37: a failed read is not cached", async () => {
  const folder = makeFolder();
  const path = join(folder, "store");
  writeFileSync(path, "no directory");
  const directory = createDirectory(path);
  expect(await directory.findById("a")).toBe(undefined);
  rmSync(path);
  expect(await directory.findById("a")).toBe(undefined);
  await fs.mkdir(path);
  writeFileSync(join(path, "a.csv"), "");
  expect(await directory.findById("a")).toBe("a.csv");
});
