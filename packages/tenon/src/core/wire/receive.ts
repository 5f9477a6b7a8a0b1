/**
 * @fileoverview Parses a frame from a transport and returns the reply. Batches are split here, so that `handle` only
 * receives single messages.
 * @module tenon/core/wire/receive
 */
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import {
  DEFAULT_LIMITS,
  type ErrorName,
  type JsonRpcMessage,
  type MessageLimits,
  parseFrame,
  TRAITS,
} from "../../protocol/index.js";
import type { ParseOutcome } from "../../protocol/parse.js";
import type { Exchange } from "./exchange.js";
import { errorResponse, type McpResponse } from "./response.js";
import type { HostedServer } from "./hosted-server.js";

/** Reply to a frame: one response, or the non-empty responses to a batch. */
export type Reply = McpResponse | readonly McpResponse[];

/** Context, exchange, and limits for a frame. A transport can reuse one object for a whole connection. */
export interface Delivery<Context> {
  /** Application value that is passed to handlers unchanged. */
  readonly context: Context;
  /** Connection and functions that the transport provides. Omit it to handle messages without a connection. */
  readonly exchange?: Exchange | undefined;
  /**
   * Limits on the frame's size and structure.
   * @default DEFAULT_LIMITS
   */
  readonly limits?: MessageLimits | undefined;
}

/**
 * Parses and handles one frame. Never throws or rejects.
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

/** Handles the outcome of `parseFrame`. Never throws or rejects. */
export function receiveParsed<Context>(
  server: Pick<HostedServer<Context>, "handle">,
  parsed: ParseOutcome,
  delivery: Delivery<Context>,
): MaybePromise<Reply> {
  return parsed.ok
    ? receiveValue(server, parsed.value, delivery)
    : refuse(parsed.error, parsed.reason, delivery.exchange);
}

/** Handles a parsed frame, which may be a message, a batch, or any other value. Never throws or rejects. */
export function receiveValue<Context>(
  server: Pick<HostedServer<Context>, "handle">,
  value: unknown,
  delivery: Delivery<Context>,
): MaybePromise<Reply> {
  const { context, exchange, limits = DEFAULT_LIMITS } = delivery;
  // Safe: `handle` checks the shape of every message.
  if (!Array.isArray(value)) return server.handle(value as JsonRpcMessage, context, exchange);
  const batch: readonly unknown[] = value;
  if (!allowsBatch(exchange))
    return refuse(
      "INVALID_REQUEST",
      "This protocol version does not support batches. Send each message separately.",
      exchange,
    );
  if (batch.length === 0)
    return refuse("INVALID_REQUEST", "The batch is empty. Send at least one message.", exchange);
  if (batch.length > limits.maxBatch) {
    return refuse(
      "INVALID_REQUEST",
      `The batch has ${batch.length} messages (limit: ${limits.maxBatch}). Split it into smaller batches.`,
      exchange,
    );
  }
  const responses = batch.map((message) => server.handle(message as JsonRpcMessage, context, exchange));
  return responses.some(isPromise) ? settleAll(responses) : sendable(responses as readonly McpResponse[]);
}

/** Serializes a reply. Returns an empty string if the reply does not contain a response to send. */
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

/** Narrows a reply to the responses to a batch. */
export function isBatch(reply: Reply): reply is readonly McpResponse[] {
  return Array.isArray(reply);
}

function refuse(error: ErrorName, message: string, exchange: Exchange | undefined): McpResponse {
  return errorResponse(null, { error, message, era: exchange?.connection.era ?? "legacy" });
}
