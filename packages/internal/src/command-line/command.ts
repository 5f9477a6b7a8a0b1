/**
 * @fileoverview Types and errors for command-line commands.
 * @module internal/command-line/command
 */
import type { Readable, Writable } from "node:stream";
import type { Flags, FlagValues } from "./flags.js";

/** Parts of the process that a command may use. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** True if standard input and output are terminals, so that the command can ask the user. */
  readonly isInteractive: boolean;
  /** Aborts when the user stops the program. */
  readonly signal: AbortSignal;
}

/** Values of flags and arguments for one run of a command. */
export type Invocation<Args = Flags> = FlagValues<Args> & ExtraWords;

/** Words of the command line that are neither flags nor named arguments. */
export interface ExtraWords {
  /** Positional arguments after the named ones. */
  readonly rest: readonly string[];
  /** Program and arguments after `--`. */
  readonly program: readonly string[] | undefined;
}

/** Command with its flags, help text, and implementation. */
export interface Command<Args extends Flags = Flags> {
  readonly name: string;
  /** The command as a user types it, such as `tenon call`. */
  readonly usage: string;
  readonly description: string;
  /** Arguments and flags. */
  readonly args: Args;
  /** True if more arguments may follow the named ones. */
  readonly takesRest?: boolean;
  /** True if a program may follow `--`. */
  readonly takesProgram?: boolean;
  /** Usage line for the help text. @default a line with the arguments in `args` */
  readonly synopsis?: string;
  /** Advice by flag, without dashes. Shown if the flag is unknown or its value is invalid. */
  readonly hints?: Readonly<Record<string, string>>;
  /** Full command lines for the help text. */
  readonly examples: readonly string[];
  /** Runs the command and resolves to the exit code. */
  run(invocation: Invocation<Args>, terminal: Terminal): Promise<number>;
}

/** Exit codes that commands return. */
export const EXIT = { ok: 0, failure: 1, usage: 2, interrupted: 130 } as const;

/** Failure that the user can fix. Any other error is a bug in the program. */
export interface CliError extends Error {
  readonly name: "CliError";
  readonly exitCode: number;
}

/** Creates an error whose message is shown to the user. The default exit code is 1. */
export function cliError(message: string, exitCode: number = EXIT.failure): CliError {
  return Object.assign(new Error(message), { name: "CliError" as const, exitCode });
}

/** Recognizes errors that `cliError` created. */
export function isCliError(error: unknown): error is CliError {
  return error instanceof Error && error.name === "CliError" && "exitCode" in error;
}

/** Creates the error for an invalid command line, with exit code 2. */
export function usageError(message: string): CliError {
  return cliError(message, EXIT.usage);
}

/** Creates the error for a program that the user stopped, with exit code 130. */
export function interrupted(): CliError {
  return cliError("Interrupted.", EXIT.interrupted);
}

/** Resolves when a signal aborts, such as when the user stops the program. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Returns true if a service manager has stopped the program, and not the user. */
export function isTerminated({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.message === "SIGTERM";
}
