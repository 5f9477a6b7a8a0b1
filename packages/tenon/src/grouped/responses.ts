/**
 * @fileoverview Shortcuts for creating tool results.
 * @module tenon/grouped/responses
 */
import { errorResult, textResult } from "../core/definitions/results/tool-result.js";
import type { ToolResult } from "../protocol/index.js";

/** Creates a text result. Strings stay unchanged (`OK` if empty), and other values become indented JSON. */
export function success(data: unknown): ToolResult {
  if (typeof data === "string") return textResult(data === "" ? "OK" : data);
  return textResult(JSON.stringify(data, undefined, 2) ?? "OK");
}

/** Creates an error result. The model sees the message and can correct its call. */
export function error(message: string): ToolResult {
  return errorResult(message);
}

/** Creates the error result for a missing field: `Error: <field> required`. */
export function required(field: string): ToolResult {
  return errorResult(`Error: ${field} required`);
}
