/**
 * @fileoverview A recorded call with its messages, the results of its checks, and its snippets.
 * @module cli/page/workbench/calls/describe-call
 */
import type { JsonObject } from "@tenon/internal/json";
import type { CallDetail, Snippets } from "../../protocol.js";
import type { CallRecord } from "../../record/call-record.js";
import { runChecks } from "../../record/checks/run-checks.js";
import {
  type RecordedRequest,
  type SnippetTarget,
  toSnippetCall,
} from "../../record/snippets/snippet-call.js";
import { toCliLine, toCurl } from "../../record/snippets/shell-lines.js";
import { toTestCode } from "../../record/snippets/test-code.js";

/** Facts about the server that a description uses. */
export interface CallSurroundings {
  readonly target: SnippetTarget;
  /** Returns the definition of a tool. */
  readonly findTool: (name: string) => JsonObject | undefined;
}

/** Describes a call. */
export function describeCall(record: CallRecord, { target, findTool }: CallSurroundings): CallDetail {
  const { params, result, error, wire } = record;
  const { era, method, revision } = record.start;
  const name = params?.["name"];
  const tool = method === "tools/call" && typeof name === "string" ? findTool(name) : undefined;
  const headers = wire.find(
    ({ direction, text }) => direction === "sent" && text.includes(JSON.stringify(method)),
  )?.http?.headers;
  return {
    summary: record.toSummary(),
    params,
    result,
    error,
    wire,
    checks: runChecks({ method, era, revision, params, result, wire, tool }),
    snippets: createSnippets({ method, params, era, revision, result, headers: headers ?? [] }, target),
  };
}

/** Writes all snippets of a call. Calls that cannot be repeated have none. */
function createSnippets(request: RecordedRequest, target: SnippetTarget): Snippets {
  const call = toSnippetCall(request);
  if (call === undefined) return {};
  return { curl: toCurl(call, target), test: toTestCode(call, target), cli: toCliLine(call, target) };
}
