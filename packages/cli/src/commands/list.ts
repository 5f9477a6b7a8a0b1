/**
 * @fileoverview The `tenon list` command: lists a server's tools, resources, and prompts as text or JSON.
 * @module cli/commands/list
 */
import type { ArgsDef } from "citty";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { META } from "tenon/protocol";
import type { Client } from "../client/client.js";
import { listFeature } from "../client/list-feature.js";
import { runWithClient } from "../client/session.js";
import { isJsonOutput, readTargetWords, TARGET_ARGS, TARGET_HINTS } from "../client/target.js";
import { describeOffer, type Offer } from "../describe/offer.js";
import { type Command, EXIT, usageError } from "@tenon/internal/command-line/command";

const ARGS: ArgsDef = {
  target: { type: "positional", required: false, description: "Server (same as --server)" },
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
  const { handshakeResult, revision } = client;
  const { instructions } = handshakeResult;
  return {
    server: serverInfo(handshakeResult),
    revision,
    ...(typeof instructions === "string" ? { instructions } : {}),
    tools: await listFeature(client, "tools"),
    resources: await listFeature(client, "resources"),
    resourceTemplates: await listFeature(client, "resourceTemplates"),
    prompts: await listFeature(client, "prompts"),
  };
}

function serverInfo(handshakeResult: JsonObject): JsonObject {
  const meta = isJsonObject(handshakeResult["_meta"]) ? handshakeResult["_meta"] : {};
  const info = handshakeResult["serverInfo"] ?? meta[META.serverInfo];
  return isJsonObject(info) ? info : {};
}
