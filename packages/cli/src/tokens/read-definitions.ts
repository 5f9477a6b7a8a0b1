/**
 * @fileoverview Reads a server's definitions: a module in memory with its views, and other servers as a client.
 * @module cli/tokens/read-definitions
 */
import { type Terminal, usageError } from "@tenon/internal/command-line/command";
import { listFeature } from "../client/list-feature.js";
import { runWithClient, type Session } from "../client/session.js";
import { parseTarget, type TargetFlags } from "../client/target.js";
import { isTenonServer, readModule } from "./module-views.js";
import { AS_LISTED, type Definitions, describeView, type ViewKey } from "./views.js";

/**
 * Reads the definitions to count.
 *
 * @throws {CliError} if the server cannot be read, or if it cannot be seen through the selected view
 */
export async function readDefinitions(
  flags: TargetFlags,
  key: ViewKey,
  terminal: Terminal,
): Promise<Definitions> {
  if (parseTarget(flags, terminal.env).kind !== "file") assertListed(key);
  return runWithClient(flags, { terminal }, async (session) => {
    const server = session.loaded?.origin.mcpServer;
    if (isTenonServer(server)) {
      const { revision = "latest" } = flags;
      return readModule(server, { key, revision, context: session.loaded?.context });
    }
    assertListed(key);
    return readLists(session);
  });
}

/** Asserts that the view is the server's own list. @throws {CliError} */
function assertListed(key: ViewKey): void {
  if (describeView(key) === describeView(AS_LISTED)) return;
  throw usageError(
    "--view flat, --scope, --tags, --any-tag, and --exclude-tag require a module that exports a Tenon server. " +
      "For a URL, pass a token that has the scopes: --bearer-env <variable>",
  );
}

async function readLists({ client }: Session): Promise<Definitions> {
  const { serverInfo, revision } = client;
  const { instructions } = client.server;
  const tools = await listFeature(client, "tools");
  return {
    server: { ...serverInfo },
    revision,
    instructions: typeof instructions === "string" ? instructions : undefined,
    prompts: await listFeature(client, "prompts"),
    selected: { key: AS_LISTED, tools },
    views: [],
    omittedViews: 0,
    actions: new Map(),
  };
}
