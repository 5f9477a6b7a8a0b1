/**
 * @fileoverview Commands for tests of completions: the program's own, and one with hostile texts.
 * @module tests/cli/support/completions/commands
 */
import type { Command } from "@tenon/internal/command-line/command";
import { callCommand } from "../../../src/commands/call.js";
import { createCompletionsCommand } from "../../../src/commands/completions.js";
import { inspectCommand } from "../../../src/commands/inspect.js";
import { installCommand } from "../../../src/commands/install.js";
import { listCommand } from "../../../src/commands/list.js";
import { promptCommand } from "../../../src/commands/prompt.js";
import { readCommand } from "../../../src/commands/read.js";
import { runCommand } from "../../../src/commands/run.js";
import { tokenCommand } from "../../../src/commands/token.js";
import { tokensCommand } from "../../../src/commands/tokens.js";
import { uninstallCommand } from "../../../src/commands/uninstall.js";

const OWN: readonly Command[] = [
  runCommand,
  inspectCommand,
  listCommand,
  callCommand,
  readCommand,
  promptCommand,
  tokenCommand,
  tokensCommand,
  installCommand,
  uninstallCommand,
];

/** The program's commands, including `completions`. */
export const COMMANDS: readonly Command[] = [...OWN, createCompletionsCommand(async () => OWN)];

/** Text that every shell would interpret if it were not quoted. `file` is a file that it tries to create. */
export function hostileText(file: string): string {
  return `It's "a" [test]: $(touch ${file}) \`touch ${file}\` (touch ${file}) {x,y} \\ %F{red} ; touch ${file} & | > * ~ ! #`;
}

/** Command whose texts, names, and values are hostile. */
export function hostileCommand(file: string): Command {
  const text = hostileText(file);
  return {
    name: "hostile",
    usage: "tenon hostile",
    description: `${text}\nsecond line`,
    args: {
      client: { type: "positional", description: "Client: cursor, claude-code, or zed" },
      other: { type: "positional", description: `Other: one, $(touch ${file})` },
      plain: { type: "boolean", description: text },
      mode: { type: "enum", options: ["safe", `$(touch ${file})`, "a b", "-x"], description: text },
      input: { type: "string", valueHint: text, description: text },
      [`x$(touch ${file})`]: { type: "boolean", description: "A name that is not a word" },
    },
    examples: [],
    run: async () => 0,
  };
}
