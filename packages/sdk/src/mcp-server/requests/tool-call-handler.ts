/**
 * @fileoverview Checks the requests and results of an application's own handler for `tools/call`, as the official SDK
 * does.
 * @module sdk/mcp-server/requests/tool-call-handler
 */
import { isToolResult } from "tenon/host";
import type { ToolResult } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { requestedTaskOf, toTask } from "./task-types.js";
import { INVALID_PARAMS, RequestError } from "./errors.js";
import type { OwnHandler } from "./hooks.js";

/** Adds the checks to a handler for `tools/call`. Other handlers are returned unchanged. */
export function withToolCallChecks(method: string, handler: OwnHandler["handler"]): OwnHandler["handler"] {
  if (method !== "tools/call") return handler;
  return async (message, extra) => {
    const params = isJsonObject(message) ? message["params"] : undefined;
    const { name, arguments: args = {} } = isJsonObject(params) ? params : {};
    if (typeof name !== "string" || !isJsonObject(args)) {
      const expected = "`name` must be a string, and `arguments` an object";
      throw new RequestError(INVALID_PARAMS, `Invalid tools/call request: ${expected}`);
    }
    const result = await handler(message, extra);
    return requestedTaskOf(params) === undefined ? toCheckedResult(result) : toCreatedTask(result);
  };
}

function toCheckedResult(value: unknown): JsonObject {
  // Results of other types, such as requests for input, exist only in the stateless revision.
  if (isJsonObject(value) && value["resultType"] !== undefined) return value;
  const result = withContent(value);
  if (!isCallResult(result) || !hasObjectOutput(result)) {
    const expected = "a handler must return an object with content blocks";
    throw new RequestError(INVALID_PARAMS, `Invalid tools/call result: ${expected}`);
  }
  return { ...result };
}

/** Completes a tool's result that has no content. */
export function withContent(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { content = [], ...rest } = value;
  return { content, ...rest };
}

/** Returns true if a result has no structured content other than an object. */
export function hasObjectOutput({ structuredContent = {} }: ToolResult): boolean {
  return isJsonObject(structuredContent);
}

/** Recognizes a tool's result whose members have the right types. */
export function isCallResult(value: unknown): value is ToolResult {
  if (!isJsonObject(value)) return false;
  const { isError = false, _meta = {} } = value;
  return isToolResult(value) && typeof isError === "boolean" && isJsonObject(_meta);
}

function toCreatedTask(result: unknown): JsonObject {
  const task = isJsonObject(result) ? toTask(result["task"]) : undefined;
  if (!isJsonObject(result) || task === undefined) {
    const expected = "a handler must return the created task";
    throw new RequestError(INVALID_PARAMS, `Invalid task creation result: ${expected}`);
  }
  return { ...result, task };
}
