/**
 * @fileoverview Runs a program to its end, and never longer than it may take.
 * @module tools/process
 */
import { execFile } from "node:child_process";

/** Where a program runs, and for how long at most. */
export interface RunOptions {
  readonly cwd: string;
  readonly timeoutMs: number;
  /** @default this process's own */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a program ended: what it printed, or, where it failed, why and what it said. */
export interface RunOutcome {
  readonly ok: boolean;
  readonly output: string;
}

/** Runs a program; it never rejects, not even where there is no such program. */
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
    execFile(program, args, options, (error, stdout) => {
      if (error === null) return resolve({ ok: true, output: stdout.trim() });
      // The message holds what the program wrote to its standard error.
      const late = error.killed === true ? `ended after ${timeoutMs} ms` : "";
      resolve({ ok: false, output: [late, error.message.trim(), stdout.trim()].filter(Boolean).join("\n") });
    });
  });
}
