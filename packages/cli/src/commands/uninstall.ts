/**
 * @fileoverview The `tenon uninstall` command: removes a server from the configuration of an MCP client.
 * @module cli/commands/uninstall
 */
import { EXIT } from "@tenon/internal/command-line/command";
import { argument } from "@tenon/internal/command-line/flags";
import { defineCommand } from "../define-command.js";
import { CLIENT_ARG, CONFIG_ARGS, findClient, OUTPUT_ARGS } from "../install/locate-config.js";
import { createInstallContext } from "../install/context.js";
import { uninstallServer } from "../install/install-server.js";
import { printOutcome } from "../install/outcome.js";

/** The `uninstall` command. A file that differs from its backup only in the server gets its old bytes back. */
export const uninstallCommand = defineCommand({
  name: "uninstall",
  description: "Remove a server from an MCP client's configuration",
  args: {
    ...CLIENT_ARG,
    name: argument("Name of the server in the client"),
    ...CONFIG_ARGS,
    ...OUTPUT_ARGS,
  },
  examples: [
    "tenon uninstall cursor notes",
    "tenon uninstall vscode notes --scope project --dry-run",
    "tenon uninstall json notes --file mcp.json",
  ],
  async run(flags, terminal) {
    const context = createInstallContext(terminal);
    const outcome = await uninstallServer(findClient(flags.client), flags.name, { flags, context });
    printOutcome(outcome, flags, terminal);
    return EXIT.ok;
  },
});
