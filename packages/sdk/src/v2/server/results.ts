/**
 * @fileoverview Checks and completes the results of callbacks, and of the application's own request handlers.
 * @module sdk/v2/server/results
 */
import { LATEST_LEGACY, type McpToolDefinition, projectTool, TRAITS } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { toFailure } from "../../mcp-server/requests/errors.js";
import type { RequestScope } from "../../mcp-server/requests/request-scope.js";
import { hasObjectOutput, isCallResult, withContent } from "../../mcp-server/requests/tool-call-handler.js";
import { ProtocolError, ProtocolErrorCode } from "../errors.js";
import { isInputRequiredResult } from "../input/input-required.js";
import { type CacheHints, hintOf, isCacheable, withCache } from "./cache-hints.js";

/** Checks and completes a callback's result. */
export function finish(scope: RequestScope, result: unknown, hints: CacheHints): unknown {
  if (!isJsonObject(result)) return result;
  const { method } = scope.message;
  if (method === "tools/call") {
    if (result["content"] === undefined && OTHER_RESULTS.some((key) => key in result))
      return rejectResult(scope);
    // The application's own handler runs without a call, and completes its results itself.
    return scope.call === undefined ? result : withTextFallback(result);
  }
  if (method === "resources/read" && scope.era === "modern" && Array.isArray(result["contents"])) {
    scope.reply = withCache(result, [hintOf(result), hints["resources/read"]]);
  }
  return result;
}

/** Members of results that are not tool results. A tool result with one of them needs its own content. */
const OTHER_RESULTS: readonly string[] = ["task", "inputRequests", "requestState"];

/** Rejects a result with a JSON-RPC error, even from a tool. */
function rejectResult(scope: RequestScope): never {
  const error = new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "Invalid tools/call result: a callback must return an object with content blocks",
  );
  scope.failure = toFailure(error, true);
  throw error;
}

/** Checks and completes the result of an application's own request handler. */
export function finishOwn(scope: RequestScope, result: unknown, hints: CacheHints): unknown {
  const { method } = scope.message;
  const isLegacy = scope.era === "legacy";
  if (isInputRequiredResult(result)) return result;
  if (method === "tools/call") {
    const whole = withContent(result);
    return isCallResult(whole) && (!isLegacy || hasObjectOutput(whole)) ? whole : rejectResult(scope);
  }
  if (!isJsonObject(result)) return result;
  const listed = method === "tools/list" ? { ...result, ...projectTools(scope, result) } : result;
  return !isLegacy && isCacheable(method) ? withCache(listed, [hintOf(result), hints[method]]) : listed;
}

/** Adapts listed tools to the client's era, as the official SDK does: output schemas, and members for tasks. */
function projectTools({ era, caller }: RequestScope, { tools }: JsonObject): JsonObject {
  if (!Array.isArray(tools)) return {};
  const traits = TRAITS[era === "legacy" ? LATEST_LEGACY : caller.revision];
  const isTool = (tool: unknown): tool is McpToolDefinition =>
    isJsonObject(tool) && isJsonObject(tool["outputSchema"] ?? {});
  return { tools: tools.map((tool: unknown) => (isTool(tool) ? projectTool(tool, traits) : tool)) };
}

/** Adds the JSON text of structured content that is not an object, for clients that only read text. */
export function withTextFallback(result: JsonObject): JsonObject {
  const { structuredContent: structured, content } = result;
  if (structured === undefined || isJsonObject(structured)) return result;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  if (blocks.some((block) => isJsonObject(block) && block["type"] === "text")) return result;
  return { ...result, content: [...blocks, { type: "text", text: JSON.stringify(structured) }] };
}
