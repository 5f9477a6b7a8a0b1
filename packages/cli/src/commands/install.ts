/**
 * @fileoverview The `tenon install` command: adds a server to the configuration of an MCP client.
 * @module cli/commands/install
 */
import type { ArgsDef } from "citty";
import {
  cliError,
  type Command,
  EXIT,
  type Invocation,
  type Terminal,
  usageError,
} from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/text";
import { isJsonOutput, outputArgs, TARGET_ARG } from "../client/target.js";
import { type Client, CLIENTS } from "../install/clients.js";
import { createInstallContext, type InstallContext } from "../install/context.js";
import { createEntry, installServer, type InstallFlags } from "../install/install-server.js";
import { findClient } from "../install/locate-config.js";
import { printOutcome, printOutcomeJson } from "../install/outcome.js";
import { parseEnvPairs, parseHeaderPairs } from "../install/server/pairs.js";
import { pathsOf } from "../install/places.js";
import { redactEntry } from "../install/plan.js";
import { resolveServer, type ResolvedServer } from "../install/server/resolve-server.js";

const ARGS: ArgsDef = {
  client: {
    type: "positional",
    description: `Client: ${CLIENTS.map(({ name }) => name).join(", ")}`,
  },
  ...TARGET_ARG,
  name: {
    type: "string",
    valueHint: "name",
    description: "Name of the server in the client (default: derived from the package, URL, or program)",
  },
  env: {
    type: "string",
    valueHint: "name=value",
    description: "Environment variable for a stdio server. NAME copies a variable. Can be repeated",
  },
  "env-file": {
    type: "string",
    valueHint: "file",
    description: "File with environment variables for a stdio server. Their values are copied",
  },
  header: {
    type: "string",
    valueHint: "name: value",
    description: "Header for every request to an HTTP server. Can be repeated",
  },
  scope: {
    type: "enum",
    options: ["user", "project"],
    description: "Configuration for all projects, or for the current folder (default: user)",
  },
  file: {
    type: "string",
    valueHint: "path",
    description: "Configuration file to change, instead of the client's own",
  },
  "dry-run": { type: "boolean", description: "Show the change as a diff, and write nothing" },
  force: {
    type: "boolean",
    description: "Replace a different server of the same name, and create the client's folder",
  },
  ...outputArgs("Print the result as JSON"),
};

/** The `install` command. Values of variables and headers are written to the file, and never printed. */
export const installCommand: Command = {
  name: "install",
  usage: "tenon install",
  description: "Add a server to an MCP client's configuration. To remove it, use tenon uninstall",
  args: ARGS,
  repeatable: ["env", "header"],
  takesProgram: true,
  hints: {
    remove: "Use: tenon uninstall <client> <name>",
    uninstall: "Use: tenon uninstall <client> <name>",
    "bearer-env": 'Pass the header with --header "Authorization: Bearer …".',
    url: "Pass the URL after the client.",
    server: "Pass the file or the URL after the client.",
    command: "Put the program after --.",
  },
  examples: [
    "tenon install cursor src/server.ts",
    "tenon install claude-code src/server.ts --env API_KEY --dry-run",
    'tenon install vscode https://example.com/mcp --scope project --header "X-Team: docs"',
    "tenon install goose --name files -- npx some-server --its-flag",
    "tenon install json src/server.ts",
  ],
  async run(invocation, terminal) {
    const { text, isOn } = invocation;
    const client = findClient(text("client") ?? "");
    const context = createInstallContext(terminal);
    const flags: InstallFlags = {
      name: text("name"),
      scope: text("scope"),
      file: text("file"),
      isDryRun: isOn("dry-run") === true,
      force: isOn("force") === true,
    };
    const resolved = await readServer(invocation, context);
    if (client.name === "json" && flags.file === undefined) {
      return printSnippet(client, resolved, { flags, context, terminal });
    }
    const outcome = await installServer(client, resolved, { flags, context });
    (isJsonOutput(invocation) ? printOutcomeJson : printOutcome)(outcome, terminal);
    return EXIT.ok;
  },
};

async function readServer(invocation: Invocation, context: InstallContext): Promise<ResolvedServer> {
  const { text, all, program } = invocation;
  const env = parseEnvPairs({
    given: all("env"),
    file: await readEnvFile(text("env-file"), context),
    env: context.machine.env,
  });
  const headers = parseHeaderPairs(all("header"));
  return resolveServer({ target: text("target"), program, env, headers }, context);
}

async function readEnvFile(file: string | undefined, context: InstallContext): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const { machine, files } = context;
  const content = await files.read(pathsOf(machine).resolve(machine.cwd, file));
  if (content === undefined)
    throw cliError(`Could not read "${oneLine(file, 200)}". Check the path and its permissions.`);
  return content;
}

interface SnippetOptions {
  readonly flags: InstallFlags;
  readonly context: InstallContext;
  readonly terminal: Terminal;
}

/** Prints a snippet for clients that the command does not know. */
function printSnippet(client: Client, resolved: ResolvedServer, options: SnippetOptions): number {
  const { stdout, stderr } = options.terminal;
  if (options.flags.scope !== undefined)
    throw usageError("The client json does not have scopes. Pass the path of a file with --file.");
  const { name, entry } = createEntry(client, resolved, options);
  const shown = redactEntry(entry);
  stdout.write(`${JSON.stringify({ [client.container]: { [name]: shown } }, null, 2)}\n`);
  for (const note of resolved.notes) stderr.write(`${oneLine(note, 1_000)}\n`);
  if (JSON.stringify(shown) !== JSON.stringify(entry))
    stderr.write(
      "Values of --env and --header are not printed. Write them to a file with --file mcp.json.\n",
    );
  return EXIT.ok;
}
