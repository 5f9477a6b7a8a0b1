/**
 * @fileoverview Client transports: their interface, events, and limits.
 * @module client/transports/transport
 */
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { McpResponse } from "../../core/wire/response.js";
import type { JsonRpcRequest, MessageLimits } from "../../protocol/index.js";

/** Callbacks that a transport calls. */
export interface TransportEvents {
  /** Called with each message from the server. */
  readonly onMessage: (message: JsonObject) => void;
  /** Called when the server ends the connection. No more responses will arrive. */
  readonly onEnd: (reason: Error) => void;
  /** Runs a task that waits for the user, such as a sign-in, without counting its time against requests. */
  readonly untimed: <T>(task: () => Promise<T>) => Promise<T>;
}

/** Options for sending one message. */
export interface SendOptions {
  /** HTTP headers for this message. Other transports ignore them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Stops waiting for the response. */
  readonly signal?: AbortSignal;
}

/** Open connection to a server. */
export interface ClientTransport {
  /** True if every message is an HTTP request with its own headers. */
  readonly isHttp: boolean;
  /** Sends a message. Rejects if sending failed and no response will arrive. */
  send(message: JsonObject, options: SendOptions): Promise<void>;
  /**
   * Handles a request without text in between. The server owns the request, so the caller must not keep a reference to
   * any part of it. The message limits are not checked. Only in memory.
   */
  handle?(request: JsonRpcRequest): MaybePromise<McpResponse>;
  /** Receives messages that the server sends on its own, until the transport is closed. Only HTTP sessions use it. */
  listen?(): void;
  /** Forgets the session, so that the next message starts a new one. Only HTTP sessions use it. */
  reset?(): void;
  /** Closes the transport gracefully, within a few seconds. */
  close(): Promise<void>;
}

/** Opens a connection. Called again to reconnect. */
export type OpenTransport = (events: TransportEvents) => MaybePromise<ClientTransport>;

/** Limits for one message from a server. */
export const CLIENT_LIMITS: MessageLimits = {
  maxBytes: 16 * 1024 * 1024,
  maxDepth: 128,
  maxValues: 1_000_000,
  maxBatch: 100,
};
