/**
 * @fileoverview Runs the program: finds the command, shows help, prints errors, and returns the exit code.
 * @module cli/run-cli
 */
import { type Command, EXIT, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { HELP_ARGS, renderCommandHelp, renderHelp, VERSION_ARGS } from "@tenon/internal/command-line/help";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { parseArguments, suggestion } from "@tenon/internal/command-line/parse-arguments";
import { reportFailure } from "@tenon/internal/command-line/run-in-process";
import { oneLine } from "@tenon/internal/text";

/** Commands with a short description, in the order of the help text. */
const COMMANDS = {
  dev: "Serve a module while you write it, and reload it on every change",
  run: "Serve a module over stdio or HTTP",
  inspect: "Open a page to try any server: call its tools, and see its messages",
  list: "List a server's tools, resources, and prompts",
  call: "Call a tool",
  read: "Read a resource",
  prompt: "Get a prompt",
  tokens: "Count the tokens that a server's tools cost a model",
  doctor: "Find definitions that clients or models have problems with",
  install: "Add a server to a client, such as Claude Code or Cursor",
  uninstall: "Remove a server from a client",
  bundle: "Pack a server into one file, or into an .mcpb bundle",
  publish: "Prepare a server for the MCP registry",
  token: "Create a token for development",
  completions: "Print a completion script for bash, zsh, or fish",
};

/** Commands are loaded on demand, for a fast start. */
const LOADERS: Readonly<Record<keyof typeof COMMANDS, () => Promise<Command>>> = {
  dev: async () => (await import("./commands/dev.js")).devCommand,
  run: async () => (await import("./commands/run.js")).runCommand,
  inspect: async () => (await import("./commands/inspect.js")).inspectCommand,
  list: async () => (await import("./commands/list.js")).listCommand,
  call: async () => (await import("./commands/call.js")).callCommand,
  read: async () => (await import("./commands/read.js")).readCommand,
  prompt: async () => (await import("./commands/prompt.js")).promptCommand,
  tokens: async () => (await import("./commands/tokens.js")).tokensCommand,
  doctor: async () => (await import("./commands/doctor.js")).doctorCommand,
  install: async () => (await import("./commands/install.js")).installCommand,
  uninstall: async () => (await import("./commands/uninstall.js")).uninstallCommand,
  bundle: async () => (await import("./commands/bundle.js")).bundleCommand,
  publish: async () => (await import("./commands/publish.js")).publishCommand,
  token: async () => (await import("./commands/token.js")).tokenCommand,
  completions: async () => (await import("./commands/completions.js")).createCompletionsCommand(loadCommands),
};

function isCommand(name: string): name is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, name);
}

function loadCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(LOADERS).map((load) => load()));
}

/** Runs the program and resolves to the exit code. Never rejects. */
export async function runCli(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(argv, terminal);
  } catch (error) {
    const { code, isUsage } = reportFailure(error, terminal);
    if (isUsage) {
      const [name = ""] = argv;
      terminal.stderr.write(`Run tenon${isCommand(name) ? ` ${name}` : ""} --help for usage.\n`);
    }
    return code;
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [first, ...rest] = argv;
  if (first === undefined) {
    terminal.stderr.write(await rootHelp(terminal));
    return EXIT.usage;
  }
  if (first === "--version" || first === "-v") {
    assertNoMore(first, rest);
    terminal.stdout.write(`${packageFacts("@tenon/cli", import.meta.url).version}\n`);
    return EXIT.ok;
  }
  if (first === "--help" || first === "-h") {
    assertNoMore(first, rest);
    return showHelp(undefined, terminal);
  }
  if (first === "help") {
    assertNoMore("help", rest.slice(1));
    return showHelp(rest[0], terminal);
  }
  if (first.startsWith("-")) {
    throw usageError(`Unknown flag ${oneLine(first, 40)}${suggestion(first, ["--help", "--version"])}`);
  }
  const command = await findCommand(first);
  const end = rest.indexOf("--");
  const own = end === -1 ? rest : rest.slice(0, end);
  if (own.includes("--help") || own.includes("-h")) return showHelp(first, terminal);
  return command.run(parseArguments(command, rest, terminal.env), terminal);
}

function assertNoMore(word: string, rest: readonly string[]): void {
  const [extra] = rest;
  if (extra !== undefined) throw usageError(`Unexpected argument "${oneLine(extra, 40)}" after ${word}.`);
}

async function findCommand(name: string): Promise<Command> {
  if (isCommand(name)) return LOADERS[name]();
  if (name === "new")
    throw usageError("`tenon new` does not exist. Create a project with: npm create tenon@latest <folder>");
  const names = [...Object.keys(COMMANDS), "help"];
  const meant = Object.hasOwn(ALIASES, name)
    ? `. Did you mean ${ALIASES[name] ?? ""}?`
    : suggestion(name, names);
  throw usageError(`Unknown command "${oneLine(name, 40)}"${meant}`);
}

/** Commands by the names that users try instead. */
const ALIASES: Readonly<Record<string, string>> = {
  ls: "list",
  tools: "list",
  start: "run",
  serve: "run",
  watch: "dev",
  resource: "read",
  get: "read",
  prompts: "prompt",
  create: "npm create tenon",
  init: "npm create tenon",
};

async function showHelp(name: string | undefined, terminal: Terminal): Promise<number> {
  const text =
    name === undefined
      ? await rootHelp(terminal)
      : await renderCommandHelp(await findCommand(name), rootMeta(), terminal);
  terminal.stdout.write(text);
  return EXIT.ok;
}

function rootHelp(terminal: Terminal): Promise<string> {
  const subCommands = Object.fromEntries(
    Object.entries(COMMANDS).map(([name, description]) => [name, { meta: { name, description } }]),
  );
  const args = { ...HELP_ARGS, ...VERSION_ARGS };
  return renderHelp({ meta: rootMeta(), args, subCommands }, undefined, terminal);
}

function rootMeta() {
  return {
    name: "tenon",
    version: packageFacts("@tenon/cli", import.meta.url).version,
    description: "Develop, run, inspect, and publish MCP servers",
  };
}
