import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mountDisk } from "../../../../tests/support/small-disk.js";
import { tenonInProcess } from "../../../../tests/support/program.js";
import { createProject } from "../support/bundle/weather-project.js";

const bundle = (cwd: string, out: string) =>
  tenonInProcess(["bundle", "src/server.ts", "--out", out, "--format", "esm"], { cwd });

test("on a full disk, `tenon bundle` names the file and the reason, and keeps the last bundle", async (context) => {
  const disk = await mountDisk(context);
  const folder = createProject({});
  const file = join(disk.path, "weather.mjs");
  writeFileSync(file, "the last bundle");
  disk.fill();
  expect(await bundle(folder, file)).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining(`Could not write "${file}": the disk is full.\n`),
  });
  expect(readFileSync(file, "utf8")).toBe("the last bundle");
  expect(readdirSync(disk.path).toSorted()).toEqual(["filler", "weather.mjs"]);
});

test("on a read-only file system, `tenon bundle` names the file and the reason", async (context) => {
  const disk = await mountDisk(context);
  const folder = createProject({});
  await disk.setReadOnly(true);
  for (const file of [join(disk.path, "weather.mjs"), join(disk.path, "missing", "weather.mjs")]) {
    expect(await bundle(folder, file)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(`Could not write "${file}": the file system is read-only.\n`),
    });
    expect(existsSync(file)).toBe(false);
  }
});
