/**
 * @fileoverview The `tenon completions` command: prints a script that completes commands in bash, zsh, or fish.
 * @module cli/commands/completions
 */
import { type Command, EXIT, usageError } from "@tenon/internal/command-line/command";
import { optionalArgument, toggle, value } from "@tenon/internal/command-line/flags";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { oneLine } from "@tenon/internal/text";
import { createBashScript } from "../completions/bash.js";
import { createFishScript } from "../completions/fish.js";
import { listToolNames } from "../completions/list-tools.js";
import { type CompletedCommand, toCompletedCommands } from "../completions/model.js";
import { createZshScript } from "../completions/zsh.js";
import { defineCommand } from "../define-command.js";

const SCRIPTS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: createBashScript,
  zsh: createZshScript,
  fish: createFishScript,
};

/**
 * Creates the `completions` command. The script is generated from the commands, so that it has all of their flags.
 *
 * @param loadCommands loads every command of the program, including this one
 */
export function createCompletionsCommand(loadCommands: () => Promise<readonly Command[]>): Command {
  return defineCommand({
    name: "completions",
    synopsis: "tenon completions [OPTIONS] <SHELL>",
    description: "Print a script that completes commands, flags, and values in bash, zsh, or fish",
    args: {
      shell: optionalArgument("Shell: bash, zsh, or fish"),
      tools: toggle("Also complete the names of a module's tools. Pressing Tab then runs the module"),
      "list-tools": value("file", "Print the names of a module's tools, one per line. The scripts use it"),
    },
    examples: [
      "tenon completions fish > ~/.config/fish/completions/tenon.fish",
      `echo 'eval "$(tenon completions bash)"' >> ~/.bashrc`,
      `echo 'eval "$(tenon completions zsh)"' >> ~/.zshrc   # below compinit`,
    ],
    async run({ shell, tools, listTools: file }, terminal) {
      if (file !== undefined) {
        if (shell !== undefined) throw usageError("--list-tools does not take a shell.");
        const names = await listToolNames(file, terminal, LIST_MS);
        terminal.stdout.write(names.map((name) => `${name}\n`).join(""));
        return EXIT.ok;
      }
      const createScript = findScript(shell);
      const commands = toCompletedCommands(await loadCommands(), { completesTools: tools });
      terminal.stdout.write(createScript(commands));
      return EXIT.ok;
    },
  });
}

/** Time limit for loading a module, in milliseconds. The user is waiting for suggestions. */
const LIST_MS = 3_000;

function findScript(shell: string | undefined) {
  const shells = Object.keys(SCRIPTS);
  if (shell === undefined)
    throw usageError(`tenon completions requires the argument <shell>. Pass ${shells.join(", ")}.`);
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script !== undefined) return script;
  const got = `got "${oneLine(shell, 40)}"${suggestion(shell, shells)}`;
  throw usageError(`The shell must be one of ${shells.join(", ")}; ${got}`);
}
