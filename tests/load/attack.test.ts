import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("no attack on a server succeeds (full run: npm run attack)", { timeout: 1_200_000 }, async () => {
  const script = ["--import", "tsx", "scripts/attack.ts", "--short", "--seed", "1"];
  const run = promisify(execFile)(process.execPath, script, { cwd: root, maxBuffer: 16 * 1024 ** 2 });
  const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
  expect(
    stdout.split("\n").filter((line) => line.startsWith("FAIL")),
    stdout,
  ).toEqual([]);
  expect(stdout).toContain("All limits hold.");
});
