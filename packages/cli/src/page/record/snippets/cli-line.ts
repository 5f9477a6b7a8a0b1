/**
 * @fileoverview A call as a command line of `tenon`, for POSIX shells.
 * @module cli/page/record/snippets/cli-line
 */
import { quotePosix } from "../../../completions/quote.js";
import type { SnippetCall } from "./snippet-call.js";
import { type SnippetTarget, variableOf } from "./snippet-target.js";

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
