import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { read } from "../../../../tests/support/http-faces.js";
import { modernPost } from "../../../../tests/support/http-messages.js";
import { mountDisk } from "../../../../tests/support/small-disk.js";
import { compileProgram } from "../../../../tools/compile-program.js";

const APPLICATION = fileURLToPath(import.meta.resolve("../support/logging/logging-application.ts"));

/** Starts an application with a log file, and collects what it writes to standard error. */
function start(file: string) {
  const child: ChildProcess = spawn(process.execPath, [compileProgram(APPLICATION), file], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const output = { stderr: "" };
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  return { child, output, ended: once(child, "close") };
}

async function call(url: string) {
  const response = await fetch(url, modernPost("tools/call", { name: "log", arguments: {} }));
  return (await read(response)).body;
}

test("an application whose log is on a full disk goes on, and names the file once", async (context) => {
  const disk = await mountDisk(context);
  const file = join(disk.path, "logs", "app.log");
  const { child, output, ended } = start(file);
  const lines = createInterface(child.stdout ?? expect.unreachable())[Symbol.asyncIterator]();
  const url = String((await lines.next()).value);
  const DONE = { result: { content: [{ text: "still here" }] } };
  expect(await call(url)).toMatchObject(DONE);
  expect(output.stderr).toBe("");
  disk.fill();
  for (let count = 0; count < 5; count++) expect(await call(url)).toMatchObject(DONE);
  const message = `Could not write to the log file ${JSON.stringify(file)}: the disk is full. Further log entries will be lost.`;
  await expect.poll(() => output.stderr).toContain(JSON.stringify(message));
  child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
  expect(output.stderr.trim().split("\n")).toHaveLength(1);
});

test("an application whose log is on a read-only file system does not start, and names the file", async (context) => {
  const disk = await mountDisk(context);
  await disk.setReadOnly(true);
  for (const file of [join(disk.path, "app.log"), join(disk.path, "logs", "app.log")]) {
    const { output, ended } = start(file);
    expect(await ended).toEqual([1, null]);
    expect(output.stderr).toContain(
      `Could not initialize the logger: Error: Could not open the log file "${file}": the file system is read-only.`,
    );
    expect(existsSync(file)).toBe(false);
  }
});
