/**
 * @fileoverview Runs the built `tenon inspect` as a process.
 * @module tests/cli/support/page/start-inspect
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { startTenon } from "../../../../../tests/support/program.js";
import { onLines } from "../../../../../tools/reload/dev-program.js";

/** Running command. */
export interface StartedInspect {
  readonly child: ChildProcessWithoutNullStreams;
  /** URL of the page, with its token. */
  readonly url: string;
  /** Lines of the error output so far. */
  readonly stderr: readonly string[];
}

/** Starts the command, and waits for the URL. The command is stopped when the test has finished. */
export async function startInspect(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<StartedInspect> {
  const child = startTenon(["inspect", "--json", "--port", "0", "--no-open", ...args], { env });
  const stderr: string[] = [];
  onLines(child.stderr, (line) => stderr.push(line));
  onTestFinished(async () => void (await stopInspect(child)));
  const url = await new Promise<string>((resolve, reject) => {
    onLines(child.stdout, (line) => resolve((JSON.parse(line) as { url: string }).url));
    child.once("exit", () => reject(new Error(stderr.join("\n"))));
  });
  return { child, url, stderr };
}

/** Stops the command. Returns its exit code. */
export async function stopInspect(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const [code] = (await exited) as [number | null];
  return code;
}
