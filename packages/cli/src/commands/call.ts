/**
 * @fileoverview The `tenon call` command: calls a tool, and writes progress to stderr and the result to stdout.
 * @module cli/commands/call
 */
import type { ArgsDef } from "citty";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { type Client, ClientError } from "tenon/client";
import { ANSWER_ARGS, createAnswerer, warnUnused } from "../answers/answerer.js";
import {
  assertKnownArguments,
  INPUT_ARGS,
  INPUT_HINTS,
  parsePairs,
  readArguments,
} from "../call-arguments.js";
import { describeResult } from "../describe/content.js";
import { listFeature } from "../client/list-feature.js";
import { ASK_HINT, runWithClient } from "../client/session.js";
import {
  hasServer,
  isJsonOutput,
  readTargetWords,
  TARGET_ARG,
  TARGET_ARGS,
  TARGET_HINTS,
} from "../client/target.js";
import { createProgressDisplay, type ProgressDisplay } from "../progress.js";
import {
  cliError,
  type Command,
  EXIT,
  type Terminal,
  usageError,
} from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { oneLine } from "@tenon/internal/text";

const ARGS: ArgsDef = {
  ...TARGET_ARG,
  tool: { type: "positional", required: false, description: "Tool name. Its arguments follow as name=value" },
  ...INPUT_ARGS,
  ...ANSWER_ARGS,
  ...TARGET_ARGS,
};

/** The `call` command. Exits with code 1 if the tool returns an error. */
export const callCommand: Command = {
  name: "call",
  usage: "tenon call",
  synopsis: "tenon call [OPTIONS] [TARGET] <TOOL> [NAME=VALUE…]",
  description: "Call a tool on a server",
  args: ARGS,
  repeatable: ["header", "answer"],
  takesRest: true,
  takesProgram: true,
  hints: { ...TARGET_HINTS, ...INPUT_HINTS },
  examples: [
    "tenon call src/server.ts add a=1 b=2",
    "tenon call add a=1 b=2 --server src/server.ts --json",
    `tenon call add --args '{"a":1,"b":2}' --server https://example.com/mcp --bearer-env TOKEN`,
    "tenon call order pizza=margherita --answer street='Main St' -- npx some-server",
  ],
  async run(invocation, terminal) {
    const { text, rest, all } = invocation;
    const given = [text("target"), text("tool"), ...rest].filter((word) => word !== undefined);
    const { flags, words } = readTargetWords(invocation, given);
    const [tool, ...pairWords] = words;
    if (tool === undefined) throw missingTool(given, hasServer(flags));
    const pairs = parsePairs(pairWords);
    const json = await readArguments(text("args"), terminal.stdin);
    const progress = createProgressDisplay(terminal);
    const answerer = createAnswerer(all("answer"), terminal, () => progress.clear());
    const { result, failures } = await runWithClient(flags, { terminal, answerer }, async (session) => {
      try {
        const tools = await listFeature(session.client, "tools");
        const definition = tools.find((one) => one["name"] === tool);
        const schema = definition?.["inputSchema"];
        assertKnownArguments(`Tool "${oneLine(tool, 80)}"`, pairs.names, schema);
        const args = { ...json, ...pairs.toArguments(schema) };
        const call = { name: tool, args, progress, signal: answerer?.signal };
        const result =
          definition === undefined
            ? await callUnlisted(session.client, call, tools)
            : await callTool(session.client, call);
        return { result, failures: session.failures() };
      } finally {
        progress.clear();
      }
    });
    warnUnused(answerer, terminal);
    return report(
      result,
      { failures, isJson: isJsonOutput(invocation), canAsk: answerer !== undefined },
      terminal,
    );
  },
};

function missingTool([only]: readonly string[], isServerGiven: boolean) {
  if (only === undefined && isServerGiven) return usageError("tenon call requires the argument <tool>.");
  if (only === undefined)
    return usageError("tenon call requires a server and a tool. Write: tenon call <file or url> <tool>");
  const word = oneLine(only, 60);
  return usageError(
    LOOKS_LIKE_SERVER.test(only)
      ? `tenon call requires the argument <tool>. Write: tenon call ${word} <tool>. List all tools with: tenon list ${word}`
      : `No server specified. Write: tenon call <file or url> ${word}, or pass a program after --.`,
  );
}

/** A URL, or the name of a module, optionally with an export. Other words are probably tools. */
const LOOKS_LIKE_SERVER = /^https?:|\.[cm]?[jt]sx?(?::\w+)?$/i;

interface ToolCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly progress: ProgressDisplay;
  /** Stops the call. */
  readonly signal: AbortSignal | undefined;
}

async function callTool(client: Client, { name, args, progress, signal }: ToolCall): Promise<JsonObject> {
  const result = await client.callTool(name, args, {
    ...(signal === undefined ? {} : { signal }),
    onProgress: (params) => progress.update(params),
    onStatus: (message) => progress.update({ message }),
  });
  return { ...result };
}

/**
 * Calls a tool that is not in the list. Over HTTP, it may exist, because servers hide tools that the token's scopes do
 * not allow. Only the server can tell a hidden tool from a misspelled one.
 *
 * @throws {CliError} if the tool does not exist, or the token's scopes do not allow it
 */
async function callUnlisted(
  client: Client,
  call: ToolCall,
  tools: readonly JsonObject[],
): Promise<JsonObject> {
  const names = tools.map((tool) => String(tool["name"]));
  const unknown = () =>
    cliError(
      `Unknown tool "${oneLine(call.name, 80)}"${suggestion(call.name, names)} List all tools with: tenon list`,
    );
  if (!client.isHttp) throw unknown();
  try {
    const result = await callTool(client, call);
    // Some servers report an unknown tool as a tool error.
    if (result["isError"] === true && /not found|unknown/i.test(describeResult(result))) throw unknown();
    return result;
  } catch (error) {
    const isAboutScopes =
      error instanceof ClientError && isJsonObject(error.data) && "requiredScopes" in error.data;
    throw error instanceof ClientError && !isAboutScopes ? unknown() : error;
  }
}

interface ReportOptions {
  readonly isJson: boolean;
  /** True if the server's requests for input could be answered. */
  readonly canAsk: boolean;
  /** Descriptions of errors thrown by a module's handlers. */
  readonly failures: readonly string[];
}

function report(result: JsonObject, options: ReportOptions, { stdout, stderr }: Terminal): number {
  const isError = result["isError"] === true;
  const text = describeResult(result);
  if (options.isJson) stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else (isError ? stderr : stdout).write(`${text}\n`);
  if (!isError) return EXIT.ok;
  // A server that exposes errors has already sent the message.
  for (const failure of options.failures) stderr.write(`${failure}\n`);
  if (!options.canAsk && /does not support elicitation/.test(text)) stderr.write(`${ASK_HINT}\n`);
  return EXIT.failure;
}
