/**
 * @fileoverview Runs the short form of a project script in its own process.
 * @module tests/load/support/run-script
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ROOT } from "../../../tools/source-files.js";

/** Output of a script. */
export interface ScriptRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Lines about promises and limits that do not hold. */
  readonly failed: readonly string[];
}

/** Runs `scripts/NAME.ts` in its short form, with a fixed seed. */
export function runShort(name: string, ...options: readonly string[]): Promise<ScriptRun> {
  return runProgram(["--import", "tsx", `scripts/${name}.ts`, "--short", "--seed", "1", ...options]);
}

/** Runs a Node.js program in the root folder. */
export async function runProgram(args: readonly string[]): Promise<ScriptRun> {
  const run = promisify(execFile)(process.execPath, args, { cwd: ROOT, maxBuffer: 16 * 1024 ** 2 });
  const { stdout, stderr, code } = await run.then(
    (output) => ({ ...output, code: 0 }),
    (error: { readonly stdout: string; readonly stderr: string; readonly code: number }) => error,
  );
  return { code, stdout, stderr, failed: stdout.split("\n").filter((line) => line.includes("FAIL")) };
}
