/**
 * @fileoverview The `tenon read` command: reads a resource and prints its contents.
 * @module cli/commands/read
 */
import { Buffer } from "node:buffer";
import { cliError, EXIT, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { optionalArgument } from "@tenon/internal/command-line/flags";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { isTerminal } from "@tenon/internal/command-line/text";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/text";
import { type Client, ClientError } from "tenon/client";
import { ANSWER_ARGS } from "../answers/answerer.js";
import { listFeature } from "../client/list-feature.js";
import { runWithAnswers } from "../client/session.js";
import { hasServer, readTargetWords, TARGET_ARG, TARGET_ARGS, TARGET_HINTS } from "../client/target.js";
import { defineCommand, isJsonOutput, printJson } from "../define-command.js";
import { describeContents } from "../describe/content.js";

/** The `read` command. Text is printed unchanged. In a pipe, a single binary resource is written as bytes. */
export const readCommand = defineCommand({
  name: "read",
  synopsis: "tenon read [OPTIONS] [TARGET] <URI>",
  description: "Read a resource from a server",
  args: { ...TARGET_ARG, uri: optionalArgument("Resource URI"), ...ANSWER_ARGS, ...TARGET_ARGS },
  hints: TARGET_HINTS,
  examples: [
    "tenon read src/server.ts config://app",
    "tenon read https://example.com/mcp docs://guide/start --bearer-env TOKEN",
    "tenon read file:///logo.png --server src/server.ts > logo.png",
    "tenon read config://app --json -- npx some-server",
  ],
  async run(given, terminal) {
    const { flags, words } = readTargetWords(given, [given.target, given.uri]);
    const [uri, extra] = words;
    if (uri === undefined) throw usageError(hasServer(given) ? MISSING_URI : MISSING_PARTS);
    if (extra !== undefined) throw usageError(`Unexpected argument "${oneLine(extra, 40)}".`);
    const { answer } = given;
    const result = await runWithAnswers(flags, { terminal, answer }, async ({ client, token }, stop) => ({
      ...(await client.readResource(uri, stop).catch(async (error: unknown) => {
        throw await explain(error, { client, token, uri });
      })),
    }));
    if (isJsonOutput(given)) printJson(result, terminal);
    else writeContents(result, terminal);
    return EXIT.ok;
  },
});

const MISSING_URI = "tenon read requires the argument <uri>.";
const MISSING_PARTS = "tenon read requires a server and a URI. Write: tenon read <file or url> <uri>";

interface Reading {
  readonly client: Client;
  readonly token: string | undefined;
  readonly uri: string;
}

/** Adds a suggestion to an error that means that the resource does not exist. */
async function explain(thrown: unknown, { client, token, uri }: Reading): Promise<unknown> {
  if (!(thrown instanceof ClientError) || !isUnknown(thrown)) return thrown;
  const known = await listUris(client).catch(() => []);
  // Servers report resources that the token's scopes do not allow as unknown.
  const scopes = token === undefined ? "" : " The token may lack a scope that the resource requires.";
  return cliError(
    `Unknown resource "${oneLine(uri, 200)}"${suggestion(uri, known)}${scopes} List all resources with: tenon list`,
  );
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
