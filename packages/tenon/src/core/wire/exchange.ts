/**
 * @fileoverview Connection, authorization, and functions that a transport provides for one message.
 * @module tenon/core/wire/exchange
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { HeaderReader, JsonRpcNotification } from "../../protocol/index.js";
import type { ClientRequest } from "./caller.js";
import type { Connection } from "./connection.js";

/** Authenticated caller and its scopes. */
export interface Auth {
  /** Unique name of the caller. The caller's sessions and state are bound to this name. */
  readonly principal: string;
  readonly scopes: readonly string[];
  /** ID of the client that the access token was issued to. */
  readonly clientId?: string | undefined;
  /** User on whose behalf the client acts. */
  readonly subject?: string | undefined;
  /** Expiration time in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

/** Interface between a transport and the server for one message. */
export interface Exchange {
  readonly connection: Connection;
  /** Authenticated caller. If absent, scopes are not checked. */
  readonly auth?: Auth | undefined;
  /** Reads a request header by name. Absent if the transport does not use headers. */
  readonly header?: HeaderReader | undefined;
  /** Signal that aborts when the client disconnects. It can be created on first use: most calls never read it. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Calls `task` once with the reason when the client disconnects, or at once if it already has. Returns a function that
   * stops this, or `undefined` if a disconnected client does not end its calls. Calls prefer this function to
   * `signal`, because a signal costs as much as a short call. Subscriptions use `signal`.
   */
  readonly onGone?: ((task: (reason: unknown) => void) => (() => void) | undefined) | undefined;
  /**
   * Signal that aborts when the client disconnects, even if that does not end its calls. For hosts that end the calls
   * anyway.
   */
  readonly disconnected?: AbortSignal | undefined;
  /** True if the client has disconnected. Lets the server check for that without creating a signal. */
  readonly isGone?: boolean | undefined;
  /** Message or batch that the client sent, if the transport receives batches. */
  readonly posted?: unknown;
  /** Message length in characters or bytes, if known. It counts toward the memory limit for calls in flight. */
  readonly messageLength?: number | undefined;
  /** Sends a notification to the client before the response. */
  readonly notify?: ((notification: JsonRpcNotification) => MaybePromise<void>) | undefined;
  /**
   * Calls `task` once, when the caller's credentials expire or are revoked, so that a subscription can end with them.
   * Returns a function that stops this, or `undefined` if the credentials have no end.
   */
  readonly onCredentialsEnd?: ((task: () => void) => (() => void) | undefined) | undefined;
  /**
   * Called with scopes that the message requires and that the caller has. A client that resumes the stream of the
   * response needs them too, because it may have other credentials by then.
   */
  readonly noteScopes?: ((scopes: readonly string[]) => void) | undefined;
  /** Closes the call's response stream if the client can resume it. See `Call.hangUp`. */
  readonly hangUp?: (() => void) | undefined;
  /** Sends a request to the client and resolves with its result. See `Connection.ask`. */
  readonly request?: ((request: ClientRequest, signal: AbortSignal) => Promise<unknown>) | undefined;
}

/** Calls `task` once when the client disconnects, or at once if it already has. Returns a function that stops this. */
export function onClientGone(exchange: Exchange, task: (reason: unknown) => void): (() => void) | undefined {
  if (exchange.onGone !== undefined) return exchange.onGone(task);
  const { signal } = exchange;
  return signal === undefined ? undefined : onAbort(signal, task);
}

/** Calls `task` once when `signal` aborts, or at once if it already has. Returns a function that stops this. */
export function onAbort(signal: AbortSignal, task: (reason: unknown) => void): (() => void) | undefined {
  if (signal.aborted) {
    task(signal.reason);
    return undefined;
  }
  const run = () => task(signal.reason);
  signal.addEventListener("abort", run, { once: true });
  return () => signal.removeEventListener("abort", run);
}
