import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "../../../../tools/source-files.js";

test("24 reloads under load lose no call (full run: npm run reload)", { timeout: 600_000 }, async () => {
  const args = ["--import", "tsx", "scripts/reload.ts", "--short"];
  const run = promisify(execFile)(process.execPath, args, { cwd: ROOT });
  const { stdout, code = 0 } = (await run.catch((error: unknown) => error)) as {
    readonly stdout: string;
    readonly code?: number;
  };
  expect(stdout).toContain("All limits hold.");
  expect(stdout.match(/^ok .*lost calls +0 +0$/gm)).toHaveLength(2);
  expect(code).toBe(0);
});
