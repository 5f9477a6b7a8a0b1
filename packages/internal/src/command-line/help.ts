/**
 * @fileoverview Renders help texts for commands.
 * @module internal/command-line/help
 */
import { stripVTControlCharacters } from "node:util";
import { type CommandDef, type CommandMeta, renderUsage } from "citty";
import { trimEndOf } from "../text.js";
import type { Command, Terminal } from "./command.js";
import { hasColors } from "./text.js";

/** Renders a command's usage, flags, and examples. `parent` describes the program that the command belongs to. */
export async function renderCommandHelp(
  command: Command,
  parent: CommandMeta | undefined,
  terminal: Terminal,
): Promise<string> {
  const { name, description, args, examples, usage, synopsis } = command;
  const above = parent === undefined ? undefined : { meta: parent };
  const rendered = await renderHelp({ meta: { name, description }, args }, above, terminal);
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
  const text = `${lines.join("\n")}\n`;
  return hasColors(terminal.stdout, terminal.env) ? text : stripVTControlCharacters(text);
}

/** Matches the usage line that the renderer creates from the arguments, up to the end of its color. */
function toUsagePattern(usage: string): RegExp {
  return new RegExp(String.raw`(?<=USAGE\S* \S*)${usage} [^\u001b\n]*`);
}
