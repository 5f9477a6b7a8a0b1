/**
 * @fileoverview Outcomes of token requests. Errors from oauth4webapi contain whole responses, including tokens, so an
 * outcome contains only an error code.
 * @module oauth/login/token-outcome
 */
import { BLOCKED_DESTINATION } from "@tenon/internal/outgoing/guarded-fetch";
import { codeOf } from "@tenon/internal/thrown";
import type { CachedToken } from "../tokens/token-store.js";

/** Outcome of a token request. `reason` is an error code known to this package, never text from the provider. */
export type TokenOutcome =
  | { readonly ok: true; readonly token: CachedToken }
  | { readonly ok: false; readonly isRevoked: boolean; readonly reason: string };

/** Token response members that this package uses. */
export interface TokenResponse {
  readonly access_token: string;
  /** Type in lowercase, such as `bearer`. */
  readonly token_type: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
  readonly scope?: string;
}

/** Sends a token request and converts its response or error to an outcome. Never throws. */
export async function toTokenOutcome(
  request: () => Promise<TokenResponse>,
  now: () => number,
): Promise<TokenOutcome> {
  const requestedAt = now();
  try {
    return { ok: true, token: toToken(await request(), requestedAt) };
  } catch (error) {
    const reason = reasonOf(error);
    return { ok: false, isRevoked: reason === "invalid_grant", reason };
  }
}

/** Rejection of a callback or a token by this package. */
export class Refusal extends Error {
  /** Error code, in the same member as in oauth4webapi errors. */
  readonly error: string;

  constructor(word: string) {
    super(word);
    this.error = word;
  }
}

function toToken(response: TokenResponse, requestedAt: number): CachedToken {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, scope } = response;
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(seconds === undefined ? {} : { expiresAt: requestedAt + seconds * 1_000 }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** Error codes that are safe to repeat: those in RFC 6749 and OpenID Connect, and this package's own. */
const KNOWN = new Set([
  "wrong_issuer",
  "wrong_token_type",
  "access_denied",
  "consent_required",
  "interaction_required",
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
  "invalid_target",
  "login_required",
  "server_error",
  "temporarily_unavailable",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
]);

function reasonOf(error: unknown): string {
  const word: unknown = error instanceof Error && "error" in error ? error.error : undefined;
  if (typeof word === "string" && KNOWN.has(word)) return word;
  // oauth4webapi sets a code for invalid responses. Any other error is a network failure.
  const code = codeOf(error);
  if (code === BLOCKED_DESTINATION) return "blocked_address";
  return typeof code === "string" && code.startsWith("OAUTH_") ? "invalid_response" : "unreachable";
}
