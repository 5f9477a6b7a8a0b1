/**
 * @fileoverview `tenon call`: one call of a tool; progress goes to standard error, the result to standard output.
 * @module cli/commands/call
 */
import type { Readable } from "node:stream";
import type { ArgsDef } from "citty";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { compileHeaderRules, type HeaderRule } from "tenon/protocol";
import { readArgumentText, readPairs } from "../call-arguments.js";
import { describeResult } from "../call-result.js";
import { type Client, toHeaderValue } from "../client/client.js";
import { TARGET_ARGS, targetFlags, withClient } from "../client/target.js";
import { CLIENT_LIMITS } from "../client/transport.js";
import {
  cliError,
  type Command,
  EXIT,
  type Terminal,
  usageError,
} from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/read-arguments";
import { oneLine } from "@tenon/internal/command-line/text";

const ARGS: ArgsDef = {
  tool: { type: "positional", description: "The tool's name; its arguments may follow as name=value" },
  json: {
    type: "string",
    valueHint: "object",
    description: "The arguments as a JSON object; - reads them from standard input",
  },
  ...TARGET_ARGS,
};

/** The command. */
export const callCommand: Command = {
  name: "call",
  usage: "tenon call",
  description: "Call a tool of a server",
  args: ARGS,
  repeatable: ["header"],
  takesRest: true,
  takesProgram: true,
  examples: [
    "tenon call add a=1 b=2 --server src/server.ts",
    `tenon call add --json '{"a":1,"b":2}' --server https://example.com/mcp --bearer-env TOKEN`,
    "tenon call add a=1 b=2 --output json -- npx some-server",
  ],
  async run(invocation, terminal) {
    const { text, rest } = invocation;
    const tool = text("tool") ?? "";
    const json = text("json");
    const pairs = readPairs(rest);
    const source = json === "-" ? await readAll(terminal.stdin) : json;
    const given = source === undefined ? {} : readArgumentText(source);
    const result = await withClient(targetFlags(invocation), terminal, async (client) => {
      const definition = await findTool(client, tool);
      return callTool(client, definition, { ...given, ...pairs(definition["inputSchema"]) }, terminal);
    });
    return report(result, text("output") === "json", terminal);
  },
};

/** The tool's definition: its schema gives arguments their types, and some of them go into headers. */
async function findTool(client: Client, name: string): Promise<JsonObject> {
  const tools = await client.listAll("tools/list", "tools");
  const found = tools.find((tool) => tool["name"] === name);
  if (found !== undefined) return found;
  const names = tools.map((tool) => String(tool["name"]));
  throw cliError(`The server has no tool "${oneLine(name, 80)}"${suggestion(name, names)}`);
}

async function callTool(
  client: Client,
  definition: JsonObject,
  args: JsonObject,
  { stderr }: Terminal,
): Promise<JsonObject> {
  const { name, inputSchema } = definition;
  const rules = isJsonObject(inputSchema) ? compileHeaderRules(inputSchema) : undefined;
  const result = await client.request(
    "tools/call",
    { name, arguments: args },
    {
      headers:
        client.isHttp && client.isStateless && rules?.ok === true ? paramHeaders(rules.rules, args) : {},
      onProgress: (progress) => void stderr.write(`${describeProgress(progress)}\n`),
    },
  );
  if (result["resultType"] === "input_required") {
    throw cliError("The tool asks for input, which this program cannot give");
  }
  return result;
}

function paramHeaders(rules: readonly HeaderRule[], args: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    rules.flatMap(({ header, path }) => {
      const value = path.reduce<unknown>(
        (at, key) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
        args,
      );
      const isPlain = ["string", "number", "boolean"].includes(typeof value);
      return isPlain ? [[header, toHeaderValue(`${value as string | number | boolean}`)]] : [];
    }),
  );
}

function describeProgress({ progress, total, message }: JsonObject): string {
  const of = typeof total === "number" ? `/${total}` : "";
  const what = typeof message === "string" ? ` ${oneLine(message)}` : "";
  return `[${typeof progress === "number" ? progress : "?"}${of}]${what}`;
}

function report(result: JsonObject, isJson: boolean, { stdout, stderr }: Terminal): number {
  const isError = result["isError"] === true;
  if (isJson) stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else (isError ? stderr : stdout).write(`${describeResult(result)}\n`);
  return isError ? EXIT.failure : EXIT.ok;
}

async function readAll(stdin: Readable): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of stdin as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > CLIENT_LIMITS.maxBytes)
      throw usageError(`Standard input is longer than ${CLIENT_LIMITS.maxBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
