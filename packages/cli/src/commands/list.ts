/**
 * @fileoverview The `tenon list` command: lists a server's tools, resources, and prompts as text or JSON.
 * @module cli/commands/list
 */
import type { Client } from "tenon/client";
import { EXIT } from "@tenon/internal/command-line/command";
import { listFeatures } from "../client/list-feature.js";
import { runWithClient } from "../client/session.js";
import { readServer, TARGET_ARG, TARGET_ARGS, TARGET_HINTS } from "../client/target.js";
import { defineCommand, printResult } from "../define-command.js";
import { describeOffer, type Offer } from "../describe/offer.js";

/** The `list` command. It requests only the features that the server declares. */
export const listCommand = defineCommand({
  name: "list",
  description: "List a server's tools with their arguments, its resources, and its prompts",
  args: { ...TARGET_ARG, ...TARGET_ARGS },
  hints: TARGET_HINTS,
  examples: [
    "tenon list src/server.ts",
    "tenon list src/server.ts:app --json",
    "tenon list https://example.com/mcp --bearer-env TOKEN",
    "tenon list -- npx some-server",
  ],
  async run(flags, terminal) {
    const offer = await runWithClient(readServer(flags), { terminal }, ({ client }) => readOffer(client));
    printResult(flags, terminal, { json: offer, text: () => describeOffer(offer, terminal) });
    return EXIT.ok;
  },
});

async function readOffer(client: Client): Promise<Offer> {
  const { serverInfo, revision } = client;
  const { instructions } = client.server;
  return {
    server: { ...serverInfo },
    revision,
    ...(typeof instructions === "string" ? { instructions } : {}),
    ...(await listFeatures(client)),
  };
}
