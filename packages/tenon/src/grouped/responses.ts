/**
 * @fileoverview Shortcuts that create results.
 * @module grouped/responses
 */
import { errorResult, textResult } from "../core/definitions/tool-result.js";
import type { ToolResult } from "../protocol/index.js";

/** Creates a result: text as it is (`OK` if it is empty), other values as indented JSON. */
export function success(data: unknown): ToolResult {
  if (typeof data === "string") return textResult(data === "" ? "OK" : data);
  return textResult(JSON.stringify(data, undefined, 2) ?? "OK");
}

/** Creates an error result, which the model can see and correct. */
export function error(message: string): ToolResult {
  return errorResult(message);
}

/** Creates the error result for a missing field. */
export function required(field: string): ToolResult {
  return errorResult(`Error: ${field} required`);
}
