/**
 * @fileoverview Client transports: their interface, events, limits, and errors.
 * @module cli/client/transport
 */
import type { JsonObject } from "@tenon/internal/json";
import type { MessageLimits } from "tenon/protocol";

/** Callbacks that a transport calls. */
export interface TransportEvents {
  /** Called with each message from the server. */
  readonly onMessage: (message: JsonObject) => void;
  /** Called when the server ends the connection. No more responses will arrive. */
  readonly onEnd: (reason: Error) => void;
}

/** Options for sending one message. */
export interface SendOptions {
  /** HTTP headers for this message. Other transports ignore them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Stops waiting for the response. */
  readonly signal?: AbortSignal;
}

/** Open connection to a server. */
export interface Transport {
  /** True if every message is an HTTP request with its own headers. */
  readonly isHttp: boolean;
  /** Sends a message. Rejects if sending failed and no response will arrive. */
  send(message: JsonObject, options?: SendOptions): Promise<void>;
  /** Receives messages that the server sends on its own, until the transport is closed. Only HTTP sessions use it. */
  listen?(): void;
  /** Closes the transport gracefully, within a few seconds. */
  close(): Promise<void>;
}

/** Limits for one message from a server. */
export const CLIENT_LIMITS: MessageLimits = {
  maxBytes: 16 * 1024 * 1024,
  maxDepth: 128,
  maxValues: 1_000_000,
  maxBatch: 100,
};

/** Transport failure. Its message never contains sent data. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  /** HTTP status of the response, if the server sent one. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** Error response from the server. */
export class ReplyError extends Error {
  override readonly name = "ReplyError";
  /** JSON-RPC error code. */
  readonly code: number;
  /** Details from the server. */
  readonly data: unknown;

  constructor({ code, message, data }: { code: number; message: string; data: unknown }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
