/**
 * @fileoverview Runs a program in the new project and waits for it.
 * @module create-tenon/run-program
 */
import { spawn } from "node:child_process";
import process from "node:process";

/** How a program ended, and the end of what it said. */
export interface ProgramEnd {
  readonly ok: boolean;
  readonly said: string;
}

const MAX_SAID = 4_000;

/** Runs it; never rejects. What it says is kept for the case that it fails. */
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
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-MAX_SAID);
    });
  }
  return new Promise((resolve) => {
    child.once("error", ({ code }: NodeJS.ErrnoException) => {
      resolve({ ok: false, said: code === "ENOENT" ? `${command} is not installed` : (code ?? said) });
    });
    child.once("close", (code) => resolve({ ok: code === 0, said: said.trim() }));
  });
}
