/**
 * @fileoverview Runs a program in the current process. Only this file uses the `process` global.
 * @module internal/command-line/run-in-process
 */
import process from "node:process";
import { isatty } from "node:tty";
import { EXIT, isCliError, type Terminal } from "./command.js";
import { fileReasonOf } from "../files/file-error.js";
import { stripControls } from "../text.js";
import { isOutOfMemory } from "../thrown.js";

/** Function that runs a program and resolves to its exit code. It never rejects. */
export type Program = (argv: readonly string[], terminal: Terminal) => Promise<number>;

/**
 * Time in milliseconds in which a second signal is the echo of the first one: for Ctrl+C in `npm run`, the terminal and
 * npm both send a signal. A later signal stops the program immediately.
 */
const ECHO_MS = 200;

/** Runs a program with this process's arguments, streams, and signals, then exits with the program's exit code. */
export async function runInProcess(run: Program): Promise<void> {
  const stop = new AbortController();
  let firstAt = 0;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (!stop.signal.aborted) {
        firstAt = performance.now();
        stop.abort(new DOMException(name, "AbortError"));
      } else if (performance.now() - firstAt > ECHO_MS) process.exit(EXIT.interrupted);
    });
  }
  // It is not a failure if a reader such as `head` closes the pipe.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT.ok);
    const text = `Could not write to standard output: ${fileReasonOf(error) ?? error.message}.\n`;
    process.stderr.write(text);
    process.exit(EXIT.failure);
  });
  // If standard error is closed or its disk is full, servers go on, and the exit code still reports a failure.
  process.stderr.on("error", () => undefined);
  // Keeps the process alive. Timeouts do not, and a tool that runs in memory may not open any other handle.
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
  // Handles that the user's module left open, such as timers, must not keep the process alive. Output is flushed first, and
  // the event of a failed write comes after its callback.
  process.stdout.write("", () => process.stderr.write("", () => setImmediate(() => process.exit(code))));
}

/** Prints an error and returns the exit code. If `isUsage` is true, the caller should refer to the help text. */
export function reportFailure(
  error: unknown,
  { stderr, env }: Pick<Terminal, "stderr" | "env">,
): { code: number; isUsage: boolean } {
  const isOurs = isCliError(error);
  const text = isOurs ? error.message : describeBug(error, (env[DEBUG] ?? "") !== "");
  stderr.write(`${stripControls(text)}\n`);
  const code = isOurs ? error.exitCode : EXIT.failure;
  return { code, isUsage: code === EXIT.usage };
}

/** Environment variable that adds the stack trace of an unexpected error. */
const DEBUG = "TENON_DEBUG";

/** The `bugs` URL in package.json. */
const ISSUES = "https://github.com/tenon-mcp/tenon/issues";

function describeBug(error: unknown, showStack: boolean): string {
  const message = error instanceof Error ? error.message : String(error);
  if (isOutOfMemory(error))
    return `Not enough memory: ${message}. Raise the memory limit of the process or its container.`;
  const advice = showStack ? "" : ` Set ${DEBUG}=1 to print the stack trace.`;
  const stack = showStack && error instanceof Error ? `\n${error.stack ?? ""}` : "";
  const report = `This is a bug in Tenon.${advice} Please report the bug: ${ISSUES}`;
  return `Unexpected error: ${message.trimEnd().replace(/\.$/, "")}. ${report}${stack}`;
}
