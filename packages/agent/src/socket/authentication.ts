/**
 * @fileoverview Authentication of one connection. Until the client is known, only its token is accepted.
 * @module agent/socket/authentication
 */
import type { Logger } from "tenon";
import type { CredentialLifetime } from "tenon/fetch";
import { USER_MESSAGES } from "../messages/built-in-messages.js";
import { compileFrameCheck, type FrameCheck } from "../messages/frames.js";
import type { Credentials } from "../users/credentials.js";
import type { Identification, Identify } from "../users/identify.js";
import { hasEnded, onTokenEnd } from "../users/lifetime.js";
import type { ConnectionRequest } from "../users/user.js";
import { type SocketConnection, TRY_AGAIN_LATER } from "./socket-connection.js";

/** Dependencies and limits for `Authentication`. */
export interface AuthenticationParts {
  readonly connection: SocketConnection;
  readonly request: ConnectionRequest;
  readonly identify: Identify;
  readonly readToken: ReadToken;
  /** Maximum time until the client is known, in milliseconds. */
  readonly timeout: number;
  readonly logger: Logger | undefined;
  /** Called when the client is known. */
  readonly onAccepted: () => void;
  /** Called when the connection no longer waits for authentication: its client is known, rejected, or gone. */
  readonly onSettled: () => void;
}

/** Returns the token in the text of an `authenticate` frame, or `undefined` if the frame is a different one. */
export type ReadToken = (text: string) => Promise<string | undefined>;

/**
 * Creates the function that reads tokens. It does not use the schemas of other messages: those of the application may be
 * slow or have side effects, and the client is not known yet.
 */
export function createReadToken(): ReadToken {
  const [authenticate] = USER_MESSAGES;
  const check = compileFrameCheck([authenticate]);
  return async (text) => {
    const checked = await check(text);
    if (!checked.ok) return undefined;
    const { token } = checked.frame.data as { readonly token: string }; // Safe: validated against the schema of `authenticate`
    return token;
  };
}

/** Authenticates a connection: with the token in its headers, or with its first message. */
export class Authentication {
  readonly #parts: AuthenticationParts;
  #state: "waiting" | "verifying" | "accepted" | "ended" = "waiting";
  /** Resolves when the current verification has ended. */
  #verification: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #lifetime: CredentialLifetime = {};
  #stopWatching: (() => void) | undefined;
  #bytes = 0;
  #end: () => void = () => undefined;
  /** Resolves when the connection is rejected or closed, because a verification may never end. */
  readonly #ended = new Promise<undefined>((resolve) => {
    this.#end = () => resolve(undefined);
  });

  constructor(parts: AuthenticationParts) {
    this.#parts = parts;
  }

  /** True while the client has not sent a token. */
  get isWaiting(): boolean {
    return this.#state === "waiting";
  }

  /** Closes the connection, because others need its place. */
  giveWay(): void {
    this.#reject(TRY_AGAIN_LATER, TOO_MANY);
  }

  /** Starts the timeout, and verifies the token in the request's headers. */
  begin(credentials: Credentials): void {
    this.#timer = setTimeout(() => this.#timeOut(), this.#parts.timeout);
    this.#timer.unref();
    if (credentials.kind === "invalid") this.#reject(NOT_AUTHENTICATED, NOT_VALID);
    else this.#verification = this.#verify(credentials.kind === "token" ? credentials.token : undefined);
  }

  /**
   * Checks the text of a frame. Frames wait while a token is verified. Returns `undefined` for the frame with the token,
   * and for frames of a client that was rejected or whose token has ended.
   */
  async check(text: string, check: (text: string) => Promise<FrameCheck>): Promise<FrameCheck | undefined> {
    await this.#verification;
    if (this.#state === "ended") return undefined;
    if (this.#state === "accepted") {
      const checked = await check(text);
      // The token may have ended during the check, or after the client has disconnected.
      return this.#hasEnded() || hasEnded(this.#lifetime) ? undefined : checked;
    }
    const token = await this.#parts.readToken(text);
    if (token === undefined) this.#reject(NOT_AUTHENTICATED, TOKEN_REQUIRED);
    else {
      this.#verification = this.#verify(token);
      await this.#verification;
    }
    return undefined;
  }

  /** Counts received bytes. Clients that are not known yet can send little more than a token. */
  count(bytes: number): void {
    if (this.#state === "accepted") return;
    this.#bytes += bytes;
    if (this.#bytes > 2 * MAX_BYTES) this.#parts.connection.terminate();
    else if (this.#bytes > MAX_BYTES && this.#state === "waiting")
      this.#reject(NOT_AUTHENTICATED, TOKEN_REQUIRED);
  }

  /** Stops all timers. Called when the connection has closed. */
  close(): void {
    // The remaining messages of a known client are still handled.
    if (this.#state !== "accepted") this.#settle("ended");
    this.#stopWatching?.();
  }

  async #verify(token: string | undefined): Promise<void> {
    const { connection, identify, request } = this.#parts;
    if (this.#state !== "waiting") return;
    this.#state = "verifying";
    // Messages that follow the token stay in the network's buffers.
    connection.pause();
    const found = await Promise.race([identify(token, request), this.#ended]);
    if (found === undefined || this.#hasEnded()) return;
    if (found.kind === "accepted") this.#accept(found);
    else if (token === undefined) this.#state = "waiting";
    else if (found.kind === "rejected") this.#reject(NOT_AUTHENTICATED, NOT_VALID);
    else this.#reject(TRY_AGAIN_LATER, UNAVAILABLE);
    connection.resume();
  }

  #accept({ user, lifetime }: Identification & { readonly kind: "accepted" }): void {
    const { connection, onAccepted } = this.#parts;
    this.#settle("accepted");
    this.#lifetime = lifetime;
    connection.user = user;
    onAccepted();
    // Messages that arrive until the client has closed the connection too are not handled.
    this.#stopWatching = onTokenEnd(lifetime, () => this.#reject(NOT_AUTHENTICATED, ENDED));
  }

  #timeOut(): void {
    if (this.#state === "verifying") this.#reject(TRY_AGAIN_LATER, UNAVAILABLE);
    else this.#reject(NOT_AUTHENTICATED, TIMED_OUT);
  }

  #reject(code: number, reason: string): void {
    if (this.#hasEnded()) return;
    const { connection, logger } = this.#parts;
    this.#settle("ended");
    logger?.info(`agent: connection ${connection.id} was rejected: ${reason}`);
    connection.reject(code, reason);
  }

  #hasEnded(): boolean {
    return this.#state === "ended";
  }

  #settle(state: "accepted" | "ended"): void {
    const wasPending = this.#state === "waiting" || this.#state === "verifying";
    this.#state = state;
    clearTimeout(this.#timer);
    if (state === "ended") this.#end();
    if (wasPending) this.#parts.onSettled();
  }
}

/** Close code for a client without a valid token. The number is that of the HTTP status, plus 4,000. */
const NOT_AUTHENTICATED = 4401;

const TOKEN_REQUIRED = "A token is required. Send it in an `authenticate` message first.";
const NOT_VALID = "The token is not valid.";
const TIMED_OUT = "A token is required. The client did not send one in time.";
const UNAVAILABLE = "The token cannot be verified right now. Try again later.";
const TOO_MANY = "Too many clients have not sent a token. Try again later.";
const ENDED = "The token is no longer valid. Connect again with a new one.";

/** Number of bytes that a client can send before it is known. An `authenticate` message fits. */
const MAX_BYTES = 131_072;
