/**
 * @fileoverview Runs the built `tenon` on a pseudo-terminal, and types answers when their prompts appear.
 * @module tests/cli/support/pseudo-terminal
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fixtures, programFile } from "../../../../tests/support/program.js";

/** Options for `onTerminal`. */
export interface TerminalOptions {
  /** Width of the terminal in columns. @default 80 */
  readonly columns?: number;
  /** Texts to wait for, and the input to type after each. A line break is `\r`, as the Enter key sends it. */
  readonly dialog?: readonly (readonly [waitFor: string, type: string])[];
  /** Redirects a stream, such as `>/dev/null`. */
  readonly redirect?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `tenon` on a pseudo-terminal. The output contains both streams, with control sequences. */
export async function onTerminal(
  args: readonly string[],
  options: TerminalOptions = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { columns = 80, dialog = [], redirect = "", env = {} } = options;
  const words = [process.execPath, programFile("tenon"), ...args].map((word) => `'${word}'`);
  const command = `stty cols ${columns} rows 24; exec ${words.join(" ")} ${redirect}`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd: fixtures(),
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", TERM: "xterm", ...env },
    stdio: "pipe",
  });
  let output = "";
  let unread = 0;
  const waiting = [...dialog];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const at = output.indexOf(next[0], unread);
      if (at === -1) return;
      unread = at + next[0].length;
      waiting.shift();
      child.stdin.write(next[1]);
    }
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

/** Removes lines that the program has erased, control sequences, and carriage returns. */
export function plain(output: string): string {
  // eslint-disable-next-line no-control-regex -- matches the sequence that erases a line
  const kept = output.replaceAll(/[^\n]*\r\u001b\[2K/g, "");
  // eslint-disable-next-line no-control-regex -- matches the control sequences to remove
  return kept.replaceAll(/\u001b\[[\d;?]*[A-Za-z]|\r/g, "");
}
