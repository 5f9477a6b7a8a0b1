/**
 * @fileoverview Runs completion scripts in real shells: asks a shell for suggestions, and types in an interactive one.
 * @module tests/cli/support/completions/shells
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../../../../../tools/debian-program.js";
import { programFile, temporaryFolder } from "../../../../../tests/support/program.js";

/** Shell with a completion script. */
export type ShellName = "bash" | "zsh" | "fish";

const FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/** Finds a shell. As root, installs it if it is missing. Prints what is left out if it cannot. */
export async function findShell(name: ShellName): Promise<string | undefined> {
  const found = await findProgram({ package: name, places: FOLDERS.map((folder) => join(folder, name)) });
  if (found.path === undefined)
    process.stderr.write(`Skipped the tests of completions in ${name}: ${found.reason}\n`);
  return found.path;
}

/** Writes a script to a file in a folder of its own. */
export function writeScript(name: ShellName, script: string): string {
  const file = join(temporaryFolder(), name === "zsh" ? "_tenon" : `tenon.${name}`);
  writeFileSync(file, script);
  return file;
}

/** Returns bash's suggestions for a line with the cursor at its end. An empty list means file names. */
export async function suggestInBash(bash: string, script: string, line: string): Promise<readonly string[]> {
  // Readline splits words at these signs.
  const words = line.split(" ").flatMap((word) => word.match(/[=:]+|[^=:]+/g) ?? [""]);
  const program =
    'source "$1"; COMP_LINE=$2; COMP_POINT=${#2}; shift 2; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); ' +
    '_tenon; for word in "${COMPREPLY[@]}"; do printf "%s\\n" "$word"; done';
  const args = ["--norc", "--noprofile", "-c", program, "bash", script, line, ...words];
  const { stdout, stderr } = await promisify(execFile)(bash, args, { env: environment() });
  if (stderr !== "") throw new Error(stderr);
  return stdout.split("\n").slice(0, -1);
}

/** Returns fish's suggestions for a line with the cursor at its end, each with its description. */
export async function suggestInFish(
  fish: string,
  script: string,
  line: string,
): Promise<ReadonlyMap<string, string>> {
  const program = "source $argv[1]; complete -C $argv[2]";
  const { stdout, stderr } = await promisify(execFile)(fish, ["--no-config", "-c", program, script, line], {
    env: environment(),
    cwd: dirname(script),
  });
  if (stderr !== "") throw new Error(stderr);
  const lines = stdout.split("\n").slice(0, -1);
  return new Map(
    lines.map((one) => {
      const [word = "", about = ""] = one.split("\t");
      return [word, about];
    }),
  );
}

/** Options for `typeInShell`. */
export interface TypingOptions {
  readonly shell: string;
  readonly name: ShellName;
  readonly script: string;
  /** Folder in which the shell runs. */
  readonly cwd: string;
  /** Keys after `tenon `. Tab is `\t`. */
  readonly keys: string;
  /** True if zsh finds the script in `fpath`, instead of sourcing it. @default false */
  readonly isAutoloaded?: boolean;
}

/**
 * Types a command line in an interactive shell on a pseudo-terminal and presses Enter. Returns the arguments that
 * `tenon` received, and everything that the terminal showed. A flag and its value are two arguments.
 */
export async function typeInShell(
  options: TypingOptions,
): Promise<{ readonly args: readonly string[]; readonly shown: string }> {
  const { shell, name, script, cwd, keys, isAutoloaded = false } = options;
  const home = temporaryFolder();
  const child = spawn(
    "script",
    ["-qefc", `stty cols 120 rows 40; exec ${STARTS[name](shell, home)}`, "/dev/null"],
    {
      cwd,
      env: environment(home),
      stdio: "pipe",
    },
  );
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text));
  const until = async (text: string) => {
    while (!shown.includes(text)) await once(child.stdout, "data");
  };
  // The marker appears in the output only, not in the line that is typed.
  child.stdin.write(`${SETUPS[isAutoloaded ? "autoloading" : name](script)}; echo rea''dy\r`);
  await until("ready");
  child.stdin.write(`tenon ${keys}\r`);
  await until("<end>");
  child.stdin.write("exit\r");
  await once(child, "close");
  const [, received = ""] = /<args>(.*?)<end>/s.exec(shown) ?? [];
  // zsh completes a flag and its value as one word.
  const args = received.split("<,>").slice(0, -1);
  return { args: args.flatMap((word) => (word.startsWith("--") ? word.split("=") : [word])), shown };
}

const STARTS: Readonly<Record<ShellName, (shell: string, home: string) => string>> = {
  bash: (shell) => `${shell} --norc --noprofile -i`,
  zsh: (shell) => `${shell} -f -i`,
  fish: (shell, home) => {
    mkdirSync(join(home, ".config/fish"), { recursive: true });
    return `${shell} --no-config -i`;
  },
};

/** The markers are split, so that they appear only in the output of the function and not in its definition. */
const PRINT = `printf '<ar''gs>'; printf '%s<,>' "$@"; printf '<e''nd>'`;
const REAL = `'${process.execPath}' '${programFile("tenon")}'`;

const PROGRAM = `tenon() { if [ "$2" = --list-tools ]; then ${REAL} "$@"; else ${PRINT}; fi; }`;

/** Lines that load the script, and define `tenon` as a function that prints its arguments. Only lists are real. */
const SETUPS: Readonly<Record<ShellName | "autoloading", (script: string) => string>> = {
  bash: (script) => `source ${script}; ${PROGRAM}`,
  zsh: (script) => `autoload -Uz compinit; compinit -u -D; unsetopt beep; source ${script}; ${PROGRAM}`,
  autoloading: (script) =>
    `fpath=(${dirname(script)} $fpath); autoload -Uz compinit; compinit -u -D; unsetopt beep; ${PROGRAM}`,
  fish: (script) =>
    `source ${script}; function tenon; if test "$argv[2]" = --list-tools; ${REAL} $argv; else; ` +
    "printf '<ar''gs>'; printf '%s<,>' $argv; printf '<e''nd>'; end; end",
};

function environment(home = "/nonexistent"): Readonly<Record<string, string>> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TERM: "xterm",
    LANG: "C.UTF-8",
    TENON_TEST_VARIABLE: "secret value",
  };
}
