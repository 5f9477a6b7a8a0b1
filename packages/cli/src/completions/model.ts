/**
 * @fileoverview Describes commands, flags, and arguments for shell completion. Everything is derived from the commands'
 * definitions, so that completions always match the help text.
 * @module cli/completions/model
 */
import { REVISIONS } from "tenon/protocol";
import type { Command } from "@tenon/internal/command-line/command";
import type { Flag } from "@tenon/internal/command-line/flags";

/** Values that a shell suggests for a flag or an argument. */
export type Values =
  | { readonly kind: "choices"; readonly words: readonly string[] }
  /** Files, folders, names of environment variables, names of a module's tools, or nothing. */
  | { readonly kind: "files" | "folders" | "variables" | "tools" | "none" };

/** Flag of a command. */
export interface CompletedFlag {
  /** Name without dashes. */
  readonly name: string;
  /** Letter of the short form. */
  readonly short: string | undefined;
  readonly description: string;
  /** Values, or `undefined` for a flag without a value. */
  readonly values: Values | undefined;
  readonly isRepeatable: boolean;
}

/** Positional argument of a command. */
export interface CompletedArgument {
  readonly name: string;
  readonly values: Values;
}

/** Command with its flags and arguments. */
export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly CompletedFlag[];
  readonly positionals: readonly CompletedArgument[];
  /** True if the first argument is the server. It is omitted if `--server` or `--command` selects the server. */
  readonly hasTarget: boolean;
  /** True if a program may follow `--`. */
  readonly takesProgram: boolean;
}

/** Command that every program has. */
export const HELP_COMMAND = { name: "help", description: "Show the help text of a command" };

/** Flags that select the server instead of the first argument. */
export const SERVER_FLAGS: readonly string[] = ["--server", "-s", "--command"];

/** Settings for the completion scripts. */
export interface CompletionOptions {
  /** True to suggest the names of a module's tools, which runs the module. */
  readonly completesTools: boolean;
}

/** Returns the forms of a flag on the command line, the short one first. */
export function formsOf({ name, short }: CompletedFlag): readonly string[] {
  return [...(short === undefined ? [] : [`-${short}`]), `--${name}`];
}

/** Describes commands for completion. Leaves out names and values that a shell could interpret. */
export function toCompletedCommands(
  commands: readonly Command[],
  options: CompletionOptions,
): readonly CompletedCommand[] {
  return commands.filter(({ name }) => isPlainWord(name)).map((command) => toCompleted(command, options));
}

/**
 * Returns true if a word means the same in every shell without quotes. Completion inserts words as they are, and fish
 * expands the values in its scripts.
 */
export function isPlainWord(word: string): boolean {
  return /^[\w@+/.][\w@+/.-]*$/.test(word);
}

function toCompleted(command: Command, { completesTools }: CompletionOptions): CompletedCommand {
  const { name, description } = command;
  const entries = Object.entries(command.args).filter(([argument]) => isPlainWord(argument));
  const flags = entries.flatMap(([flag, definition]) =>
    definition.type === "positional" ? [] : toFlags(flag, definition),
  );
  const positionals = entries
    .filter(([, { type }]) => type === "positional")
    .map(([argument, definition]) => ({
      name: argument,
      values:
        argument === "tool" && completesTools ? ({ kind: "tools" } as const) : valuesOf(argument, definition),
    }));
  return {
    name,
    description,
    flags: [...flags, HELP],
    positionals,
    hasTarget: positionals[0]?.name === "target",
    takesProgram: command.takesProgram === true,
  };
}

const HELP: CompletedFlag = {
  name: "help",
  short: "h",
  description: "Show the help text",
  values: undefined,
  isRepeatable: false,
};

function toFlags(name: string, definition: Flag): readonly CompletedFlag[] {
  const { description = "", isRepeatable = false } = definition;
  const alias = "alias" in definition ? definition.alias : undefined;
  const short = typeof alias === "string" && /^[A-Za-z]$/.test(alias) ? alias : undefined;
  const flag = { name, short, description, values: undefined, isRepeatable };
  if (definition.type !== "boolean") return [{ ...flag, values: valuesOf(name, definition) }];
  if (definition.default !== true) return [flag];
  // A flag that is on by default is only useful in its negative form.
  const { negativeDescription = `Turn off --${name}` } = definition;
  return [flag, { ...flag, name: `no-${name}`, short: undefined, description: negativeDescription }];
}

/** Finds the values in the definition: choices, or a kind of file from the name or the hint for the value. */
function valuesOf(name: string, definition: Flag): Values {
  if (definition.type === "enum") return toChoices(definition.options);
  if (name === "revision") return toChoices(REVISIONS);
  const hint = definition.valueHint ?? "";
  if (hint === "variable") return { kind: "variables" };
  if (/\b(?:folder|directory)\b/.test(hint) || ["folder", "directory"].includes(name))
    return { kind: "folders" };
  // The value of `--path` is the path of an endpoint.
  const isFile = /\bfile\b/.test(hint) || (hint === "path" && name !== "path");
  if (isFile || ["file", "target"].includes(name)) return { kind: "files" };
  const words = definition.type === "positional" ? wordsIn(definition.description ?? "") : [];
  return words.length > 1 ? toChoices(words) : { kind: "none" };
}

/**
 * Returns the values in an argument's description, such as `Shell: bash, zsh, or fish`. citty has no type for arguments
 * with a fixed set of values.
 */
function wordsIn(description: string): readonly string[] {
  const [, list = ""] = /^[\w ]+: ([^:]+)$/.exec(description) ?? [];
  const words = list.split(/,? or |, /);
  return words.every(isPlainWord) ? words : [];
}

function toChoices(words: readonly string[] = []): Values {
  return { kind: "choices", words: words.filter(isPlainWord) };
}
