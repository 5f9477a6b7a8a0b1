/**
 * @fileoverview From a frame to its reply: what every wire does with the text or bytes it got. Batches are split
 * here, so that `handle` sees single messages only.
 * @module core/receive
 */
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import {
  DEFAULT_LIMITS,
  type ErrorName,
  type JsonRpcMessage,
  type MessageLimits,
  parseFrame,
  type ParseOutcome,
  TRAITS,
} from "../../protocol/index.js";
import type { Exchange } from "./exchange.js";
import { errorResponse, type McpResponse } from "./response.js";
import type { HostedServer } from "./hosted-server.js";

/** The reply to a frame: one response, or those of a batch that have something to send. */
export type Reply = McpResponse | readonly McpResponse[];

/** The context and the transport's side of a frame. A transport creates one per connection and reuses it. */
export interface Delivery<Context> {
  /** The application's own value, passed to handlers unchanged. */
  readonly context: Context;
  /** The transport's side; without one every message stands alone. */
  readonly exchange?: Exchange | undefined;
  /** @default DEFAULT_LIMITS */
  readonly limits?: MessageLimits | undefined;
}

/**
 * Answers one frame. Never throws, never rejects.
 *
 * @example const reply = await receive(server, frame, { context: { user }, exchange });
 */
export function receive<Context>(
  server: Pick<HostedServer<Context>, "handle">,
  frame: string | Uint8Array,
  delivery: Delivery<Context>,
): MaybePromise<Reply> {
  return receiveParsed(server, parseFrame(frame, delivery.limits), delivery);
}

/** Answers the outcome of `parseFrame`. Never throws, never rejects. */
export function receiveParsed<Context>(
  server: Pick<HostedServer<Context>, "handle">,
  parsed: ParseOutcome,
  delivery: Delivery<Context>,
): MaybePromise<Reply> {
  return parsed.ok
    ? receiveValue(server, parsed.value, delivery)
    : refuse(parsed.error, parsed.reason, delivery.exchange);
}

/** Answers the value of a parsed frame: a message, a batch, or anything else. Never throws, never rejects. */
export function receiveValue<Context>(
  server: Pick<HostedServer<Context>, "handle">,
  value: unknown,
  delivery: Delivery<Context>,
): MaybePromise<Reply> {
  const { context, exchange, limits = DEFAULT_LIMITS } = delivery;
  // `handle` checks the shape of every message.
  if (!Array.isArray(value)) return server.handle(value as JsonRpcMessage, context, exchange);
  const batch: readonly unknown[] = value;
  if (!allowsBatch(exchange)) return refuse("INVALID_REQUEST", "this revision has no batches", exchange);
  if (batch.length === 0) return refuse("INVALID_REQUEST", "a batch must not be empty", exchange);
  if (batch.length > limits.maxBatch) {
    return refuse("INVALID_REQUEST", `a batch must not have more than ${limits.maxBatch} messages`, exchange);
  }
  const responses = batch.map((message) => server.handle(message as JsonRpcMessage, context, exchange));
  return responses.some(isPromise) ? settleAll(responses) : sendable(responses as readonly McpResponse[]);
}

/** The text of a reply; empty where there is nothing to send. */
export function replyText(reply: Reply): string {
  if (!isBatch(reply)) return reply.toText();
  return reply.length === 0 ? "" : `[${reply.map((response) => response.toText()).join(",")}]`;
}

function allowsBatch(exchange: Exchange | undefined): boolean {
  if (exchange === undefined) return true;
  const { era, revision } = exchange.connection;
  return era === "legacy" && TRAITS[revision].batches;
}

async function settleAll(responses: readonly MaybePromise<McpResponse>[]): Promise<readonly McpResponse[]> {
  return sendable(await Promise.all(responses.map(async (response) => response)));
}

function sendable(responses: readonly McpResponse[]): readonly McpResponse[] {
  return responses.filter((response) => !response.isEmpty());
}

/** Narrows a reply to that of a batch. */
export function isBatch(reply: Reply): reply is readonly McpResponse[] {
  return Array.isArray(reply);
}

function refuse(error: ErrorName, message: string, exchange: Exchange | undefined): McpResponse {
  return errorResponse(null, { error, message, era: exchange?.connection.era ?? "legacy" });
}
