/**
 * @fileoverview The transport of a client: its events, limits and errors.
 * @module cli/client/transport
 */
import type { JsonObject } from "@tenon/internal/json";
import type { MessageLimits } from "tenon/protocol";

/** Callbacks of a transport. */
export interface TransportEvents {
  /** Receives one message of the server. */
  readonly onMessage: (message: JsonObject) => void;
  /** Called when the transport closes by itself. No more responses will arrive. */
  readonly onEnd: (reason: Error) => void;
}

/** Options of one message. */
export interface SendOptions {
  /** HTTP headers of this request. Other transports ignore them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Stops waiting for the response. */
  readonly signal?: AbortSignal;
}

/** An open transport. */
export interface Transport {
  /** True if every message is an HTTP request with its own headers. */
  readonly isHttp: boolean;
  /** Sends a message. Rejects if no response can arrive. */
  send(message: JsonObject, options?: SendOptions): Promise<void>;
  /** Closes the transport gracefully, within a few seconds. */
  close(): Promise<void>;
}

/** Limits of one message of a server. */
export const CLIENT_LIMITS: MessageLimits = {
  maxBytes: 16 * 1024 * 1024,
  maxDepth: 128,
  maxValues: 1_000_000,
  maxBatch: 100,
};

/** A failure of a transport. Its message contains nothing that was sent. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  /** HTTP status of the response, if there was one. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}
