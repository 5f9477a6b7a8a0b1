/**
 * @fileoverview JSON-RPC 2.0 messages as MCP uses them, and what tells one kind from another.
 * @module protocol/json-rpc
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** What ties a reply to its request. */
export type RequestId = string | number;

/** A request, or without `id` a notification. `params` stay raw until their method reads them. */
export interface JsonRpcRequest {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

/** A message that gets no reply. */
export interface JsonRpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: JsonObject;
}

/** The error member of a reply. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A reply, as read from the wire or for a look at one in tests; `handle` returns an `McpResponse`. */
export interface JsonRpcResponse {
  readonly jsonrpc: "2.0";
  readonly id: RequestId | null;
  readonly result?: unknown;
  readonly error?: RpcError;
}

/** Any message. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

/** What a message is, before anyone looks at what it says. */
export type MessageKind = "request" | "notification" | "response" | "invalid";

/** Sorts a parsed value into its kind. Keys count in their exact case only. */
export function messageKind(value: unknown): MessageKind {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return "invalid";
  if (typeof value["method"] === "string") {
    if (value["id"] === undefined) return "notification";
    return isRequestId(value["id"]) ? "request" : "invalid";
  }
  if (value["method"] !== undefined) return "invalid";
  const named = isRequestId(value["id"]);
  // Who could not read our id replies with an error and none. It gets no answer, or two such peers never stop.
  const failed = isJsonObject(value["error"]) && (named || value["id"] === undefined || value["id"] === null);
  return failed || (named && value["result"] !== undefined) ? "response" : "invalid";
}

/** Why a value is no message, in words for its sender. */
export function describeInvalidMessage(value: unknown): string {
  if (!isJsonObject(value)) return "message must be a JSON object";
  if (value["jsonrpc"] !== "2.0") return "jsonrpc must be '2.0'";
  if (value["id"] !== undefined && !isRequestId(value["id"])) return "id must be a string or a safe integer";
  return "method must be a string";
}

/** The id to answer under, where a broken message has a usable one. */
export function salvageId(value: unknown): RequestId | null {
  return isJsonObject(value) && isRequestId(value["id"]) ? value["id"] : null;
}

/**
 * Strings and whole numbers that survive a round trip. Past 2^53 a number would come back as another one, and the
 * reply would never find its request.
 */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}
