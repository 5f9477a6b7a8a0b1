/**
 * @fileoverview Interface between the HTTP transport and the code that obtains access tokens.
 * @module tenon/client/transports/authorization
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";

/** Rejection of a request because of its access token. */
export interface AuthChallenge {
  /** MCP endpoint that rejected the request. */
  readonly url: URL;
  /** HTTP status: 401, or 403 if the token lacks a scope. */
  readonly status: number;
  /** Value of the `WWW-Authenticate` header. */
  readonly header: string | undefined;
  /** Token that was sent with the rejected request. */
  readonly token: string | undefined;
  /** Aborts if the request is cancelled. */
  readonly signal: AbortSignal;
}

/** Obtains access tokens for a client. `createClientAuth` in `@tenon/oauth` implements it. */
export interface ClientAuthorization {
  /** Returns the access token for a request, or `undefined` to send none. */
  token(request: { readonly url: URL }): MaybePromise<string | undefined>;
  /**
   * Called after the server rejected a request with status 401, or with 403 and `insufficient_scope`. Resolves to true
   * if the request should be repeated with a new token.
   *
   * @throws if no token can be obtained
   */
  renew(challenge: AuthChallenge): Promise<boolean>;
}
