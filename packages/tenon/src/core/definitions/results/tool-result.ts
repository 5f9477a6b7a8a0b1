/**
 * @fileoverview Converts a tool handler's return value to a tool result.
 * @module tenon/core/definitions/results/tool-result
 */
import { isJsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { messageOf } from "@tenon/internal/thrown";
import type { ContentBlock, ToolResult } from "../../../protocol/index.js";
import { OutputError } from "../tool-errors.js";

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
 *
 * @param label start of error messages, such as `Tool "forecast"`
 * @throws {OutputError} if the value cannot be serialized to JSON
 */
export function toToolResult(value: unknown, label = "Tool"): ToolResult {
  return toDirectResult(value) ?? toJsonResult(value, label);
}

/** Converts text, an empty value, a full result, or content blocks. Returns `undefined` for other values. */
export function toDirectResult(value: unknown): ToolResult | undefined {
  if (typeof value === "string") return textResult(value);
  if (value === undefined || value === null) return { content: [] };
  if (isToolResult(value)) return value;
  if (isContentBlock(value)) return { content: [value] };
  return Array.isArray(value) && value.length > 0 && value.every(isContentBlock)
    ? { content: value }
    : undefined;
}

/** Converts a value to JSON text. @throws {OutputError} if the value cannot be serialized to JSON */
export function toJsonResult(value: unknown, label: string): ToolResult {
  assertResultType(value, label);
  return textResult(writeJson(value, label) ?? "");
}

/**
 * Converts a return value for a tool with an output schema: structured content, plus the same value as JSON text.
 *
 * @throws {OutputError} if the value cannot be serialized to JSON
 */
export function toStructuredResult(value: unknown, label = "Tool"): ToolResult {
  return {
    content: [{ type: "text", text: writeJson(value, label) ?? "null" }],
    structuredContent: value,
  };
}

/** Narrows a value to a full tool result: an object whose `content` is an array of content blocks. */
export function isToolResult(value: unknown): value is ToolResult {
  return isJsonObject(value) && Array.isArray(value["content"]) && value["content"].every(isContentBlock);
}

/** Narrows a value to a content block. */
export function isContentBlock(value: unknown): value is ContentBlock {
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

/** Creates the error for a result that cannot be serialized to JSON, such as circular data or a BigInt. */
export function unwritable(label: string, cause: unknown): OutputError {
  const reason = messageOf(cause) ?? "its `toJSON` method failed";
  return new OutputError(`${label}: the result cannot be serialized to JSON: ${reason}`, { cause });
}

function writeJson(value: unknown, label: string): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw unwritable(label, error);
  }
}

/** Throws an `OutputError` if JSON cannot represent a value of this type. Plain objects and arrays pass at once. */
function assertResultType(value: unknown, label: string): void {
  if (typeof value === "object" && value !== null) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === Array.prototype) return;
  }
  const fix = fixFor(value);
  if (fix === undefined) return;
  const options = value instanceof Error ? { cause: value } : undefined;
  throw new OutputError(
    `${label}: the handler returned ${kindOf(value)}, which JSON cannot represent. ${fix}`,
    options,
  );
}

/** Returns the sentence that explains what to return instead, or `undefined` if JSON can represent the value. */
function fixFor(value: unknown): string | undefined {
  if (typeof value === "function" || typeof value === "symbol") return PLAIN;
  if (typeof value !== "object" || value === null) return undefined;
  if (value instanceof Error) return "Throw it, or return `errorResult(message)`.";
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return BYTES;
  if ("toJSON" in value && typeof value.toJSON === "function") return undefined;
  return FIXES.get(Object.prototype.toString.call(value).slice("[object ".length, -1));
}

const BYTES = "Return `image(bytes, mimeType)`, `audio(bytes, mimeType)`, or `embedded({ uri, bytes })`.";
const PLAIN = "Return text, content, or data.";

/** Fixes by type tag. */
const FIXES: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["Map", "Return `Object.fromEntries(map)` or `[...map]`."],
  ["Set", "Return `[...set]`."],
  ["WeakMap", PLAIN],
  ["WeakSet", PLAIN],
  ["Blob", BYTES],
  ["File", BYTES],
  ["Response", "Return `await response.text()` or `await response.json()`."],
  ["Request", PLAIN],
  ["Headers", "Return `Object.fromEntries(headers)`."],
  ["FormData", "Return `Object.fromEntries(form)`."],
  ["Generator", "Return `[...values]`, or use an async generator to stream text."],
  ["Map Iterator", "Return an array: `[...values]`."],
  ["Set Iterator", "Return an array: `[...values]`."],
  ["Array Iterator", "Return an array: `[...values]`."],
]);
