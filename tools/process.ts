/**
 * @fileoverview Runs a program until it exits, with a time limit.
 * @module tools/process
 */
import { execFile } from "node:child_process";

/** Folder, time limit and environment of a program. */
export interface RunOptions {
  readonly cwd: string;
  readonly timeoutMs: number;
  /** @default this process's own */
  readonly env?: Readonly<Record<string, string>>;
}

/** Outcome of a program: its output or, on failure, the reason and its output. */
export interface RunOutcome {
  readonly ok: boolean;
  readonly output: string;
}

/** Runs a program. Never rejects, not even if the program does not exist. */
export function runBounded(
  program: string,
  args: readonly string[],
  { cwd, timeoutMs, env }: RunOptions,
): Promise<RunOutcome> {
  const options = {
    cwd,
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    maxBuffer: 16 * 1024 * 1024,
    ...(env === undefined ? {} : { env }),
  } as const;
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, stdout) => {
      if (error === null) return resolve({ ok: true, output: stdout.trim() });
      // The message contains the program's standard error.
      const late = error.killed === true ? `Timed out after ${timeoutMs} ms.` : "";
      resolve({ ok: false, output: [late, error.message.trim(), stdout.trim()].filter(Boolean).join("\n") });
    });
    // A program that reads its input until the end would otherwise never exit. One that did not start has no input.
    child.stdin?.on("error", () => undefined).end();
  });
}
