/**
 * @fileoverview Renders help texts for commands.
 * @module internal/command-line/help
 */
import { stripVTControlCharacters } from "node:util";
import { type ArgsDef, type CommandDef, type CommandMeta, renderUsage } from "citty";
import { trimEndOf } from "../text.js";
import type { Command, Terminal } from "./command.js";
import { hasColors } from "./text.js";

/** Help line for `--help`, which every program and command accepts. Only for help texts: programs parse it themselves. */
export const HELP_ARGS: ArgsDef = {
  help: { type: "boolean", alias: "h", description: "Show this help text" },
};

/** Help line for `--version`, which every program accepts. Only for help texts. */
export const VERSION_ARGS: ArgsDef = {
  version: { type: "boolean", alias: "v", description: "Show the version" },
};

/** Renders a command's usage, flags, and examples. `parent` describes the program that the command belongs to. */
export async function renderCommandHelp(
  command: Command,
  parent: CommandMeta | undefined,
  terminal: Terminal,
): Promise<string> {
  const { name, description, args, examples, usage, synopsis } = command;
  const above = parent === undefined ? undefined : { meta: parent };
  // A command without a parent is a program.
  const shown = { ...args, ...HELP_ARGS, ...(parent === undefined ? VERSION_ARGS : {}) };
  const rendered = await renderHelp({ meta: { name, description }, args: shown }, above, terminal);
  const help = synopsis === undefined ? rendered : rendered.replace(toUsagePattern(usage), () => synopsis);
  return `${help}Examples\n\n${examples.map((one) => `  ${one}\n`).join("")}`;
}

/** Renders a help text, with colors if the terminal supports them. */
export async function renderHelp(
  command: CommandDef,
  parent: CommandDef | undefined,
  terminal: Terminal,
): Promise<string> {
  const lines = (await renderUsage(command, parent)).split("\n").map((line) => trimEndOf(line, " "));
  // The renderer writes the default of a flag that is on in another style than the descriptions.
  const text = `${lines.join("\n")}\n`.replaceAll("(Default: true)", "(default)");
  return hasColors(terminal.stdout, terminal.env) ? text : stripVTControlCharacters(text);
}

/** Matches the usage line that the renderer creates from the arguments, up to the end of its color. */
function toUsagePattern(usage: string): RegExp {
  return new RegExp(String.raw`(?<=USAGE\S* \S*)${usage} [^\u001b\n]*`);
}
