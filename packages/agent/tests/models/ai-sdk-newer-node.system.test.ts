import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ROOT } from "../../../../tools/source-files.js";
import { nodeBinary } from "../../../../tools/nodes/binary.js";
import { runBounded } from "../../../../tools/process.js";

const FILE = "packages/agent/tests/models/ai-sdk-packages.test.ts";
const VITEST = fileURLToPath(new URL("../../../../node_modules/vitest/vitest.mjs", import.meta.url));

/** Timeout for the first run, which may have to install the binary. */
const TIMEOUT_MS = 300_000;
const RUN_MS = 200_000;

test.runIf(Number.parseInt(process.versions.node, 10) < 22)(
  "the newest provider packages of the AI SDK, which need Node.js 22, pass the same tests there",
  { timeout: TIMEOUT_MS },
  async (ctx) => {
    const binary = await nodeBinary(22);
    if (typeof binary !== "string") {
      process.stderr.write(`Skipped the newest packages of the AI SDK: ${binary.reason}\n`);
      ctx.skip(binary.reason);
      return;
    }
    const args = [VITEST, "run", FILE, "--typecheck.enabled=false", "--no-color"];
    // Vitest marks its processes with variables that a second Vitest must not see.
    const env = Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value = ""]) =>
        name.startsWith("VITEST") ? [] : [[name, value] as const],
      ),
    );
    const { ok, output } = await runBounded(binary, args, { cwd: ROOT, timeoutMs: RUN_MS, env });
    expect(ok, output).toBe(true);
    expect(output).toMatch(/[1-9]\d* passed, 0 failed, 0 skipped/);
  },
);
