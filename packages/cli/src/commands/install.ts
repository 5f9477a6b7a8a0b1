/**
 * @fileoverview The `tenon install` command: adds a server to the configuration of an MCP client.
 * @module cli/commands/install
 */
import {
  cliError,
  EXIT,
  type Invocation,
  type Terminal,
  usageError,
} from "@tenon/internal/command-line/command";
import { repeated, toggle, value } from "@tenon/internal/command-line/flags";
import { oneLine } from "@tenon/internal/text";
import { TARGET_ARG } from "../client/target.js";
import { defineCommand, printJson } from "../define-command.js";
import type { Client } from "../install/clients.js";
import { CLIENT_ARG, CONFIG_ARGS, findClient, OUTPUT_ARGS } from "../install/locate-config.js";
import { createInstallContext, type InstallContext } from "../install/context.js";
import { createEntry, type InstallFlags, installServer } from "../install/install-server.js";
import { printOutcome } from "../install/outcome.js";
import { pathsOf } from "../install/places.js";
import { redactEntry } from "../install/plan.js";
import { parseEnvPairs, parseHeaderPairs } from "../install/server/pairs.js";
import { type ResolvedServer, resolveServer } from "../install/server/resolve-server.js";

const ARGS = {
  ...CLIENT_ARG,
  ...TARGET_ARG,
  name: value(
    "name",
    "Name of the server in the client (default: derived from the package, URL, or program)",
  ),
  env: repeated("name=value", "Environment variable for a stdio server. NAME copies a variable"),
  "env-file": value("file", "File with environment variables for a stdio server. Their values are copied"),
  header: repeated("name: value", "Header for every request to an HTTP server"),
  ...CONFIG_ARGS,
  force: toggle("Replace a different server of the same name, and create the client's folder"),
  ...OUTPUT_ARGS,
};

/** The `install` command. Values of variables and headers are written to the file, and never printed. */
export const installCommand = defineCommand({
  name: "install",
  description: "Add a server to an MCP client's configuration. To remove it, use tenon uninstall",
  args: ARGS,
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
  async run(flags, terminal) {
    const client = findClient(flags.client);
    const context = createInstallContext(terminal);
    const resolved = await readServer(flags, context);
    if (client.name === "json" && flags.file === undefined)
      return printSnippet(client, resolved, { flags, context, terminal });
    printOutcome(await installServer(client, resolved, { flags, context }), flags, terminal);
    return EXIT.ok;
  },
});

async function readServer(flags: Invocation<typeof ARGS>, context: InstallContext): Promise<ResolvedServer> {
  const { target, program } = flags;
  const file = await readEnvFile(flags.envFile, context);
  const env = parseEnvPairs({ given: flags.env, file, env: context.machine.env });
  return resolveServer({ target, program, env, headers: parseHeaderPairs(flags.header) }, context);
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
  const { stderr } = options.terminal;
  if (options.flags.scope !== undefined)
    throw usageError("The client json does not have scopes. Pass the path of a file with --file.");
  const { name, entry } = createEntry(client, resolved, options);
  const shown = redactEntry(entry);
  printJson({ [client.container]: { [name]: shown } }, options.terminal);
  for (const note of resolved.notes) stderr.write(`${oneLine(note, 1_000)}\n`);
  if (JSON.stringify(shown) !== JSON.stringify(entry))
    stderr.write(
      "Values of --env and --header are not printed. Write them to a file with --file mcp.json.\n",
    );
  return EXIT.ok;
}
