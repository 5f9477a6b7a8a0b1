/**
 * @fileoverview The program from arguments to exit code: finds the command, shows help, and puts failures in words.
 * @module cli/run-cli
 */
import { stripVTControlCharacters } from "node:util";
import { type CommandDef, renderUsage } from "citty";
import { type Command, CliError, EXIT, type Terminal, usageError } from "./command.js";
import { packageFacts } from "./package-facts.js";
import { readArguments, suggestion } from "./read-arguments.js";
import { harmless, hasColours, oneLine } from "./text.js";

/** A command is loaded when it is called: prompts cost more than all the rest. */
const COMMANDS: Readonly<Record<string, { readonly about: string; readonly load: () => Promise<Command> }>> =
  {
    new: {
      about: "Create a project for an MCP server",
      load: async () => (await import("./commands/new.js")).newCommand,
    },
    run: {
      about: "Serve a module's server on stdio or HTTP",
      load: async () => (await import("./commands/run.js")).runCommand,
    },
    list: {
      about: "List what a server offers",
      load: async () => (await import("./commands/list.js")).listCommand,
    },
    call: {
      about: "Call a tool of a server",
      load: async () => (await import("./commands/call.js")).callCommand,
    },
  };

/** Runs the program. Never rejects: the number is the exit code. */
export async function runCli(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(argv, terminal);
  } catch (error) {
    const isOurs = error instanceof CliError;
    const text = isOurs ? error.message : `Unexpected failure: ${describe(error)}`;
    terminal.stderr.write(`${harmless(text)}\n`);
    if (isOurs && error.exitCode === EXIT.usage) {
      const name = argv[0] !== undefined && Object.hasOwn(COMMANDS, argv[0]) ? ` ${argv[0]}` : "";
      terminal.stderr.write(`Run tenon${name} --help to see what there is.\n`);
    }
    return isOurs ? error.exitCode : EXIT.failure;
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [first, ...rest] = argv;
  if (first === undefined) {
    terminal.stderr.write(await rootHelp(terminal));
    return EXIT.usage;
  }
  if (first === "--version" || first === "-v") {
    terminal.stdout.write(`${packageFacts().version}\n`);
    return EXIT.ok;
  }
  if (first === "--help" || first === "-h") return showHelp(undefined, terminal);
  if (first === "help") return showHelp(rest[0], terminal);
  if (first.startsWith("-")) {
    throw usageError(`Unknown flag ${oneLine(first, 40)}${suggestion(first, ["--help", "--version"])}`);
  }
  const command = await findCommand(first);
  const end = rest.indexOf("--");
  const own = end === -1 ? rest : rest.slice(0, end);
  if (own.includes("--help") || own.includes("-h")) return showHelp(first, terminal);
  return command.run(readArguments(command, rest), terminal);
}

async function findCommand(name: string): Promise<Command> {
  const known = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (known === undefined) {
    throw usageError(`Unknown command "${oneLine(name, 40)}"${suggestion(name, Object.keys(COMMANDS))}`);
  }
  return known.load();
}

async function showHelp(name: string | undefined, terminal: Terminal): Promise<number> {
  const text =
    name === undefined ? await rootHelp(terminal) : await commandHelp(await findCommand(name), terminal);
  terminal.stdout.write(text);
  return EXIT.ok;
}

function rootHelp(terminal: Terminal): Promise<string> {
  const subCommands = Object.fromEntries(
    Object.entries(COMMANDS).map(([name, { about }]) => [name, { meta: { name, description: about } }]),
  );
  return renderHelp({ meta: rootMeta(), subCommands }, undefined, terminal);
}

async function commandHelp(command: Command, terminal: Terminal): Promise<string> {
  const { name, description, args, examples } = command;
  const help = await renderHelp({ meta: { name, description }, args }, { meta: rootMeta() }, terminal);
  return `${help}Examples\n\n${examples.map((one) => `  ${one}\n`).join("")}`;
}

async function renderHelp(
  command: CommandDef,
  parent: CommandDef | undefined,
  terminal: Terminal,
): Promise<string> {
  const text = `${(await renderUsage(command, parent)).replace(/ +$/gm, "")}\n`;
  return hasColours(terminal.stdout, terminal.env) ? text : stripVTControlCharacters(text);
}

function rootMeta() {
  return { name: "tenon", version: packageFacts().version, description: "Servers for MCP" };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
