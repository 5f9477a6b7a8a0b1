/**
 * @fileoverview A client's end of a wire to a server: what it carries, and how it fails.
 * @module cli/client/wire
 */
import type { JsonObject } from "@tenon/internal/json";
import type { MessageLimits } from "tenon/protocol";

/** What a wire tells its client. */
export interface WireEvents {
  /** Takes one message of the server. */
  readonly onMessage: (message: JsonObject) => void;
  /** The wire has ended by itself: nobody will answer any more. */
  readonly onEnd: (reason: Error) => void;
}

/** How one message is sent. */
export interface SendOptions {
  /** Headers of this request, where the wire has any. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Gives up waiting for the answer. */
  readonly signal?: AbortSignal;
}

/** An open wire. */
export interface Transport {
  /** Whether every request travels alone, with headers of its own. */
  readonly isHttp: boolean;
  /** Sends a message; rejects where it is certain that no reply will come. */
  send(message: JsonObject, options?: SendOptions): Promise<void>;
  /** Ends it in good order, within a short time. */
  close(): Promise<void>;
}

/** The bounds of what a server may send in one message. */
export const CLIENT_LIMITS: MessageLimits = {
  maxBytes: 16 * 1024 * 1024,
  maxDepth: 128,
  maxValues: 1_000_000,
  maxBatch: 100,
};

/** A wire failed: what went wrong, without anything that was sent. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}
