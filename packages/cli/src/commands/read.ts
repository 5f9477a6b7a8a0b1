/**
 * @fileoverview The `tenon read` command: reads a resource and prints its contents.
 * @module cli/commands/read
 */
import { Buffer } from "node:buffer";
import type { ArgsDef } from "citty";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { ANSWER_ARGS, createAnswerer, warnUnused } from "../answers/answerer.js";
import { type Client, ClientError } from "tenon/client";
import { listFeature } from "../client/list-feature.js";
import { runWithClient, type Session } from "../client/session.js";
import {
  hasServer,
  isJsonOutput,
  readTargetWords,
  TARGET_ARG,
  TARGET_ARGS,
  TARGET_HINTS,
} from "../client/target.js";
import { describeContents } from "../describe/content.js";
import {
  cliError,
  type Command,
  EXIT,
  type Terminal,
  usageError,
} from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { isTerminal } from "@tenon/internal/command-line/text";
import { oneLine } from "@tenon/internal/text";

const ARGS: ArgsDef = {
  ...TARGET_ARG,
  uri: { type: "positional", required: false, description: "Resource URI" },
  ...ANSWER_ARGS,
  ...TARGET_ARGS,
};

/** The `read` command. Text is printed unchanged. In a pipe, a single binary resource is written as bytes. */
export const readCommand: Command = {
  name: "read",
  usage: "tenon read",
  synopsis: "tenon read [OPTIONS] [TARGET] <URI>",
  description: "Read a resource from a server",
  args: ARGS,
  repeatable: ["header", "answer"],
  takesProgram: true,
  hints: TARGET_HINTS,
  examples: [
    "tenon read src/server.ts config://app",
    "tenon read https://example.com/mcp docs://guide/start --bearer-env TOKEN",
    "tenon read file:///logo.png --server src/server.ts > logo.png",
    "tenon read config://app --json -- npx some-server",
  ],
  async run(invocation, terminal) {
    const { text, all } = invocation;
    const given = [text("target"), text("uri")].filter((word) => word !== undefined);
    const { flags, words } = readTargetWords(invocation, given);
    const [uri, extra] = words;
    if (uri === undefined)
      throw usageError(given.length === 0 && hasServer(flags) ? MISSING_URI : MISSING_PARTS);
    if (extra !== undefined) throw usageError(`Unexpected argument "${oneLine(extra, 40)}".`);
    const answerer = createAnswerer(all("answer"), terminal, () => undefined);
    const result = await runWithClient(flags, { terminal, answerer }, (session) =>
      readResource(session, uri, answerer?.signal),
    );
    warnUnused(answerer, terminal);
    if (isJsonOutput(invocation)) terminal.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    else writeContents(result, terminal);
    return EXIT.ok;
  },
};

const MISSING_URI = "tenon read requires the argument <uri>.";
const MISSING_PARTS = "tenon read requires a server and a URI. Write: tenon read <file or url> <uri>";

async function readResource(
  { client, token }: Session,
  uri: string,
  signal: AbortSignal | undefined,
): Promise<JsonObject> {
  try {
    return { ...(await client.readResource(uri, signal === undefined ? {} : { signal })) };
  } catch (error) {
    if (!(error instanceof ClientError) || !isUnknown(error)) throw error;
    const known = await listUris(client).catch(() => []);
    // Servers report resources that the token's scopes do not allow as unknown.
    const scopes = token === undefined ? "" : " The token may lack a scope that the resource requires.";
    throw cliError(
      `Unknown resource "${oneLine(uri, 200)}"${suggestion(uri, known)}${scopes} List all resources with: tenon list`,
    );
  }
}

/** Returns true if an error means that the resource does not exist. The code depends on the revision and the server. */
function isUnknown({ code, message }: ClientError): boolean {
  return code === -32002 || /not found|unknown resource/i.test(message);
}

async function listUris(client: Client): Promise<readonly string[]> {
  const resources = await listFeature(client, "resources");
  const templates = await listFeature(client, "resourceTemplates");
  return [...resources.map(({ uri }) => uri), ...templates.map(({ uriTemplate }) => uriTemplate)].filter(
    (one) => typeof one === "string",
  );
}

function writeContents(result: JsonObject, { stdout }: Terminal): void {
  const list: readonly unknown[] = Array.isArray(result["contents"]) ? result["contents"] : [];
  const contents = list.filter(isJsonObject);
  const [first] = contents;
  const isFile = contents.length === 1 && !isTerminal(stdout);
  if (isFile && typeof first?.["text"] === "string") stdout.write(first["text"]);
  else if (isFile && typeof first?.["blob"] === "string") stdout.write(Buffer.from(first["blob"], "base64"));
  else stdout.write(`${describeContents(contents)}\n`);
}
