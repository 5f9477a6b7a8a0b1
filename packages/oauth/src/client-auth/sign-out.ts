/**
 * @fileoverview Deletes the token of an endpoint, and revokes it at the authorization server.
 * @module oauth/client-auth/sign-out
 */
import { findKnownServer } from "./discovery/discover.js";
import { createGrants } from "./flow/grants.js";
import { createIdentities } from "./flow/identity.js";
import type { Records, TokenRecord } from "./records.js";
import type { ClientAuthSettings } from "./settings.js";

/** Dependencies of a sign-out. */
export interface SignOutParts {
  readonly settings: ClientAuthSettings;
  readonly records: Records;
  readonly signal: AbortSignal;
}

/** Deletes the token and the registration of its client. Does not fail if the token cannot be revoked. */
export async function revokeToken(url: string, parts: SignOutParts): Promise<void> {
  const { settings, records } = parts;
  const record = await records.readToken(url);
  if (record === undefined) return;
  await records.deleteToken(url);
  await records.deleteRegistration(record.issuer);
  const isRevoked = await revokeAtServer(record, parts).catch(() => false);
  const result = isRevoked ? "Revoked" : "Deleted";
  settings.logger.info(`${result} the access token for ${new URL(url).origin}.`);
}

/** Revokes the refresh token, and with it the access token. */
async function revokeAtServer(
  record: TokenRecord,
  { settings, records, signal }: SignOutParts,
): Promise<boolean> {
  const { issuer, isLegacy, resource, refreshToken, accessToken } = record;
  const endpoint = new URL(record.url);
  const server = await findKnownServer({ endpoint, issuer, isLegacy, signal }, settings);
  const client = createIdentities(settings, records, endpoint).ofToken(record, server);
  if (client === undefined || server.issuer !== issuer) return false;
  return createGrants(settings, { endpoint, server, client, resource }).revoke(refreshToken ?? accessToken);
}
