/**
 * @fileoverview Refreshes access tokens. Concurrent callers for one account share a single request.
 * @module oauth/token-refresher
 */
import type { Ports } from "@tenon/internal/ports";
import type { Logger } from "tenon";
import { McpError } from "tenon/protocol";
import type { AccountBook } from "./account-book.js";
import type { OAuthClient } from "./login/oauth-client.js";
import type { CachedToken } from "./tokens/token-store.js";

/** Dependencies of `createTokenRefresher`. */
export interface TokenRefresherParts {
  readonly book: AccountBook;
  readonly client: OAuthClient;
  readonly ports: Pick<Ports, "now">;
  readonly logger: Logger;
  readonly service: string;
  /** Provider name for error messages. */
  readonly providerName: string;
}

/** Refreshes an account's token. Resolves with `undefined` if the user must sign in again. */
export type RefreshToken = (accountId: string, token: CachedToken) => Promise<CachedToken | undefined>;

/** A token is refreshed this many milliseconds before it expires, so that it is still valid when it reaches the API. */
const BUFFER_MS = 60_000;

/** Creates a refresher for one adapter. */
export function createTokenRefresher(parts: TokenRefresherParts): RefreshToken {
  const inFlight = new Map<string, Promise<CachedToken | undefined>>();
  return (accountId, token) => {
    const known = inFlight.get(accountId);
    if (known !== undefined) return known;
    const started = refresh(parts, accountId, token).finally(() => inFlight.delete(accountId));
    inFlight.set(accountId, started);
    return started;
  };
}

/** Returns true if a token can be used without a refresh. */
export function isFresh(token: CachedToken, now: number): boolean {
  return isValid(token, now + BUFFER_MS);
}

async function refresh(
  parts: TokenRefresherParts,
  accountId: string,
  seen: CachedToken,
): Promise<CachedToken | undefined> {
  const { book, client, ports, logger, service, providerName } = parts;
  // A different caller may have refreshed the token in the meantime.
  const token = (await book.token(accountId)) ?? seen;
  if (isFresh(token, ports.now())) return token;
  const { refreshToken } = token;
  if (refreshToken === undefined) return undefined;
  const outcome = await client.refresh({ ...token, refreshToken });
  if (outcome.ok) {
    await book.replace(accountId, outcome.token);
    logger.debug(`Refreshed an access token for ${service}.`);
    return outcome.token;
  }
  logger.warn(`Could not refresh an access token for ${service}: ${outcome.reason}.`);
  if (outcome.isRevoked) return afterRevocation(book, { accountId, revoked: token, now: ports.now() });
  if (isValid(token, ports.now())) return token;
  throw new McpError(
    "SERVICE_UNAVAILABLE",
    `Could not refresh the access token with ${providerName}: ${outcome.reason}. Try again later.`,
  );
}

interface Revocation {
  readonly accountId: string;
  readonly revoked: CachedToken;
  readonly now: number;
}

/** Returns the token if a different process has replaced the revoked one. Otherwise deletes the revoked token. */
async function afterRevocation(
  book: AccountBook,
  { accountId, revoked, now }: Revocation,
): Promise<CachedToken | undefined> {
  const current = await book.token(accountId);
  const isReplaced = current !== undefined && current.refreshToken !== revoked.refreshToken;
  if (isReplaced && isValid(current, now)) return current;
  await book.forget(accountId, revoked);
  return undefined;
}

function isValid(token: CachedToken, at: number): boolean {
  return token.expiresAt === undefined || token.expiresAt > at;
}
