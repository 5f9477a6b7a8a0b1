/**
 * @fileoverview The `tenon uninstall` command: removes a server from the configuration of an MCP client.
 * @module cli/commands/uninstall
 */
import type { ArgsDef } from "citty";
import { type Command, EXIT } from "@tenon/internal/command-line/command";
import { isJsonOutput, outputArgs } from "../client/target.js";
import { CLIENTS } from "../install/clients.js";
import { createInstallContext } from "../install/context.js";
import { uninstallServer } from "../install/install-server.js";
import { findClient } from "../install/locate-config.js";
import { printOutcome, printOutcomeJson } from "../install/outcome.js";

const ARGS: ArgsDef = {
  client: {
    type: "positional",
    description: `Client: ${CLIENTS.map(({ name }) => name).join(", ")}`,
  },
  name: { type: "positional", description: "Name of the server in the client" },
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
  ...outputArgs("Print the result as JSON"),
};

/** The `uninstall` command. A file that differs from its backup only in the server gets its old bytes back. */
export const uninstallCommand: Command = {
  name: "uninstall",
  usage: "tenon uninstall",
  description: "Remove a server from an MCP client's configuration",
  args: ARGS,
  examples: [
    "tenon uninstall cursor notes",
    "tenon uninstall vscode notes --scope project --dry-run",
    "tenon uninstall json notes --file mcp.json",
  ],
  async run(invocation, terminal) {
    const { text, isOn } = invocation;
    const outcome = await uninstallServer(findClient(text("client") ?? ""), text("name") ?? "", {
      flags: { scope: text("scope"), file: text("file"), isDryRun: isOn("dry-run") === true },
      context: createInstallContext(terminal),
    });
    (isJsonOutput(invocation) ? printOutcomeJson : printOutcome)(outcome, terminal);
    return EXIT.ok;
  },
};
