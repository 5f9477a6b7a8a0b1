/**
 * @fileoverview Runs a program in the new project and waits until it exits.
 * @module create-tenon/run-program
 */
import { spawn } from "node:child_process";
import process from "node:process";

/** Outcome of running a program. */
export interface ProgramEnd {
  /** True if the program exited with code 0. */
  readonly ok: boolean;
  /** The end of its output, or the reason it could not be started. */
  readonly output: string;
}

const MAX_OUTPUT = 4_000;

/** Runs a program and keeps the end of its output to explain a failure. Never rejects. */
export function runProgram(
  words: readonly string[],
  cwd: string,
  options: { readonly env: Readonly<Record<string, string | undefined>>; readonly signal: AbortSignal },
): Promise<ProgramEnd> {
  const [command = "", ...args] = words;
  const child = spawn(command, args, {
    cwd,
    env: { ...options.env },
    signal: options.signal,
    // On Windows, package managers are scripts that only the shell can start.
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT);
    });
  }
  return new Promise((resolve) => {
    child.once("error", ({ code }: NodeJS.ErrnoException) => {
      resolve({
        ok: false,
        output:
          code === "ENOENT" ? `${command} is not installed. Install it and try again.` : (code ?? output),
      });
    });
    child.once("close", (code) => resolve({ ok: code === 0, output: output.trim() }));
  });
}
