/**
 * @fileoverview Runs a small script on the built package in a process of its own.
 * @module tests/support/run-module
 */
import { spawnSync } from "node:child_process";
import { ROOT } from "./source-files.js";

/** How a process ended. */
interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Forbids `eval` and `new Function`, as Workers do. */
export const NO_CODE_GENERATION = "--disallow-code-generation-from-strings";

/** Runs an ES module in `folder`, whose packages it can import. */
export function runModule(script: string, flags: readonly string[] = [], folder = ROOT): Ended {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, "--input-type=module", "-e", script],
    { cwd: folder, encoding: "utf8", timeout: 15_000 },
  );
  return { code: status, stdout, stderr };
}

/** Runs an ES module that prints JSON, and gives what it printed. */
export function runForJson(script: string, flags: readonly string[] = []): unknown {
  const { code, stdout, stderr } = runModule(script, flags);
  if (code !== 0) throw new Error(`the process ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
