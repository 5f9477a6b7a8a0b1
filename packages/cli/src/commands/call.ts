/**
 * @fileoverview The `tenon call` command: calls a tool, and writes progress to stderr and the result to stdout.
 * @module cli/commands/call
 */
import type { Readable, Writable } from "node:stream";
import type { ArgsDef } from "citty";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { compileHeaderRules, type HeaderRule } from "tenon/protocol";
import { parseJsonArguments, parsePairs } from "../call-arguments.js";
import { describeResult } from "../call-result.js";
import { type Client, toHeaderValue } from "../client/client.js";
import { TARGET_ARGS, runWithClient, toTargetFlags } from "../client/target.js";
import { CLIENT_LIMITS } from "../client/transport.js";
import {
  cliError,
  type Command,
  EXIT,
  type Terminal,
  usageError,
} from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { oneLine } from "@tenon/internal/command-line/text";

const ARGS: ArgsDef = {
  tool: { type: "positional", description: "Tool name. Arguments can follow as name=value" },
  json: {
    type: "string",
    valueHint: "object",
    description: "Arguments as a JSON object. Use - to read them from standard input",
  },
  ...TARGET_ARGS,
};

/** The `call` command. Exits with code 1 if the tool returns an error. */
export const callCommand: Command = {
  name: "call",
  usage: "tenon call",
  description: "Call a tool on a server",
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
    const pairs = parsePairs(rest);
    const source = json === "-" ? await readAll(terminal.stdin) : json;
    const given = source === undefined ? {} : parseJsonArguments(source);
    const result = await runWithClient(toTargetFlags(invocation), terminal, async (client) => {
      const definition = await findTool(client, tool);
      const args = { ...given, ...pairs(definition["inputSchema"]) };
      return callTool(client, { definition, args, stderr: terminal.stderr });
    });
    return report(result, text("output") === "json", terminal);
  },
};

/** Finds a tool's definition. Its schema determines the argument types and which arguments become headers. */
async function findTool(client: Client, name: string): Promise<JsonObject> {
  const tools = await client.listAll("tools/list", "tools");
  const found = tools.find((tool) => tool["name"] === name);
  if (found !== undefined) return found;
  const names = tools.map((tool) => String(tool["name"]));
  throw cliError(
    `Unknown tool "${oneLine(name, 80)}"${suggestion(name, names)} List all tools with: tenon list`,
  );
}

interface ToolCall {
  readonly definition: JsonObject;
  readonly args: JsonObject;
  /** Receives progress messages. */
  readonly stderr: Writable;
}

async function callTool(client: Client, { definition, args, stderr }: ToolCall): Promise<JsonObject> {
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
    throw cliError(
      "The tool asks the user for input, which this program does not support. Call it from an interactive client.",
    );
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
      throw usageError(`Standard input is larger than ${CLIENT_LIMITS.maxBytes} bytes.`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
