/**
 * @fileoverview The `tenon list` command: lists a server's tools, resources, and prompts as text or JSON.
 * @module cli/commands/list
 */
import type { ArgsDef } from "citty";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { META } from "tenon/protocol";
import type { Client } from "../client/client.js";
import { TARGET_ARGS, runWithClient, toTargetFlags } from "../client/target.js";
import { type Command, EXIT, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { bold, oneLine, twoColumns, widthOf } from "@tenon/internal/command-line/text";

const ARGS: ArgsDef = {
  target: { type: "positional", required: false, description: "Server to use, as with --server" },
  ...TARGET_ARGS,
  json: { type: "boolean", description: "Short for --output json" },
};

/** The `list` command. It requests only the features that the server declares. */
export const listCommand: Command = {
  name: "list",
  usage: "tenon list",
  description: "List a server's tools, resources, and prompts",
  args: ARGS,
  repeatable: ["header"],
  takesProgram: true,
  examples: [
    "tenon list src/server.ts",
    "tenon list https://example.com/mcp --bearer-env TOKEN --json",
    "tenon list -- npx some-server",
  ],
  async run(invocation, terminal) {
    const { text, isOn } = invocation;
    const target = text("target");
    const flags = toTargetFlags(invocation);
    if (target !== undefined && flags.server !== undefined) {
      throw usageError("The server is specified twice. Use either the argument or --server.");
    }
    const offer = await runWithClient({ ...flags, server: target ?? flags.server }, terminal, readOffer);
    const isJson = isOn("json") === true || text("output") === "json";
    terminal.stdout.write(isJson ? `${JSON.stringify(offer, null, 2)}\n` : describeOffer(offer, terminal));
    return EXIT.ok;
  },
};

interface Offer {
  readonly server: JsonObject;
  readonly revision: string;
  readonly instructions?: string;
  readonly tools: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
}

async function readOffer(client: Client): Promise<Offer> {
  const { handshakeResult, revision } = client;
  const capabilities = isJsonObject(handshakeResult["capabilities"]) ? handshakeResult["capabilities"] : {};
  const list = (feature: string, method: string, key: string) =>
    capabilities[feature] === undefined ? [] : client.listAll(method, key);
  const { instructions } = handshakeResult;
  return {
    server: serverInfo(handshakeResult),
    revision,
    ...(typeof instructions === "string" ? { instructions } : {}),
    tools: await list("tools", "tools/list", "tools"),
    resources: await list("resources", "resources/list", "resources"),
    resourceTemplates: await list("resources", "resources/templates/list", "resourceTemplates"),
    prompts: await list("prompts", "prompts/list", "prompts"),
  };
}

function serverInfo(handshakeResult: JsonObject): JsonObject {
  const meta = isJsonObject(handshakeResult["_meta"]) ? handshakeResult["_meta"] : {};
  const info = handshakeResult["serverInfo"] ?? meta[META.serverInfo];
  return isJsonObject(info) ? info : {};
}

function describeOffer(offer: Offer, { stdout, env }: Terminal): string {
  const strong = bold(stdout, env);
  const width = widthOf(stdout);
  const { server, revision } = offer;
  const title = `${strong(word(server["name"], "(no name)"))} ${word(server["version"], "")}`.trimEnd();
  const section = (name: string, items: readonly JsonObject[], key: string) =>
    items.length === 0
      ? []
      : [
          "",
          strong(`${name} (${items.length})`),
          ...twoColumns(
            items.map(
              (item) => [word(item[key], "?"), word(item["description"] ?? item["title"], "")] as const,
            ),
            width,
          ),
        ];
  const sections = [
    ...section("Tools", offer.tools, "name"),
    ...section("Resources", offer.resources, "uri"),
    ...section("Resource templates", offer.resourceTemplates, "uriTemplate"),
    ...section("Prompts", offer.prompts, "name"),
  ];
  const nothing =
    sections.length === 0 ? ["", "This server does not offer any tools, resources, or prompts."] : [];
  return [`${title} (${revision})`, ...sections, ...nothing, ""].join("\n");
}

function word(value: unknown, otherwise: string): string {
  return typeof value === "string" ? oneLine(value, 1_000) : otherwise;
}
