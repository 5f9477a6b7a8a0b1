/**
 * @fileoverview A call as command lines with curl and with `tenon`, for POSIX shells. Secrets are variables of the shell.
 * @module cli/page/record/snippets/shell-lines
 */
import type { JsonObject } from "@tenon/internal/json";
import { META } from "tenon/protocol";
import { quotePosix } from "../../../completions/quote.js";
import { type SnippetCall, type SnippetTarget, variableOf } from "./snippet-call.js";

/** Writes the command line. Returns `undefined` for a server over stdio, and for a call that was recorded there. */
export function toCurl(call: SnippetCall, target: SnippetTarget): string | undefined {
  const { url } = target;
  const isComplete = call.era === "legacy" || call.headers.some(([name]) => name === "mcp-name");
  if (url === undefined || !isComplete) return undefined;
  const post = (headers: readonly string[], body: JsonObject, flags = "-sS") =>
    [
      `curl ${flags} --globoff ${quotePosix(url)}`,
      ...[...COMMON, ...secretHeaders(target), ...headers].map((header) => `-H ${header}`),
      `--data-raw ${quotePosix(JSON.stringify(body))}`,
    ].join(" \\\n  ");
  return call.era === "modern" ? toModern(call, post) : toLegacy(call, post);
}

type Post = (headers: readonly string[], body: JsonObject, flags?: string) => string;

const COMMON = ["'content-type: application/json'", "'accept: application/json, text/event-stream'"];
const CLIENT_INFO = { name: "curl", version: "1" };

/** One request, which contains everything. */
function toModern({ method, revision, headers, ...call }: SnippetCall, post: Post): string {
  const _meta = {
    [META.protocolVersion]: revision,
    [META.clientCapabilities]: {},
    [META.clientInfo]: CLIENT_INFO,
  };
  const repeated = headers.filter(([name]) => /^mcp-(?:name|param-[!#$%&'*+.^_`|~0-9a-z-]+)$/.test(name));
  return post(
    [
      quotePosix(`mcp-protocol-version: ${revision}`),
      quotePosix(`mcp-method: ${method}`),
      ...repeated.map(([name, value]) => quotePosix(`${name}: ${value}`)),
    ],
    { jsonrpc: "2.0", id: 1, method, params: { ...toParams({ method, ...call }), _meta } },
  );
}

/** Three requests: the first one opens a session, and its ID is in a header of the response. */
function toLegacy({ method, revision, ...call }: SnippetCall, post: Post): string {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: CLIENT_INFO };
  const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params };
  const session = ['"mcp-session-id: $SESSION"', quotePosix(`mcp-protocol-version: ${revision}`)];
  const read = String.raw`tr -d '\r' | awk 'tolower($1) == "mcp-session-id:" { print $2 }'`;
  return [
    `SESSION=$(${post([], initialize, "-sS -D - -o /dev/null")} | ${read})`,
    post(session, { jsonrpc: "2.0", method: "notifications/initialized" }),
    post(session, { jsonrpc: "2.0", id: 1, method, params: toParams({ method, ...call }) }),
  ].join("\n");
}

function toParams({
  method,
  name,
  arguments: args,
}: Pick<SnippetCall, "method" | "name" | "arguments">): JsonObject {
  return method === "resources/read" ? { uri: name } : { name, arguments: args };
}

/** Headers with secrets. The shell replaces the variable, so the value is in double quotes. */
function secretHeaders({ headers, hasToken }: SnippetTarget): readonly string[] {
  const own = headers.filter((name) => name !== "authorization" && /^[!#%&*+.^_|~0-9a-z-]+$/.test(name));
  return [
    ...(hasToken ? ['"authorization: Bearer $TOKEN"'] : []),
    ...own.map((name) => `"${name}: $${variableOf(name)}"`),
  ];
}

/** Writes the command line. Returns `undefined` for a name that would be read as a flag. */
export function toCliLine(call: SnippetCall, target: SnippetTarget): string | undefined {
  const { method, name, era, revision } = call;
  const { server, program, hasToken, headers } = target;
  if (name === "" || name.startsWith("-")) return undefined;
  const args = Object.keys(call.arguments).length === 0 ? [] : ["--args", JSON.stringify(call.arguments)];
  const words = [
    "tenon",
    COMMANDS[method],
    ...(server === undefined ? [] : [server]),
    name,
    ...(method === "resources/read" ? [] : args),
    ...(era === "legacy" ? ["--revision", revision] : []),
    ...(hasToken ? ["--bearer-env", "TOKEN"] : []),
  ].map(quoteWord);
  const own = headers.filter((header) => header !== "authorization" && /^[\w.-]+$/.test(header));
  const given = own.map((header) => `--header "${header}: $${variableOf(header)}"`);
  return [...words, ...given, ...(program === undefined ? [] : ["--", ...program.map(quoteWord)])].join(" ");
}

const COMMANDS: Readonly<Record<SnippetCall["method"], string>> = {
  "tools/call": "call",
  "resources/read": "read",
  "prompts/get": "prompt",
};

/** Quotes a word, unless it consists of characters without a meaning in shells. */
function quoteWord(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : quotePosix(word);
}
