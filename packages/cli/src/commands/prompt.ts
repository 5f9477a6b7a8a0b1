/**
 * @fileoverview The `tenon prompt` command: fills in a prompt and prints its messages.
 * @module cli/commands/prompt
 */
import { cliError, EXIT, usageError } from "@tenon/internal/command-line/command";
import { optionalArgument } from "@tenon/internal/command-line/flags";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import type { JsonObject } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/text";
import { ANSWER_ARGS } from "../answers/answerer.js";
import { assertNames, INPUT_ARGS, INPUT_HINTS, parsePairs, readArguments } from "../call-arguments.js";
import { listFeature } from "../client/list-feature.js";
import { runWithAnswers, type Session } from "../client/session.js";
import { hasServer, readTargetWords, TARGET_ARG, TARGET_ARGS, TARGET_HINTS } from "../client/target.js";
import { defineCommand, printResult } from "../define-command.js";
import { describePromptArguments } from "../describe/arguments.js";
import { describeMessages } from "../describe/content.js";

/** The `prompt` command. Prints each message under its role. */
export const promptCommand = defineCommand({
  name: "prompt",
  synopsis: "tenon prompt [OPTIONS] [TARGET] <NAME> [NAME=VALUE…]",
  description: "Get a prompt from a server",
  args: {
    ...TARGET_ARG,
    name: optionalArgument("Prompt name. Its arguments follow as name=value"),
    ...INPUT_ARGS,
    ...ANSWER_ARGS,
    ...TARGET_ARGS,
  },
  takesRest: true,
  hints: { ...TARGET_HINTS, ...INPUT_HINTS },
  examples: [
    "tenon prompt src/server.ts review language=TypeScript",
    `tenon prompt review --args '{"language":"TypeScript"}' --server https://example.com/mcp --bearer-env TOKEN`,
    "tenon prompt review language=TypeScript --json -- npx some-server",
  ],
  async run(given, terminal) {
    const { flags, words } = readTargetWords(given, [given.target, given.name, ...given.rest]);
    const [name, ...pairWords] = words;
    if (name === undefined) throw usageError(hasServer(given) ? MISSING_NAME : MISSING_PARTS);
    const pairs = parsePairs(pairWords);
    const args = { ...(await readArguments(given.args, terminal.stdin)), ...pairs.texts };
    const { answer } = given;
    const result = await runWithAnswers(flags, { terminal, answer }, async (session, stop) => {
      await assertPrompt(session, name, args);
      // Safe: the server rejects values that are not strings.
      const texts = args as Readonly<Record<string, string>>;
      return { ...(await session.client.getPrompt(name, texts, stop)) };
    });
    printResult(given, terminal, { json: result, text: () => `${describeMessages(result)}\n` });
    return EXIT.ok;
  },
});

const MISSING_NAME = "tenon prompt requires the argument <name>.";
const MISSING_PARTS = "tenon prompt requires a server and a name. Write: tenon prompt <file or url> <name>";

/** Asserts that the prompt exists and takes the arguments. @throws {CliError} */
async function assertPrompt({ client, token }: Session, name: string, args: JsonObject): Promise<void> {
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
}
