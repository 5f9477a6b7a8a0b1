import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { findRedis, REDIS_INSTALL_MS } from "../../tools/redis-server.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const found = await findRedis();
if (found.path === undefined) process.stderr.write(`Skipped the chaos test: ${found.reason}\n`);

test.skipIf(found.path === undefined)(
  "three nodes that are killed, and Redis that fails, lose and mix up nothing (full run: npm run chaos)",
  { timeout: REDIS_INSTALL_MS + 1_200_000 },
  async () => {
    const script = ["--import", "tsx", "scripts/chaos.ts", "--short", "--seed", "1"];
    const run = promisify(execFile)(process.execPath, script, { cwd: root });
    const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
    expect(
      stdout.split("\n").filter((line) => line.startsWith("FAIL")),
      stdout,
    ).toEqual([]);
    expect(stdout).toContain("All limits hold.");
  },
);
