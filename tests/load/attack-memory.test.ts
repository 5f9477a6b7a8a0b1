import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

test(
  "servers with a 512 MB heap keep serving other clients during memory attacks (full run: npm run attack:memory)",
  { timeout: 1_800_000 },
  async () => {
    const script = ["--import", "tsx", "scripts/attack-memory.ts", "--short"];
    const run = promisify(execFile)(process.execPath, script, { cwd: root });
    const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
    expect(stdout).not.toContain("FAIL");
    expect(stdout).toContain("All attacks failed.");
  },
);
