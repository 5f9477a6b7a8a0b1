/**
 * @fileoverview Client transports: their interface, events, and limits.
 * @module tenon/client/transports/transport
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { McpResponse } from "../../core/wire/response.js";
import { type JsonRpcRequest, type MessageLimits, parseFrame } from "../../protocol/index.js";
import type { ConnectionError } from "../errors.js";
import { type ClientLimits, type ConnectionMemory, limitError } from "../limits.js";

/** Callbacks that a transport calls. */
export interface TransportEvents {
  /** Limits for the server, and the memory of its connection. */
  readonly limits: ClientLimits;
  readonly memory: ConnectionMemory;
  /**
   * Called with each message from the server. A transport waits for a returned promise before it reads the next
   * message.
   */
  readonly onMessage: (message: JsonObject) => Promise<void> | undefined;
  /** Called instead if a message exceeds a limit. `id` is the ID of the message, if it is known. */
  readonly onRefused: (reason: Error, id: unknown) => void;
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
  /**
   * Sends a message. Resolves when the server has taken it, or when `signal` aborts. Rejects if sending failed and no
   * response will arrive.
   */
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

/** Returns the limits for one message from a server. */
export function messageLimits({ maxMessageBytes }: Pick<ClientLimits, "maxMessageBytes">): MessageLimits {
  return { maxBytes: maxMessageBytes, maxDepth: MAX_DEPTH, maxValues: MAX_VALUES, maxBatch: 1 };
}

const MAX_DEPTH = 128;
const MAX_VALUES = 1_000_000;

/** Message, or the reason for ignoring or rejecting the text. */
export type MessageOutcome =
  | { readonly kind: "message"; readonly message: JsonObject }
  /** Not a message. Many programs print a banner. */
  | { readonly kind: "other" }
  | { readonly kind: "refused"; readonly reason: ConnectionError };

/** Parses one message from a server. */
export function parseMessage(frame: string | Uint8Array, limits: MessageLimits): MessageOutcome {
  const parsed = parseFrame(frame, limits);
  if (parsed.ok)
    return isJsonObject(parsed.value) ? { kind: "message", message: parsed.value } : { kind: "other" };
  const isExcess = parsed.error === "INVALID_REQUEST" && (frame[0] === "{" || frame[0] === OPEN_BRACE);
  if (!isExcess) return { kind: "other" };
  const { maxBytes } = limits;
  const problem = `The server sent a message that is too large, or that has more than ${MAX_DEPTH} levels or ${MAX_VALUES} values`;
  return { kind: "refused", reason: limitError(problem, "maxMessageBytes", maxBytes) };
}

const OPEN_BRACE = 0x7b;
