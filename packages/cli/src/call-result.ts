/**
 * @fileoverview Formats a tool result as text.
 * @module cli/call-result
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { stripControls, oneLine } from "@tenon/internal/command-line/text";

/** Returns a result's text. Content of other types is described by type and size. */
export function describeResult(result: JsonObject): string {
  const blocks = Array.isArray(result["content"]) ? (result["content"] as unknown[]) : [];
  const lines = blocks.flatMap((block) => (isJsonObject(block) ? [describeBlock(block)] : []));
  if (lines.length > 0) return lines.join("\n");
  const { structuredContent } = result;
  return structuredContent === undefined
    ? "(no content)"
    : stripControls(JSON.stringify(structuredContent, null, 2));
}

function describeBlock(block: JsonObject): string {
  const { type, text, mimeType, data, uri, resource } = block;
  if (type === "text") return stripControls(textOf(text));
  if (type === "resource_link") return `[link ${oneLine(textOf(uri))}]`;
  if (type === "resource" && isJsonObject(resource)) {
    if (typeof resource["text"] === "string") return stripControls(resource["text"]);
    return `[resource ${oneLine(textOf(resource["uri"]))}, ${size(resource["blob"])}]`;
  }
  return `[${oneLine(textOf(type), 40)} ${oneLine(textOf(mimeType), 80)}, ${size(data)}]`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the decoded size of base64 text. */
function size(base64: unknown): string {
  const text = textOf(base64).replace(/=+$/, "");
  return `${Math.floor((text.length * 3) / 4)} bytes`;
}
