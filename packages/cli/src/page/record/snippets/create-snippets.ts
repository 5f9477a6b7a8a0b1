/**
 * @fileoverview Writes a call as text for other programs.
 * @module cli/page/record/snippets/create-snippets
 */
import type { Snippets } from "../../protocol.js";
import { toCliLine } from "./cli-line.js";
import { toCurl } from "./curl.js";
import { type RecordedRequest, toSnippetCall } from "./snippet-call.js";
import type { SnippetTarget } from "./snippet-target.js";
import { toTestCode } from "./test-code.js";

/** Writes all snippets of a call. Calls that cannot be repeated have none. */
export function createSnippets(request: RecordedRequest, target: SnippetTarget): Snippets {
  const call = toSnippetCall(request);
  if (call === undefined) return {};
  return { curl: toCurl(call, target), test: toTestCode(call, target), cli: toCliLine(call, target) };
}
