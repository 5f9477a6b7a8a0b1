/**
 * @fileoverview JSON-RPC 2.0 message types, and functions that classify messages.
 * @module tenon/protocol/json-rpc
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** ID that links a response to its request. */
export type RequestId = string | number;

/** Request, or a notification if `id` is absent. `params` is not validated. */
export interface JsonRpcRequest {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

/** Message that expects no response. */
export interface JsonRpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: JsonObject;
}

/** `error` member of a response. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Response as a parsed object. `handle` returns an `McpResponse` instead. */
export interface JsonRpcResponse {
  readonly jsonrpc: "2.0";
  readonly id: RequestId | null;
  readonly result?: unknown;
  readonly error?: RpcError;
}

/** Any JSON-RPC message. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

/** Message kind. Values that are not JSON-RPC 2.0 are `invalid`. */
export type MessageKind = "request" | "notification" | "response" | "invalid";

/** Classifies a parsed value. Keys are case-sensitive. */
export function messageKind(value: unknown): MessageKind {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return "invalid";
  if (typeof value["method"] === "string") {
    if (value["id"] === undefined) return "notification";
    return isRequestId(value["id"]) ? "request" : "invalid";
  }
  if (value["method"] !== undefined) return "invalid";
  const named = isRequestId(value["id"]);
  // A peer that could not read the request's ID sends an error without one. Replying to it could start an endless
  // exchange.
  const failed = isJsonObject(value["error"]) && (named || value["id"] === undefined || value["id"] === null);
  return failed || (named && value["result"] !== undefined) ? "response" : "invalid";
}

/** Describes why a value is not a valid message. The text is sent to the client. */
export function describeInvalidMessage(value: unknown): string {
  if (!isJsonObject(value)) return "The message must be a JSON object.";
  if (value["jsonrpc"] !== "2.0") return "jsonrpc must be '2.0'";
  if (value["id"] !== undefined && !isRequestId(value["id"]))
    return "`id` must be a string or a safe integer.";
  return "`method` must be a string.";
}

/** Returns the ID of an invalid message if it is usable, otherwise null. */
export function salvageId(value: unknown): RequestId | null {
  return isJsonObject(value) && isRequestId(value["id"]) ? value["id"] : null;
}

/**
 * Narrows a value to a request ID: a string or a safe integer. A number above 2^53 would be rounded, and the client
 * could not match the response to its request.
 */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}
