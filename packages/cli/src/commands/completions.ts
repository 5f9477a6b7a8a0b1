/**
 * @fileoverview The `tenon completions` command: prints a script that completes commands in bash, zsh, or fish.
 * @module cli/commands/completions
 */
import { type Command, EXIT, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { optionalArgument, toggle, value } from "@tenon/internal/command-line/flags";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { oneLine } from "@tenon/internal/text";
import { createBashScript } from "../completions/bash.js";
import { createFishScript } from "../completions/fish.js";
import { type CompletedCommand, isPlainWord, toCompletedCommands } from "../completions/model.js";
import { createZshScript } from "../completions/zsh.js";
import { defineCommand } from "../define-command.js";
import { Writable } from "node:stream";
import { listFeature } from "../client/list-feature.js";
import { runWithClient } from "../client/session.js";

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

/**
 * Returns the names of a module's tools that a shell can insert as they are. Returns an empty list if the module cannot
 * be loaded, or not in time. Never connects to a URL and never starts a program: the user has not run the command yet.
 */
async function listToolNames(
  file: string,
  terminal: Terminal,
  timeoutMs: number,
): Promise<readonly string[]> {
  if (/^https?:/i.test(file)) return [];
  const timeout = new AbortController();
  const names = readNames(file, silence(terminal, AbortSignal.any([terminal.signal, timeout.signal])));
  const late = new Promise<readonly string[]>((resolve) => {
    timeout.signal.addEventListener("abort", () => resolve([]));
  });
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  try {
    return await Promise.race([names.catch(() => []), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Replaces the streams of a terminal, so that nothing is printed while the user edits the command line. */
function silence(terminal: Terminal, signal: AbortSignal): Terminal {
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  return { ...terminal, stderr: sink, stdout: sink, isInteractive: false, signal };
}

async function readNames(file: string, terminal: Terminal): Promise<readonly string[]> {
  const tools = await runWithClient({ server: file }, { terminal }, ({ client }) =>
    listFeature(client, "tools"),
  );
  return tools.flatMap(({ name }) => (typeof name === "string" && isPlainWord(name) ? [name] : []));
}
