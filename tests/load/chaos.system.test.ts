import { expect, test } from "vitest";
import { findRedis, REDIS_INSTALL_MS } from "../../tools/redis-server.js";
import { runShort } from "./support/run-script.js";

const found = await findRedis();
if (found.path === undefined) process.stderr.write(`Skipped the chaos test: ${found.reason}\n`);

test.skipIf(found.path === undefined)(
  "three nodes that are killed, and Redis that fails, lose and mix up nothing (full run: npm run chaos)",
  { timeout: REDIS_INSTALL_MS + 1_800_000 },
  async () => {
    const { failed, stdout } = await runShort("chaos");
    expect(failed, stdout).toEqual([]);
    expect(stdout).toContain("All limits hold.");
  },
);
