import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { compileProgram } from "../../../../tools/compile-program.js";
import { ROOT } from "../../../../tools/source-files.js";
import { type RealServers, startRealServers } from "../support/client-auth/real-servers.js";

const PROGRAM = fileURLToPath(new URL("../support/client-auth/shared-store-process.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tenon-client-auth-"));
const path = join(folder, "tokens");
const key = randomBytes(32).toString("base64");

let servers: RealServers;

beforeAll(async () => {
  servers = await startRealServers();
});
afterAll(async () => {
  await servers.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  /** Returns the next line of the output. */
  readonly next: () => Promise<string>;
}

function start(aheadMs: number): Started {
  const args = [compileProgram(PROGRAM), servers.endpoint.href, path, key, String(aheadMs)];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, next: async () => String((await lines.next()).value) };
}

/** Runs two processes that share the file, and lets both call the tool at the same moment. */
async function runTogether(aheadMs: number): Promise<readonly unknown[]> {
  const started = [start(aheadMs), start(aheadMs)];
  expect(await Promise.all(started.map(({ next }) => next()))).toEqual(["ready", "ready"]);
  for (const { child } of started) child.stdin?.write("go\n");
  const results = await Promise.all(started.map(({ next }) => next()));
  await Promise.all(started.map(async ({ child }) => child.exitCode ?? (await once(child, "exit"))));
  return results.map((line) => JSON.parse(line) as unknown);
}

test("two processes that share a file sign the user in once, and refresh an expired token once", async () => {
  const first = await runTogether(0);
  expect(first).toEqual(
    expect.arrayContaining([
      { text: "notes", signIns: 1 },
      { text: "notes", signIns: 0 },
    ]),
  );
  expect(servers.grants).toEqual(["authorization_code"]);
  expect(servers.registrations()).toBe(1);

  const later = await runTogether(301_000);
  expect(later).toEqual([
    { text: "notes", signIns: 0 },
    { text: "notes", signIns: 0 },
  ]);
  expect(servers.grants).toEqual(["authorization_code", "refresh_token"]);
  expect(readdirSync(folder)).toEqual(["tokens"]);
}, 240_000);
