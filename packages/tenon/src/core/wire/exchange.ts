/**
 * @fileoverview What a wire tells the core about one message, besides the message.
 * @module core/exchange
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { HeaderReader, JsonRpcNotification } from "../../protocol/index.js";
import type { ClientRequest } from "./caller.js";
import type { Connection } from "./connection.js";

/** Who is calling, as the transport's authorization found out. */
export interface Auth {
  /** One name for one caller: what belongs to it is found under this name, and no other. */
  readonly principal: string;
  readonly scopes: readonly string[];
  /** The client that was given the token. */
  readonly clientId?: string | undefined;
  /** The user it acts for. */
  readonly subject?: string | undefined;
  /** When this ends, in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

/** The wire's side of one message. */
export interface Exchange {
  readonly connection: Connection;
  /** Absent where no authorization is in place; then every tool is open. */
  readonly auth?: Auth | undefined;
  /** Request headers, where the wire has any. */
  readonly header?: HeaderReader | undefined;
  /** Aborts when the client is gone. A wire may make it on first use: most calls end without a look at it. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the client is gone already, where that can be told without a signal. */
  readonly isGone?: boolean | undefined;
  /** Length of the message, in characters or bytes, where the transport knows it: limits the memory of all calls. */
  readonly messageLength?: number | undefined;
  /** Sends a notification ahead of the reply. */
  readonly notify?: ((notification: JsonRpcNotification) => MaybePromise<void>) | undefined;
  /** Ends the stream that carries this call, where a client can come back for the rest; see `Call.hangUp`. */
  readonly hangUp?: (() => void) | undefined;
  /** Asks the client and resolves with its result; see `Connection.ask`. */
  readonly request?: ((request: ClientRequest, signal: AbortSignal) => Promise<unknown>) | undefined;
}
