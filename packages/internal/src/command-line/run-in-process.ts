/**
 * @fileoverview Runs a program in this process. Only this file touches the process; everything else is passed in.
 * @module internal/command-line/run-in-process
 */
import process from "node:process";
import { isatty } from "node:tty";
import { EXIT, isCliError, type Terminal } from "./command.js";
import { harmless } from "./text.js";

/** A program from its arguments to its exit code. It never rejects. */
export type Program = (argv: readonly string[], terminal: Terminal) => Promise<number>;

/** Runs a program with the arguments, streams and signals of this process, and exits with its code. */
export async function runInProcess(run: Program): Promise<void> {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      // Who asks twice does not want to wait for good order.
      if (stop.signal.aborted) process.exit(EXIT.interrupted);
      stop.abort();
    });
  }
  // A reader that has left, such as `head`, is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT.ok);
    throw error;
  });
  // Where nobody reads what went wrong, the exit code still tells.
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  // Time-outs do not keep a process, and a tool in memory may have nothing else that does.
  const hold = setInterval(() => {}, 2 ** 30);

  const code = await run(process.argv.slice(2), {
    cwd: process.cwd(),
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    isInteractive: isatty(0) && isatty(1),
    signal: stop.signal,
  });
  clearInterval(hold);
  process.exitCode = code;
  // What the user's module left open, such as a timer, must not keep the program; what was said must be out first.
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
}

/** Prints a failure. Returns the exit code and `true` if the user should be pointed to the help text. */
export function reportFailure(error: unknown, { stderr }: Terminal): { code: number; isUsage: boolean } {
  const isOurs = isCliError(error);
  stderr.write(`${harmless(isOurs ? error.message : `Unexpected failure: ${describe(error)}`)}\n`);
  const code = isOurs ? error.exitCode : EXIT.failure;
  return { code, isUsage: code === EXIT.usage };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
