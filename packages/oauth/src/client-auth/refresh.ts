/**
 * @fileoverview Refreshes the token of an endpoint. The caller makes sure that only one refresh runs at a time.
 * @module oauth/client-auth/refresh
 */
import type { EndpointState } from "./endpoint-state.js";
import { findKnownServer } from "./discovery/discover.js";
import { createGrants } from "./flow/grants.js";
import { createIdentities } from "./flow/identity.js";
import type { Records, TokenRecord } from "./records.js";
import type { ClientAuthSettings } from "./settings.js";

/**
 * Outcome of a refresh. After `revoked`, the user must sign in again. After `failed`, a later attempt may succeed;
 * `reason` is an error code.
 */
export type RefreshOutcome =
  | { readonly kind: "refreshed"; readonly record: TokenRecord }
  | { readonly kind: "revoked" }
  | { readonly kind: "failed"; readonly reason: string; readonly error?: Error };

/** Dependencies of a refresh. */
export interface RefreshParts {
  readonly settings: ClientAuthSettings;
  readonly records: Records;
  readonly state: EndpointState;
  readonly signal: AbortSignal;
}

/** A token is refreshed this many milliseconds before it expires, so that it is still valid when it arrives. */
const MARGIN_MS = 60_000;

/** Returns true if a token can be used without a refresh. Short-lived tokens are used for half of their lifetime. */
export function isFresh({ expiresAt, issuedAt }: TokenRecord, now: number): boolean {
  if (expiresAt === undefined) return true;
  return now < expiresAt - Math.min(MARGIN_MS, (expiresAt - issuedAt) / 2);
}

/** Returns true if a token has not expired. */
export function isValid({ expiresAt }: TokenRecord, now: number): boolean {
  return expiresAt === undefined || now < expiresAt;
}

/** Refreshes a token and stores the result. @throws if the authorization server's metadata cannot be fetched */
export async function refreshRecord(record: TokenRecord, parts: RefreshParts): Promise<RefreshOutcome> {
  const { settings, records, state, signal } = parts;
  const { refreshToken, issuer, isLegacy, resource } = record;
  if (refreshToken === undefined) return { kind: "revoked" };
  const endpoint = new URL(record.url);
  const known = state.server?.issuer === issuer ? state.server : undefined;
  const server = known ?? (await findKnownServer({ endpoint, issuer, isLegacy, signal }, settings));
  const client = createIdentities(settings, records, endpoint).ofToken(record, server);
  if (client === undefined) return revoke(record, parts);
  const issuedAt = settings.ports.now();
  const grants = createGrants(settings, { endpoint, server, client, resource });
  const outcome = await grants.refresh({ ...record, refreshToken });
  if (outcome.ok) {
    const refreshed: TokenRecord = { ...withoutToken(record), ...outcome.token, issuedAt };
    await records.writeToken(refreshed);
    settings.logger.debug(`Refreshed the access token for ${endpoint.origin}.`);
    return { kind: "refreshed", record: refreshed };
  }
  settings.logger.warn(`Could not refresh the access token for ${endpoint.origin}: ${outcome.reason}.`);
  // The metadata may have changed.
  state.server = undefined;
  if (outcome.reason === "invalid_client") await forgetRegistration(record, records);
  const isFinal = outcome.isRevoked || FINAL.has(outcome.reason);
  return isFinal ? revoke(record, parts) : { kind: "failed", reason: outcome.reason };
}

/** Error codes after which the same refresh token never succeeds. */
const FINAL: ReadonlySet<string> = new Set([
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
]);

/** Returns a record without the members that a token response replaces. */
function withoutToken(record: TokenRecord): TokenRecord {
  const { expiresAt: _expiresAt, ...rest } = record;
  return rest;
}

/** Returns the token that a different process stored in the meantime. Otherwise, drops the refresh token. */
async function revoke(record: TokenRecord, { records, settings }: RefreshParts): Promise<RefreshOutcome> {
  const current = await records.readToken(record.url);
  const isReplaced = current !== undefined && current.refreshToken !== record.refreshToken;
  if (isReplaced && isFresh(current, settings.ports.now())) return { kind: "refreshed", record: current };
  const { refreshToken: _refreshToken, ...rest } = record;
  // The record stays, because the next sign-in requests the same scopes.
  if (!isReplaced) await records.writeToken({ ...rest, expiresAt: 0 });
  return { kind: "revoked" };
}

async function forgetRegistration({ issuer, clientId }: TokenRecord, records: Records): Promise<void> {
  const current = await records.readRegistration(issuer);
  if (current?.clientId === clientId) await records.deleteRegistration(issuer);
}
