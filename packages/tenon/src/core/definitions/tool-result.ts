/**
 * @fileoverview Converts a tool handler's return value to a tool result.
 * @module core/tool-result
 */
import { isJsonObject } from "@tenon/internal/json";
import type { ContentBlock, ToolResult } from "../../protocol/index.js";

/** Creates a tool result with one text block. */
export function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}

/** Creates an error result with one text block. The model sees the text and can correct the call. */
export function errorResult(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/**
 * Converts a return value for a tool without an output schema. Full results and content blocks stay unchanged, strings
 * become text blocks, and other values become JSON text.
 */
export function toToolResult(value: unknown): ToolResult {
  if (typeof value === "string") return textResult(value);
  if (value === undefined || value === null) return { content: [] };
  if (isToolResult(value)) return value;
  if (isContentBlock(value)) return { content: [value] };
  if (Array.isArray(value) && value.length > 0 && value.every(isContentBlock)) return { content: value };
  return textResult(JSON.stringify(value) ?? "");
}

/** Converts a return value for a tool with an output schema: structured content, plus the same value as JSON text. */
export function toStructuredResult(value: unknown): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) ?? "null" }], structuredContent: value };
}

/** Narrows a value to a full tool result: an object whose `content` is an array of content blocks. */
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
