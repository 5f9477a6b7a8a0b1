/**
 * @fileoverview Reads MCP content blocks of any shape. A server can send anything, so unknown blocks are shown as JSON.
 * @module ui/content/blocks
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** Content block. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string; readonly resource?: Resource }
  | {
      readonly type: "media";
      readonly data: unknown;
      readonly mediaType: unknown;
      readonly resource?: Resource;
    }
  | ResourceLink
  | { readonly type: "unknown"; readonly value: unknown };

/** Embedded resource that a block shows. */
export interface Resource {
  readonly uri: string;
  readonly mediaType: string | undefined;
}

/** Link to a resource of the server. */
export interface ResourceLink {
  readonly type: "link";
  readonly uri: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly mediaType?: string | undefined;
  readonly size?: number | undefined;
}

const MAX_BLOCKS = 500;

/**
 * Reads the `content` of a result, or the content of a message, which may be a single block. Returns the blocks, and the
 * number of those that are left out.
 */
export function readBlocks(content: unknown) {
  const all: readonly unknown[] = Array.isArray(content) ? content : content === undefined ? [] : [content];
  return { blocks: all.slice(0, MAX_BLOCKS).map(readBlock), omitted: Math.max(0, all.length - MAX_BLOCKS) };
}

/** Reads one content block. */
export function readBlock(value: unknown): ContentBlock {
  if (!isJsonObject(value)) return { type: "unknown", value };
  switch (value["type"]) {
    case "text":
      return typeof value["text"] === "string"
        ? { type: "text", text: value["text"] }
        : { type: "unknown", value };
    case "image":
    case "audio":
      return { type: "media", data: value["data"], mediaType: value["mimeType"] };
    case "resource_link":
      return readLink(value);
    case "resource":
      return readResource(value["resource"]) ?? { type: "unknown", value };
    default:
      return { type: "unknown", value };
  }
}

/** Reads the contents of a resource: a text, or bytes as base64. Returns `undefined` for other values. */
export function readResource(value: unknown): ContentBlock | undefined {
  if (!isJsonObject(value)) return undefined;
  const mediaType = optionalString(value, "mimeType");
  const resource = { uri: optionalString(value, "uri") ?? "", mediaType };
  const { text, blob } = value;
  if (typeof text === "string") return { type: "text", text, resource };
  return typeof blob === "string" ? { type: "media", data: blob, mediaType, resource } : undefined;
}

function readLink(value: JsonObject): ContentBlock {
  const uri = optionalString(value, "uri");
  if (uri === undefined) return { type: "unknown", value };
  const size = value["size"];
  return {
    type: "link",
    uri,
    name: optionalString(value, "title") ?? optionalString(value, "name") ?? uri,
    description: optionalString(value, "description"),
    mediaType: optionalString(value, "mimeType"),
    size: typeof size === "number" && size >= 0 ? size : undefined,
  };
}

function optionalString(value: JsonObject, key: string): string | undefined {
  const member = value[key];
  return typeof member === "string" ? member : undefined;
}
