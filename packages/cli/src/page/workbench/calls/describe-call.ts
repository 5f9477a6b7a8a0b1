/**
 * @fileoverview A recorded call with its messages, the results of its checks, and its snippets.
 * @module cli/page/workbench/calls/describe-call
 */
import type { JsonObject } from "@tenon/internal/json";
import type { CallDetail } from "../../protocol.js";
import type { CallRecord } from "../../record/call-record.js";
import { runChecks } from "../../record/checks/run-checks.js";
import { createSnippets } from "../../record/snippets/create-snippets.js";
import type { SnippetTarget } from "../../record/snippets/snippet-target.js";

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
