/**
 * @fileoverview The `tenon call` command: calls a tool, and writes progress to stderr and the result to stdout.
 * @module cli/commands/call
 */
import { cliError, EXIT, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { optionalArgument } from "@tenon/internal/command-line/flags";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/text";
import { type Client, ClientError } from "tenon/client";
import { ANSWER_ARGS } from "../answers/answerer.js";
import {
  assertKnownArguments,
  INPUT_ARGS,
  INPUT_HINTS,
  parsePairs,
  readArguments,
} from "../call-arguments.js";
import { listFeature } from "../client/list-feature.js";
import { ASK_HINT, runWithAnswers } from "../client/session.js";
import { hasServer, readTargetWords, TARGET_ARG, TARGET_ARGS, TARGET_HINTS } from "../client/target.js";
import { defineCommand, isJsonOutput, printJson } from "../define-command.js";
import { describeResult } from "../describe/content.js";
import { isTerminal, widthOf } from "@tenon/internal/command-line/text";

/** The `call` command. Exits with code 1 if the tool returns an error. */
export const callCommand = defineCommand({
  name: "call",
  synopsis: "tenon call [OPTIONS] [TARGET] <TOOL> [NAME=VALUE…]",
  description: "Call a tool on a server",
  args: {
    ...TARGET_ARG,
    tool: optionalArgument("Tool name. Its arguments follow as name=value"),
    ...INPUT_ARGS,
    ...ANSWER_ARGS,
    ...TARGET_ARGS,
  },
  takesRest: true,
  hints: { ...TARGET_HINTS, ...INPUT_HINTS },
  examples: [
    "tenon call src/server.ts add a=1 b=2",
    "tenon call add a=1 b=2 --server src/server.ts --json",
    `tenon call add --args '{"a":1,"b":2}' --server https://example.com/mcp --bearer-env TOKEN`,
    "tenon call order pizza=margherita --answer street='Main St' -- npx some-server",
  ],
  async run(given, terminal) {
    const { target, rest, answer } = given;
    const { flags, words } = readTargetWords(given, [target, given.tool, ...rest]);
    const [tool, ...pairWords] = words;
    if (tool === undefined) throw missingTool(target, hasServer(given));
    const pairs = parsePairs(pairWords);
    const json = await readArguments(given.args, terminal.stdin);
    const progress = createProgressDisplay(terminal);
    const options = { terminal, answer, beforeQuestion: () => progress.clear() };
    const outcome = await runWithAnswers(flags, options, async ({ client, failures }, stop) => {
      try {
        const tools = await listFeature(client, "tools");
        const definition = tools.find((one) => one["name"] === tool);
        const schema = definition?.["inputSchema"];
        assertKnownArguments(`Tool "${oneLine(tool, 80)}"`, pairs.names, schema);
        const call = { name: tool, args: { ...json, ...pairs.toArguments(schema) }, progress, stop };
        const result =
          definition === undefined ? await callUnlisted(client, call, tools) : await callTool(client, call);
        return { result, failures: failures(), canAsk: stop.signal !== undefined };
      } finally {
        progress.clear();
      }
    });
    return report(outcome, isJsonOutput(given), terminal);
  },
});

function missingTool(only: string | undefined, isServerGiven: boolean) {
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
  readonly stop: { readonly signal?: AbortSignal };
}

async function callTool(client: Client, { name, args, progress, stop }: ToolCall): Promise<JsonObject> {
  const result = await client.callTool(name, args, {
    ...stop,
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

interface CallOutcome {
  readonly result: JsonObject;
  /** True if the server's requests for input could be answered. */
  readonly canAsk: boolean;
  /** Descriptions of errors thrown by a module's handlers. */
  readonly failures: readonly string[];
}

function report({ result, failures, canAsk }: CallOutcome, isJson: boolean, terminal: Terminal): number {
  const { stdout, stderr } = terminal;
  const isError = result["isError"] === true;
  const text = describeResult(result);
  if (isJson) printJson(result, terminal);
  else (isError ? stderr : stdout).write(`${text}\n`);
  if (!isError) return EXIT.ok;
  // A server that exposes errors has already sent the message.
  for (const failure of failures) stderr.write(`${failure}\n`);
  if (!canAsk && /does not support elicitation/.test(text)) stderr.write(`${ASK_HINT}\n`);
  return EXIT.failure;
}

/** Progress display for one call. */
interface ProgressDisplay {
  /** Shows a progress notification, or the status message of a task. */
  update(progress: JsonObject): void;
  /** Removes the bar from the terminal. */
  clear(): void;
}

/** Creates the display for one call. */
function createProgressDisplay({ stderr, env }: Pick<Terminal, "stderr" | "env">): ProgressDisplay {
  // A server may report progress faster than it can be shown.
  const write = (text: string) => void (stderr.writableNeedDrain || stderr.write(text));
  if (!isTerminal(stderr) || env["TERM"] === "dumb") {
    return { update: (progress) => write(`${toLine(progress)}\n`), clear: () => undefined };
  }
  let isShown = false;
  return {
    update(progress) {
      // The last column stays empty, because some terminals break the line there.
      const bar = oneLine(toBar(progress), Math.max(20, Math.min(200, widthOf(stderr) - 1)));
      write(`${ERASE_LINE}${bar}`);
      isShown = true;
    },
    clear() {
      if (isShown) stderr.write(ERASE_LINE);
      isShown = false;
    },
  };
}

/** Moves to the start of the line and erases it. */
const ERASE_LINE = "\r\u001b[2K";
const BAR_CELLS = 24;

function toLine({ progress, total, message }: JsonObject): string {
  // A task has status messages without numbers.
  if (progress === undefined && typeof message === "string") return oneLine(message);
  const of = typeof total === "number" ? `/${total}` : "";
  const what = typeof message === "string" ? ` ${oneLine(message)}` : "";
  return `[${typeof progress === "number" ? progress : "?"}${of}]${what}`;
}

function toBar(params: JsonObject): string {
  const { progress, total, message } = params;
  if (typeof progress !== "number" || typeof total !== "number" || !(total > 0)) return toLine(params);
  const share = Math.min(1, Math.max(0, progress / total));
  const filled = Math.round(share * BAR_CELLS);
  const what = typeof message === "string" ? ` ${message}` : "";
  return `[${"#".repeat(filled)}${"-".repeat(BAR_CELLS - filled)}] ${Math.floor(share * 100)}%${what}`;
}
