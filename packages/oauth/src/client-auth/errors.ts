/**
 * @fileoverview Error for a client that cannot obtain an access token.
 * @module oauth/client-auth/errors
 */
import { printable } from "@tenon/internal/text";
import { isUrl } from "@tenon/internal/security/is-url";

/**
 * Reason for a `ClientAuthError`:
 *
 * - `insecure_url`: the MCP endpoint does not use https, and is not on this machine
 * - `discovery_failed`: the metadata of the server or its authorization server is missing or not valid
 * - `resource_mismatch`: the resource metadata belongs to a different server
 * - `issuer_mismatch`: the authorization server's metadata belongs to a different issuer
 * - `blocked_address`: a URL leads to a network that requests must not go to
 * - `pkce_unsupported`: the authorization server does not support PKCE with S256
 * - `client_unknown`: the client has no ID at the authorization server and cannot register
 * - `registration_failed`: the authorization server rejected the registration
 * - `browser_unavailable`: no browser could be opened
 * - `timeout`: the user did not sign in in time
 * - `invalid_callback`: the redirect does not belong to this sign-in
 * - `access_denied`: the user or the authorization server denied access
 * - `authorization_failed`: the authorization server responded with an error
 * - `insufficient_scope`: a token with the required scopes cannot be obtained
 * - `token_rejected`: the server rejects every new token
 * - `unavailable`: the authorization server cannot be reached
 * - `store_failed`: the tokens could not be stored
 */
export type ClientAuthErrorCode =
  | "insecure_url"
  | "discovery_failed"
  | "resource_mismatch"
  | "issuer_mismatch"
  | "blocked_address"
  | "pkce_unsupported"
  | "client_unknown"
  | "registration_failed"
  | "browser_unavailable"
  | "timeout"
  | "invalid_callback"
  | "access_denied"
  | "authorization_failed"
  | "insufficient_scope"
  | "token_rejected"
  | "unavailable"
  | "store_failed";

/** Error thrown if no access token can be obtained. Its message never contains tokens, codes, or secrets. */
export class ClientAuthError extends Error {
  override readonly name = "ClientAuthError";
  readonly code: ClientAuthErrorCode;
  /** Error code of the authorization server, such as `invalid_scope`. */
  readonly reason: string | undefined;

  constructor(code: ClientAuthErrorCode, message: string, reason?: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** Creates the error for an error code of an authorization server, or of this package's requests to it. */
export function toAuthError(reason: string, issuer: string): ClientAuthError {
  const server = showUrl(issuer);
  switch (reason) {
    case "access_denied":
      return new ClientAuthError("access_denied", `Access was denied by the user or by ${server}.`, reason);
    case "blocked_address":
      return new ClientAuthError(
        "blocked_address",
        `The request to ${server} was not sent, because its host has an address that is not allowed. ` +
          "If it is trusted, add its host name to `allowPrivateNetworks`.",
      );
    case "unreachable":
      return new ClientAuthError("unavailable", `${server} could not be reached. Try again later.`);
    default:
      return new ClientAuthError(
        "authorization_failed",
        `Authorization by ${server} failed (code: ${reason}).`,
        reason,
      );
  }
}

/** Formats a URL from a remote server for an error message: printable, at most 200 characters, without its query. */
export function showUrl(text: string): string {
  const [address = ""] = text.split(/[?#]/, 1);
  const plain = address.replace(/[^\x20-\x7e]/g, "?");
  return isUrl(plain) && plain.length <= 200 ? plain : printable(plain);
}
