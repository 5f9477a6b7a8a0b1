/**
 * @fileoverview From what a handler returns to what a tool gives back.
 * @module core/tool-result
 */
import { isJsonObject } from "@tenon/internal/json";
import type { ContentBlock, ToolResult } from "../../protocol/index.js";

/** A result of one text block. */
export function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}

/** A failure of one text block, for the model to see and correct. */
export function errorResult(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/**
 * The result of a handler without output schema: a full result or content as it is, text as text, and other
 * values as JSON text.
 */
export function toToolResult(value: unknown): ToolResult {
  if (typeof value === "string") return textResult(value);
  if (value === undefined || value === null) return { content: [] };
  if (isToolResult(value)) return value;
  if (isContentBlock(value)) return { content: [value] };
  if (Array.isArray(value) && value.length > 0 && value.every(isContentBlock)) return { content: value };
  return textResult(JSON.stringify(value) ?? "");
}

/** The result of a handler with output schema: the value as data, and the same JSON as text. */
export function toStructuredResult(value: unknown): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) ?? "null" }], structuredContent: value };
}

/** Whether a value is a full result: a list of content blocks under `content`. */
export function isToolResult(value: unknown): value is ToolResult {
  return isJsonObject(value) && Array.isArray(value["content"]) && value["content"].every(isContentBlock);
}

function isContentBlock(value: unknown): value is ContentBlock {
  if (!isJsonObject(value)) return false;
  switch (value["type"]) {
    case "text":
      return typeof value["text"] === "string";
    case "image":
    case "audio":
      return typeof value["data"] === "string" && typeof value["mimeType"] === "string";
    case "resource":
      return isJsonObject(value["resource"]) && typeof value["resource"]["uri"] === "string";
    case "resource_link":
      return typeof value["uri"] === "string" && typeof value["name"] === "string";
    default:
      return false;
  }
}
