/**
 * @fileoverview Shows the steps of a long command on standard error: as one line in a terminal that each step replaces,
 * otherwise as one line per finished step.
 * @module cli/steps
 */
import type { Terminal } from "@tenon/internal/command-line/command";
import { isTerminal, widthOf } from "@tenon/internal/command-line/text";
import { oneLine } from "@tenon/internal/text";

/** Display of a command's steps. */
export interface Steps {
  /** Starts a step. A step that is still open counts as done. */
  start(label: string): void;
  /** Ends the open step. `detail` is its result, such as `12 files`. */
  done(detail?: string): void;
  /** Ends the open step as failed. Call it before an error is printed. */
  fail(): void;
}

/** Options for `createSteps`. */
export interface StepsOptions {
  /** Clock in milliseconds. */
  readonly now: () => number;
  /** True to show nothing, because the command prints JSON. */
  readonly isQuiet: boolean;
}

/** Creates the display for one command. */
export function createSteps(
  { stderr, env }: Pick<Terminal, "stderr" | "env">,
  { now, isQuiet }: StepsOptions,
): Steps {
  const isLive = isTerminal(stderr) && env["TERM"] !== "dumb";
  let open: { readonly label: string; readonly startedAt: number } | undefined;
  const write = (text: string) => {
    if (!isQuiet) stderr.write(text);
  };
  const end = (result: string) => {
    if (open === undefined) return;
    const { label, startedAt } = open;
    open = undefined;
    const line = `${label}${result === "" ? "" : `: ${oneLine(result)}`}`;
    write(isLive ? ERASE_LINE : `${line} (${formatDuration(now() - startedAt)})\n`);
  };
  return {
    start(label) {
      end("");
      open = { label: oneLine(label), startedAt: now() };
      // The last column stays empty, because some terminals break the line there.
      if (isLive) write(`${ERASE_LINE}${oneLine(`${open.label}…`, Math.max(1, widthOf(stderr) - 1))}`);
    },
    done: (detail = "") => end(detail),
    fail: () => end("failed"),
  };
}

/** Creates a display that shows steps only in a terminal. For commands whose steps are usually short. */
export function createLiveSteps(
  terminal: Pick<Terminal, "stderr" | "env">,
  { isQuiet = false }: { readonly isQuiet?: boolean } = {},
): Steps {
  const isHidden = isQuiet || !isTerminal(terminal.stderr);
  return createSteps(terminal, { now: () => performance.now(), isQuiet: isHidden });
}

/** Step, and the detail that is shown after its label. */
export interface Step<T> {
  readonly label: string;
  readonly detailOf?: ((result: T) => string) | undefined;
}

/** Shows a step while a function runs. */
export async function runStep<T>(steps: Steps, step: string | Step<T>, run: () => Promise<T>): Promise<T> {
  const { label, detailOf }: Step<T> = typeof step === "string" ? { label: step } : step;
  steps.start(label);
  try {
    const result = await run();
    steps.done(detailOf?.(result));
    return result;
  } catch (error) {
    steps.fail();
    throw error;
  }
}

/** Formats a duration: `340 ms`, `1.2 s`, or `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  const ms = Math.max(0, Math.round(milliseconds));
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Moves to the start of the line and erases it. */
const ERASE_LINE = "\r\u001b[2K";
