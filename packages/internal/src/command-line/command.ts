/**
 * @fileoverview What a command of the program is, what it is given, and how it fails.
 * @module internal/command-line/command
 */
import type { Readable, Writable } from "node:stream";
import type { ArgsDef } from "citty";

/** The world outside, as far as a command may touch it. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Whether a person sits at both ends, so that questions may be asked. */
  readonly isInteractive: boolean;
  /** Aborts when the user wants the program to stop. */
  readonly signal: AbortSignal;
}

/** What was said on the command line. */
export interface Invocation {
  /** An argument or a flag's value, if it was given. */
  readonly text: (name: string) => string | undefined;
  /** Whether a switch was set on or off, if it was. */
  readonly isOn: (flag: string) => boolean | undefined;
  /** Every value of a flag that may stand several times. */
  readonly all: (flag: string) => readonly string[];
  /** The arguments after those that have a name. */
  readonly rest: readonly string[];
  /** The words after `--`. */
  readonly program: readonly string[] | undefined;
}

/** A command: its flags, and what it does. */
export interface Command {
  readonly name: string;
  /** The command as a user types it, such as `tenon call`. */
  readonly usage: string;
  readonly description: string;
  /** Arguments and flags; every argument but those with `required: false` must be given. */
  readonly args: ArgsDef;
  /** Flags that may stand several times. */
  readonly repeatable?: readonly string[];
  /** Whether more arguments may follow those that have a name. */
  readonly takesRest?: boolean;
  /** Whether a program may follow after `--`. */
  readonly takesProgram?: boolean;
  /** Whole command lines, for the help text. */
  readonly examples: readonly string[];
  /** Does it; the number is the exit code. */
  run(invocation: Invocation, terminal: Terminal): Promise<number>;
}

/** How the program ends. */
export const EXIT = { ok: 0, failure: 1, usage: 2, interrupted: 130 } as const;

/** A failure that the user can act on. Anything else that is thrown is a defect of the program. */
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

/** The user said something that cannot be done. */
export function usageError(message: string): CliError {
  return cliError(message, EXIT.usage);
}

/** The user asked to stop. */
export function interrupted(): CliError {
  return cliError("Interrupted", EXIT.interrupted);
}
