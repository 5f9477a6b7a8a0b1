/**
 * @fileoverview Parses a frame and returns its reply, for every transport. Batches are split here, so `handle` only
 * receives single messages.
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

/** Reply to a frame: one response, or the non-empty responses of a batch. */
export type Reply = McpResponse | readonly McpResponse[];

/** Context and exchange of a frame. A transport creates one per connection and reuses it. */
export interface Delivery<Context> {
  /** Application's value, passed to handlers unchanged. */
  readonly context: Context;
  /** Transport's side of the message. Without it, messages have no connection. */
  readonly exchange?: Exchange | undefined;
  /** @default DEFAULT_LIMITS */
  readonly limits?: MessageLimits | undefined;
}

/**
 * Handles one frame. Never throws and never rejects.
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

/** Handles the outcome of `parseFrame`. Never throws and never rejects. */
export function receiveParsed<Context>(
  server: Pick<HostedServer<Context>, "handle">,
  parsed: ParseOutcome,
  delivery: Delivery<Context>,
): MaybePromise<Reply> {
  return parsed.ok
    ? receiveValue(server, parsed.value, delivery)
    : refuse(parsed.error, parsed.reason, delivery.exchange);
}

/** Handles the value of a parsed frame: a message, a batch or any other value. Never throws and never rejects. */
export function receiveValue<Context>(
  server: Pick<HostedServer<Context>, "handle">,
  value: unknown,
  delivery: Delivery<Context>,
): MaybePromise<Reply> {
  const { context, exchange, limits = DEFAULT_LIMITS } = delivery;
  // `handle` checks the shape of every message.
  if (!Array.isArray(value)) return server.handle(value as JsonRpcMessage, context, exchange);
  const batch: readonly unknown[] = value;
  if (!allowsBatch(exchange))
    return refuse("INVALID_REQUEST", "This protocol revision does not support batches.", exchange);
  if (batch.length === 0) return refuse("INVALID_REQUEST", "A batch must not be empty.", exchange);
  if (batch.length > limits.maxBatch) {
    return refuse(
      "INVALID_REQUEST",
      `A batch must not have more than ${limits.maxBatch} messages.`,
      exchange,
    );
  }
  const responses = batch.map((message) => server.handle(message as JsonRpcMessage, context, exchange));
  return responses.some(isPromise) ? settleAll(responses) : sendable(responses as readonly McpResponse[]);
}

/** Returns the text of a reply, or an empty string if there is nothing to send. */
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

/** Narrows a reply to the responses of a batch. */
export function isBatch(reply: Reply): reply is readonly McpResponse[] {
  return Array.isArray(reply);
}

function refuse(error: ErrorName, message: string, exchange: Exchange | undefined): McpResponse {
  return errorResponse(null, { error, message, era: exchange?.connection.era ?? "legacy" });
}
