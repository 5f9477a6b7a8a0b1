/**
 * @fileoverview Tells requests of earlier revisions apart, for applications that serve them with their own handler.
 * @module sdk/v2/serving/legacy-request
 */
import {
  classifyEra,
  DEFAULT_LIMITS,
  isRevisionOf,
  type JsonRpcRequest,
  messageKind,
  META,
  parseFrame,
} from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import { createMcpHandler, type McpHandlerRequestOptions } from "./create-mcp-handler.js";
import type { McpServerFactory } from "./created-server.js";

/** Handles a request of an earlier revision. */
export type LegacyHttpHandler = (request: Request, options?: McpHandlerRequestOptions) => Promise<Response>;

/**
 * Returns true for a request of a legacy revision. The request's body stays unread.
 *
 * @param parsedBody the parsed body, if the application has already read it
 */
export async function isLegacyRequest(
  request: Request,
  parsedBody?: unknown,
  options: { readonly maxRequestBodySize?: number } = {},
): Promise<boolean> {
  if (request.method.toUpperCase() !== "POST") return true;
  const { maxRequestBodySize: maxBytes = DEFAULT_LIMITS.maxBytes } = options;
  const text = parsedBody === undefined ? await readText(request.clone(), maxBytes) : "";
  if (text === undefined) return false;
  // A handler with higher limits may still accept the body. Only the handler runs validators.
  const limits = { maxBytes, maxDepth: Infinity, maxValues: Infinity, maxBatch: Infinity };
  const parsed = parsedBody === undefined ? parseFrame(text, limits) : undefined;
  if (parsed?.ok === false) return true;
  return isLegacyBody(parsed?.value ?? parsedBody, request.headers.get("mcp-protocol-version") ?? undefined);
}

function isLegacyBody(body: unknown, version: string | undefined): boolean {
  if (Array.isArray(body))
    return body.length > 0 && !body.some((one) => hasClaim(one) || messageKind(one) === "invalid");
  const kind = messageKind(body);
  if (kind === "response") return true;
  if (kind === "invalid") return false;
  if (kind === "notification") return !hasClaim(body) && !isRevisionOf("modern", version?.trim());
  return classifyEra(body as JsonRpcRequest, version) === "legacy"; // Safe: the kind was checked
}

/** Returns true if a message names its protocol version in its metadata. */
function hasClaim(message: unknown): boolean {
  const params = isJsonObject(message) ? message["params"] : undefined;
  const meta = isJsonObject(params) ? params["_meta"] : undefined;
  return isJsonObject(meta) && META.protocolVersion in meta;
}

/** Reads a body. Returns `undefined` if it is longer than the limit or cannot be read. */
async function readText(request: Request, maxBytes: number): Promise<string | undefined> {
  if (request.body === null) return "";
  const reader = request.body.getReader();
  const decoder = new TextDecoder();
  let length = 0;
  let text = "";
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      length += piece.value.byteLength;
      if (length > maxBytes) {
        void reader.cancel().catch(() => undefined);
        return undefined;
      }
      text += decoder.decode(piece.value, { stream: true });
    }
    return text + decoder.decode();
  } catch {
    return undefined;
  }
}

/** Recognizes an `initialize` request. */
export function isInitializeRequest(value: unknown): boolean {
  if (messageKind(value) !== "request") return false;
  const { method, params } = value as JsonRpcRequest; // Safe: the kind was checked
  const { protocolVersion, capabilities, clientInfo } = isJsonObject(params) ? params : {};
  return (
    method === "initialize" &&
    typeof protocolVersion === "string" &&
    isJsonObject(capabilities) &&
    isJsonObject(clientInfo) &&
    typeof clientInfo["name"] === "string" &&
    typeof clientInfo["version"] === "string"
  );
}

/** Creates a handler for requests of earlier revisions, each with its own server. */
export function legacyStatelessFallback(
  factory: McpServerFactory,
  onerror?: (error: Error) => void,
  options: { readonly maxRequestBodySize?: number; readonly maxValues?: number } = {},
): LegacyHttpHandler {
  return createMcpHandler(factory, { ...options, ...(onerror === undefined ? {} : { onerror }) }).fetch;
}
