/**
 * @fileoverview Commands of a program: their definition, their input and their errors.
 * @module internal/command-line/command
 */
import type { Readable, Writable } from "node:stream";
import type { ArgsDef } from "citty";

/** Parts of the process that a command may use. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** True if standard input and output are a terminal, so that the command can ask questions. */
  readonly isInteractive: boolean;
  /** Aborts when the user stops the program. */
  readonly signal: AbortSignal;
}

/** Parsed arguments of one run. */
export interface Invocation {
  /** Returns an argument, or the value of a flag. */
  readonly text: (name: string) => string | undefined;
  /** Returns `true` for `--flag`, `false` for `--no-flag`, and `undefined` if neither was given. */
  readonly isOn: (flag: string) => boolean | undefined;
  /** Returns every value of a repeatable flag. */
  readonly all: (flag: string) => readonly string[];
  /** Arguments after the named ones. */
  readonly rest: readonly string[];
  /** Words after `--`. */
  readonly program: readonly string[] | undefined;
}

/** A command: its flags, its help text and its implementation. */
export interface Command {
  readonly name: string;
  /** The command as a user types it, such as `tenon call`. */
  readonly usage: string;
  readonly description: string;
  /** Arguments and flags. Arguments are required unless they have `required: false`. */
  readonly args: ArgsDef;
  /** Flags that can be given more than once. */
  readonly repeatable?: readonly string[];
  /** True if more arguments may follow the named ones. */
  readonly takesRest?: boolean;
  /** True if a program may follow `--`. */
  readonly takesProgram?: boolean;
  /** Full command lines for the help text. */
  readonly examples: readonly string[];
  /** Runs the command and resolves to the exit code. */
  run(invocation: Invocation, terminal: Terminal): Promise<number>;
}

/** Exit codes of the programs. */
export const EXIT = { ok: 0, failure: 1, usage: 2, interrupted: 130 } as const;

/** A failure that the user can act on. Any other error is a defect of the program. */
export interface CliError extends Error {
  readonly name: "CliError";
  readonly exitCode: number;
}

/** Creates an error with a message for the user. */
export function cliError(message: string, exitCode: number = EXIT.failure): CliError {
  return Object.assign(new Error(message), { name: "CliError" as const, exitCode });
}

/** Recognizes an error of `cliError`. */
export function isCliError(error: unknown): error is CliError {
  return error instanceof Error && error.name === "CliError" && "exitCode" in error;
}

/** Creates the error for a command line that is not valid. */
export function usageError(message: string): CliError {
  return cliError(message, EXIT.usage);
}

/** Creates the error for a program that the user stopped. */
export function interrupted(): CliError {
  return cliError("Interrupted", EXIT.interrupted);
}
