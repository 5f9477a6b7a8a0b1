/**
 * @fileoverview Messages and exchanges for tests that call `handle` directly.
 * @module tests/support/requests
 */
import { Connection, type ConnectionOptions } from "../../packages/tenon/src/core/wire/connection.js";
import type { Exchange } from "../../packages/tenon/src/core/wire/exchange.js";
import type { McpResponse } from "../../packages/tenon/src/core/wire/response.js";
import type { Server } from "../../packages/tenon/src/core/server.js";
import type { JsonObject, JsonRpcMessage, JsonRpcResponse, Revision } from "tenon/protocol";
import { META, MODERN_REVISIONS } from "tenon/protocol";

/** The newest stateless revision. */
export const MODERN: Revision = MODERN_REVISIONS.at(-1) ?? "2026-07-28";

/** Creates a request in the form that a transport parses. */
export function request(method: string, params?: JsonObject, id: string | number = 1): JsonRpcMessage {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

/** Creates a stateless request with its envelope. */
export function modernRequest(
  method: string,
  params: JsonObject = {},
  id: string | number = 1,
): JsonRpcMessage {
  const _meta = {
    [META.protocolVersion]: MODERN,
    [META.clientCapabilities]: {},
    ...(params["_meta"] as JsonObject | undefined),
  };
  return request(method, { ...params, _meta }, id);
}

/** Creates a tool call. */
export function toolCall(name: string, args?: JsonObject, id?: string | number): JsonRpcMessage {
  return request("tools/call", args === undefined ? { name } : { name, arguments: args }, id);
}

/** Creates an exchange on its own connection. */
export function exchangeOf(
  options: ConnectionOptions = {},
  rest: Omit<Exchange, "connection"> = {},
): Exchange {
  return { connection: new Connection(options), ...rest };
}

/** Sends a message and returns the response as an object. */
export async function replyTo(
  server: Pick<Server, "handle">,
  message: unknown,
  exchange?: Exchange,
): Promise<JsonRpcResponse> {
  const response = await handle(server, message, exchange);
  const reply = response.intoJsonRpc();
  if (reply === undefined) throw new Error("Expected a response; got none.");
  return reply;
}

/** Sends any message and returns the response. */
export async function handle(
  server: Pick<Server, "handle">,
  message: unknown,
  exchange?: Exchange,
): Promise<McpResponse> {
  return server.handle(message as JsonRpcMessage, undefined, exchange); // some tests send invalid messages
}
