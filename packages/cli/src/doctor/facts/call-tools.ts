/**
 * @fileoverview Calls tools, so that rules can check their results. Without a file of calls, only tools that declare that
 * they change nothing are called.
 * @module cli/doctor/facts/call-tools
 */
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { usageError } from "@tenon/internal/command-line/command";
import { ClientError } from "tenon/client";
import type { CapturedCall } from "./capture.js";
import type { CaptureClient } from "./read-capture.js";

/** Call to make. */
export interface PlannedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** Results of calls. */
export interface CallOutcome {
  readonly calls: readonly CapturedCall[];
  /** Number of calls without a result: the server responded with an error, asked for input, or created a task. */
  readonly skipped: number;
}

/** Selects the tools that are safe to call: those with `readOnlyHint: true` that require no arguments. */
export function planCalls(tools: readonly JsonObject[]): readonly PlannedCall[] {
  return tools
    .filter(({ annotations, inputSchema }) => {
      const isReadOnly = isJsonObject(annotations) && annotations["readOnlyHint"] === true;
      const required = isJsonObject(inputSchema) ? inputSchema["required"] : undefined;
      return isReadOnly && (required === undefined || (Array.isArray(required) && required.length === 0));
    })
    .flatMap(({ name }) => (typeof name === "string" ? [{ tool: name, arguments: {} }] : []))
    .slice(0, MAX_CALLS);
}

/**
 * Parses a file of calls: `[{ "tool": "search", "arguments": { "query": "x" } }]`.
 *
 * @throws {CliError} if the text does not have this form
 */
export function parseCalls(text: string, file: string): readonly PlannedCall[] {
  const list = readJson(text);
  if (list === undefined) throw usageError(`"${file}" is not valid JSON.`);
  if (!Array.isArray(list)) throw usageError(`"${file}" must contain a list of calls; got ${kindOf(list)}.`);
  if (list.length > MAX_CALLS) throw usageError(`"${file}" contains too many calls (limit: ${MAX_CALLS}).`);
  return (list as unknown[]).map((call, index) => {
    const { tool, arguments: args = {} } = isJsonObject(call) ? call : {};
    if (typeof tool === "string" && isJsonObject(args)) return { tool, arguments: args };
    throw usageError(
      `"${file}": call ${index + 1} must be an object with the name of a \`tool\` and an object of \`arguments\`.`,
    );
  });
}

/** Makes the calls one after the other. Rejects if the connection fails. */
export async function callTools(
  client: CaptureClient,
  planned: readonly PlannedCall[],
): Promise<CallOutcome> {
  const calls: CapturedCall[] = [];
  for (const { tool, arguments: args } of planned) {
    const result = await client
      .request("tools/call", { name: tool, arguments: args })
      .catch((error: unknown) => {
        if (error instanceof ClientError) return undefined;
        throw error;
      });
    const isComplete = result?.["resultType"] === undefined || result["resultType"] === "complete";
    if (result !== undefined && isComplete) calls.push({ tool, result });
  }
  return { calls, skipped: planned.length - calls.length };
}

/** Maximum number of calls. */
const MAX_CALLS = 50;
