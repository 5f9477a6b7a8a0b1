/**
 * @fileoverview Outcomes of token requests. The errors of oauth4webapi hold whole responses, tokens included, so an
 * outcome carries a known word for the reason instead of the error.
 * @module oauth/token-outcome
 */
import type { CachedToken } from "../tokens/token-store.js";

/** Outcome of a token request. `reason` is a word of a specification or ours, never text of the provider. */
export type TokenOutcome =
  | { readonly ok: true; readonly token: CachedToken }
  | { readonly ok: false; readonly isRevoked: boolean; readonly reason: string };

/** Members of a token response that are used. */
export interface TokenResponse {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
  readonly scope?: string;
}

/** Sends a token request and converts its response, or its error, to an outcome. Never throws. */
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

/** A refusal of our own, with a word for its reason. */
export class Refusal extends Error {
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

/** Words of RFC 6749 and OpenID Connect that may be repeated. */
const KNOWN = new Set([
  "wrong_issuer",
  "access_denied",
  "consent_required",
  "interaction_required",
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
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
  // oauth4webapi marks what it found wrong with a response; everything else is a network failure.
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && code.startsWith("OAUTH_") ? "invalid_answer" : "unreachable";
}
