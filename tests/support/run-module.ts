/**
 * @fileoverview Runs a small script against the built packages in a separate process.
 * @module tests/support/run-module
 */
import { spawnSync } from "node:child_process";
import { ROOT } from "../../tools/source-files.js";

/** A process's exit code and output. */
interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Flag that forbids `eval` and `new Function`, as in Workers. */
export const NO_CODE_GENERATION = "--disallow-code-generation-from-strings";

/** Runs an ES module in `folder`. It can import the packages there. */
export function runModule(script: string, flags: readonly string[] = [], folder = ROOT): Ended {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, "--input-type=module", "-e", script],
    { cwd: folder, encoding: "utf8", timeout: 60_000 },
  );
  return { code: status, stdout, stderr };
}

/** Runs an ES module that prints JSON, and returns the parsed output. */
export function runForJson(script: string, flags: readonly string[] = []): unknown {
  const { code, stdout, stderr } = runModule(script, flags);
  if (code !== 0) throw new Error(`The process exited with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
