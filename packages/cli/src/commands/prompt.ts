/**
 * @fileoverview The `tenon prompt` command: fills in a prompt and prints its messages.
 * @module cli/commands/prompt
 */
import type { ArgsDef } from "citty";
import type { JsonObject } from "@tenon/internal/json";
import { ANSWER_ARGS, createAnswerer, warnUnused } from "../answers/answerer.js";
import { assertNames, INPUT_ARGS, INPUT_HINTS, parsePairs, readArguments } from "../call-arguments.js";
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
import { describeMessages } from "../describe/content.js";
import { describePromptArguments } from "../describe/arguments.js";
import { cliError, type Command, EXIT, usageError } from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { oneLine } from "@tenon/internal/text";

const ARGS: ArgsDef = {
  ...TARGET_ARG,
  name: {
    type: "positional",
    required: false,
    description: "Prompt name. Its arguments follow as name=value",
  },
  ...INPUT_ARGS,
  ...ANSWER_ARGS,
  ...TARGET_ARGS,
};

/** The `prompt` command. Prints each message under its role. */
export const promptCommand: Command = {
  name: "prompt",
  usage: "tenon prompt",
  synopsis: "tenon prompt [OPTIONS] [TARGET] <NAME> [NAME=VALUE…]",
  description: "Get a prompt from a server",
  args: ARGS,
  repeatable: ["header", "answer"],
  takesRest: true,
  takesProgram: true,
  hints: { ...TARGET_HINTS, ...INPUT_HINTS },
  examples: [
    "tenon prompt src/server.ts review language=TypeScript",
    `tenon prompt review --args '{"language":"TypeScript"}' --server https://example.com/mcp --bearer-env TOKEN`,
    "tenon prompt review language=TypeScript --json -- npx some-server",
  ],
  async run(invocation, terminal) {
    const { text, rest, all } = invocation;
    const given = [text("target"), text("name"), ...rest].filter((word) => word !== undefined);
    const { flags, words } = readTargetWords(invocation, given);
    const [name, ...pairWords] = words;
    if (name === undefined)
      throw usageError(given.length === 0 && hasServer(flags) ? MISSING_NAME : MISSING_PARTS);
    const pairs = parsePairs(pairWords);
    const json = await readArguments(text("args"), terminal.stdin);
    const args = { ...json, ...pairs.texts };
    const answerer = createAnswerer(all("answer"), terminal, () => undefined);
    const result = await runWithClient(flags, { terminal, answerer }, (session) =>
      getPrompt(session, { name, args, signal: answerer?.signal }),
    );
    warnUnused(answerer, terminal);
    const isJson = isJsonOutput(invocation);
    terminal.stdout.write(`${isJson ? JSON.stringify(result, null, 2) : describeMessages(result)}\n`);
    return EXIT.ok;
  },
};

const MISSING_NAME = "tenon prompt requires the argument <name>.";
const MISSING_PARTS = "tenon prompt requires a server and a name. Write: tenon prompt <file or url> <name>";

interface PromptCall {
  readonly name: string;
  readonly args: JsonObject;
  /** Stops the request. */
  readonly signal: AbortSignal | undefined;
}

async function getPrompt(
  { client, token }: Session,
  { name, args, signal }: PromptCall,
): Promise<JsonObject> {
  const prompts = await listFeature(client, "prompts");
  const definition = prompts.find((prompt) => prompt["name"] === name);
  if (definition === undefined) {
    const names = prompts.map((prompt) => String(prompt["name"]));
    // Servers hide prompts that the token's scopes do not allow.
    const scopes = token === undefined ? "" : " The token may lack a scope that the prompt requires.";
    throw cliError(
      `Unknown prompt "${oneLine(name, 80)}"${suggestion(name, names)}${scopes} List all prompts with: tenon list`,
    );
  }
  const known = describePromptArguments(definition["arguments"]);
  const subject = `Prompt "${oneLine(name, 80)}"`;
  assertNames(
    subject,
    Object.keys(args),
    known.map((one) => one.name),
  );
  const missing = known.find((one) => one.type.endsWith("required") && !Object.hasOwn(args, one.name));
  if (missing !== undefined) {
    throw usageError(`${subject} requires the argument "${missing.name}". Write: ${missing.name}=<text>`);
  }
  // Safe: the server rejects values that are not strings.
  const texts = args as Readonly<Record<string, string>>;
  return { ...(await client.getPrompt(name, texts, signal === undefined ? {} : { signal })) };
}
