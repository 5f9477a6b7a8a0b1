/**
 * @fileoverview The `tenon list` command: lists a server's tools, resources, and prompts as text or JSON.
 * @module cli/commands/list
 */
import type { ArgsDef } from "citty";
import type { Client } from "tenon/client";
import { listFeature } from "../client/list-feature.js";
import { runWithClient } from "../client/session.js";
import { isJsonOutput, readTargetWords, TARGET_ARG, TARGET_ARGS, TARGET_HINTS } from "../client/target.js";
import { describeOffer, type Offer } from "../describe/offer.js";
import { type Command, EXIT, usageError } from "@tenon/internal/command-line/command";

const ARGS: ArgsDef = {
  ...TARGET_ARG,
  ...TARGET_ARGS,
};

/** The `list` command. It requests only the features that the server declares. */
export const listCommand: Command = {
  name: "list",
  usage: "tenon list",
  description: "List a server's tools with their arguments, its resources, and its prompts",
  args: ARGS,
  repeatable: ["header"],
  takesProgram: true,
  hints: TARGET_HINTS,
  examples: [
    "tenon list src/server.ts",
    "tenon list src/server.ts:app --json",
    "tenon list https://example.com/mcp --bearer-env TOKEN",
    "tenon list -- npx some-server",
  ],
  async run(invocation, terminal) {
    const target = invocation.text("target");
    if (target !== undefined && invocation.text("server") !== undefined) {
      throw usageError("The server is specified twice. Use either the argument or --server.");
    }
    const { flags } = readTargetWords(invocation, target === undefined ? [] : [target]);
    const server = flags.server ?? target;
    const offer = await runWithClient({ ...flags, server }, { terminal }, ({ client }) => readOffer(client));
    terminal.stdout.write(
      isJsonOutput(invocation) ? `${JSON.stringify(offer, null, 2)}\n` : describeOffer(offer, terminal),
    );
    return EXIT.ok;
  },
};

async function readOffer(client: Client): Promise<Offer> {
  const { serverInfo, revision } = client;
  const { instructions } = client.server;
  return {
    server: { ...serverInfo },
    revision,
    ...(typeof instructions === "string" ? { instructions } : {}),
    tools: await listFeature(client, "tools"),
    resources: await listFeature(client, "resources"),
    resourceTemplates: await listFeature(client, "resourceTemplates"),
    prompts: await listFeature(client, "prompts"),
  };
}
