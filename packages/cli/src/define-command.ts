/**
 * @fileoverview Frame of the program's commands, and the flags and output that several of them share.
 * @module cli/define-command
 */
import type { Command, Terminal } from "@tenon/internal/command-line/command";
import {
  argument,
  choice,
  type FlagRules,
  type Flags,
  toggle,
  value,
} from "@tenon/internal/command-line/flags";
import { memoryOf } from "@tenon/internal/json-memory";
import { number, text as textOption } from "@tenon/internal/options/option-rows";
import { escapeControls } from "@tenon/internal/text";

/** Defines a command of `tenon`. A program after `--` can replace the argument `target`. */
export function defineCommand<Args extends Flags>(command: Omit<Command<Args>, "usage">): Command<Args> {
  return { usage: `tenon ${command.name}`, takesProgram: "target" in command.args, ...command };
}

/** Description of an argument that selects a module. */
export const MODULE_DESCRIPTION = "Server: a module (file.ts or file.ts:export)";

/** Argument of commands that only work with modules. */
export const MODULE_ARGS = { file: argument(MODULE_DESCRIPTION) };

/** Default of `--timeout` in seconds. */
export const DEFAULT_TIMEOUT = 60;

/** Creates the flag for a time limit in seconds. */
export function timeoutArgs(description = "Time limit for one request") {
  const seconds = number({ min: 0.001, max: 999_999, default: DEFAULT_TIMEOUT });
  const option = { ...seconds, expected: "a number of seconds greater than 0" };
  return { timeout: value("seconds", `${description} (default: ${DEFAULT_TIMEOUT})`, { option }) };
}

/** Creates a flag for the name of an environment variable that contains a secret. Never shows a secret passed instead. */
export function variableFlag(secret: string, description: string) {
  const expected = `the name of an environment variable, not the ${secret} itself`;
  const option = textOption({ pattern: /^[A-Za-z_]\w{0,63}$/, expected, isSecret: true });
  return value("variable", description, { option });
}

/** Creates the flags of a command that can print JSON. `description` is the help text for `--json`. */
export function outputArgs(description: string, rules: FlagRules = {}) {
  return {
    json: toggle(description, rules),
    output: choice(["text", "json"], "Output format (default: text). --output json is the same as --json"),
  };
}

/** Values of `outputArgs`. */
export interface OutputFlags {
  readonly json: boolean;
  readonly output: string | undefined;
}

/** Returns true if the command prints its result as JSON. */
export function isJsonOutput({ json, output }: OutputFlags): boolean {
  return json || output === "json";
}

/** Prints a value as JSON. It is safe for terminals, and the same value for programs. */
export function printJson(result: unknown, { stdout }: Pick<Terminal, "stdout">): void {
  // Indentation can make a deeply nested value a hundred times longer.
  const indent = memoryOf(result) > MAX_INDENTED_BYTES ? 0 : 2;
  stdout.write(`${escapeControls(JSON.stringify(result, null, indent))}\n`);
}

/** Maximum memory of a value that is printed with indentation, in bytes. */
const MAX_INDENTED_BYTES = 8 * 1024 * 1024;

/** Prints a result as JSON or as text, as the flags say. */
export function printResult(
  flags: OutputFlags,
  terminal: Pick<Terminal, "stdout">,
  { json, text }: { readonly json: unknown; readonly text: () => string },
): void {
  if (isJsonOutput(flags)) printJson(json, terminal);
  else terminal.stdout.write(text());
}
