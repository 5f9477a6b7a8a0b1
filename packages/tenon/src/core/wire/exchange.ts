/**
 * @fileoverview The transport's side of one message.
 * @module core/exchange
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { HeaderReader, JsonRpcNotification } from "../../protocol/index.js";
import type { ClientRequest } from "./caller.js";
import type { Connection } from "./connection.js";

/** Authenticated caller. */
export interface Auth {
  /** Unique name of the caller. Data of a caller is stored under this name. */
  readonly principal: string;
  readonly scopes: readonly string[];
  /** Id of the client that the token was issued to. */
  readonly clientId?: string | undefined;
  /** User that the client acts for. */
  readonly subject?: string | undefined;
  /** Expiration time in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

/** Connection, authorization and functions that a transport provides for one message. */
export interface Exchange {
  readonly connection: Connection;
  /** Absent if the transport has no authorization. Scopes are not checked then. */
  readonly auth?: Auth | undefined;
  /** Request headers, if the transport has any. */
  readonly header?: HeaderReader | undefined;
  /** Aborts when the client disconnects. A transport may create it on first use, because most calls never read it. */
  readonly signal?: AbortSignal | undefined;
  /** True if the client has disconnected. Set by transports that know it without creating a signal. */
  readonly isGone?: boolean | undefined;
  /** Length of the message in characters or bytes, if known. Used to limit the memory of all calls. */
  readonly messageLength?: number | undefined;
  /** Sends a notification before the response. */
  readonly notify?: ((notification: JsonRpcNotification) => MaybePromise<void>) | undefined;
  /** Closes the response stream of this call if the client can resume it; see `Call.hangUp`. */
  readonly hangUp?: (() => void) | undefined;
  /** Sends a request to the client and resolves with its result; see `Connection.ask`. */
  readonly request?: ((request: ClientRequest, signal: AbortSignal) => Promise<unknown>) | undefined;
}
