/**
 * @fileoverview Results in one word.
 * @module grouped/responses
 */
import { errorResult, textResult } from "../core/definitions/tool-result.js";
import type { ToolResult } from "../protocol/index.js";

/** A result: text as it is (`OK` where it is empty), anything else as indented JSON. */
export function success(data: unknown): ToolResult {
  if (typeof data === "string") return textResult(data === "" ? "OK" : data);
  return textResult(JSON.stringify(data, undefined, 2) ?? "OK");
}

/** A failure, for the model to see and correct. */
export function error(message: string): ToolResult {
  return errorResult(message);
}

/** The failure of a field that is missing. */
export function required(field: string): ToolResult {
  return errorResult(`Error: ${field} required`);
}
