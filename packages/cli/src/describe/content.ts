/**
 * @fileoverview Formats tool, resource, and prompt results as text.
 * @module cli/describe/content
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { stripControls, oneLine } from "@tenon/internal/text";
import { textOf } from "./arguments.js";

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

/** Returns a prompt's messages, each under the name of its role. */
export function describeMessages(result: JsonObject): string {
  const messages: readonly unknown[] = Array.isArray(result["messages"]) ? result["messages"] : [];
  const shown = messages.filter(isJsonObject).map(({ role, content }) => {
    const text = isJsonObject(content) ? describeBlock(content) : "(no content)";
    return `[${oneLine(textOf(role), 40)}]\n${text}`;
  });
  return shown.length === 0 ? "(no messages)" : shown.join("\n\n");
}

/** Returns a resource's contents as text for a terminal. Binary contents are described by type and size. */
export function describeContents(contents: readonly JsonObject[]): string {
  const shown = contents.map(({ uri, mimeType, text, blob }) => {
    const body =
      typeof text === "string"
        ? stripControls(text)
        : `[${[oneLine(textOf(mimeType), 80), size(blob)].filter((one) => one !== "").join(", ")}]`;
    return contents.length === 1 ? body : `--- ${oneLine(textOf(uri))}\n${body}`;
  });
  return shown.length === 0 ? "(no content)" : shown.join("\n");
}

/** Returns the first text of a result. Returns an empty text if there is none. */
export function firstText({ content }: JsonObject): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.map((block) => (isJsonObject(block) ? block["text"] : undefined));
  return texts.find((text) => typeof text === "string") ?? "";
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

/** Returns the size of base64 text after decoding. */
function size(base64: unknown): string {
  const text = textOf(base64).replaceAll("=", "");
  return `${Math.floor((text.length * 3) / 4)} bytes`;
}
