/**
 * @fileoverview Obtains a new token after a server has rejected a request: a token of a different process, a refresh, a
 * sign-in, or a token for the client itself.
 * @module oauth/client-auth/renewal
 */
import { printableLine } from "@tenon/internal/text";
import type { BearerChallenge } from "./discovery/bearer-challenge.js";
import { type Discovery, discover } from "./discovery/discover.js";
import { selectScopes } from "./discovery/scopes.js";
import type { EndpointState } from "./endpoint-state.js";
import { ClientAuthError, showUrl, toAuthError } from "./errors.js";
import { createGrants } from "./flow/grants.js";
import { createIdentities, unknownClient } from "./flow/identity.js";
import { type SignedIn, signIn } from "./flow/sign-in.js";
import type { Records, TokenRecord } from "./records.js";
import { isFresh, refreshRecord } from "./refresh.js";
import type { ClientAuthSettings } from "./settings.js";

/** Dependencies of a renewal. */
export interface RenewalParts {
  readonly settings: ClientAuthSettings;
  readonly records: Records;
  readonly state: EndpointState;
  readonly signal: AbortSignal;
}

/** Rejected request. */
export interface Rejection {
  readonly status: number;
  readonly bearer: BearerChallenge;
  /** Token that was sent with the request. */
  readonly token: string | undefined;
}

/** Maximum number of sign-ins for one endpoint in a period, and its length in milliseconds. Stops endless loops. */
const MAX_SIGN_INS = 5;
const PERIOD_MS = 5 * 60_000;
/** Time in milliseconds in which a rejected token counts as new. A second refresh would not help. */
const NEW_MS = 60_000;

/**
 * Obtains a new token for an endpoint. The caller makes sure that only one renewal runs at a time.
 *
 * @throws {ClientAuthError} if no token can be obtained
 */
export async function renewToken(
  url: string,
  challenge: Rejection,
  parts: RenewalParts,
): Promise<TokenRecord> {
  const { settings, records, state, signal } = parts;
  const { ports, clients } = settings;
  const endpoint = new URL(url);
  const current = await records.readToken(url);
  const isOther = current !== undefined && current.accessToken !== challenge.token;
  if (isOther && isFresh(current, ports.now())) return current;
  const { bearer } = challenge;
  const preferred = [
    ...clients.map(({ issuer }) => issuer),
    ...(current === undefined ? [] : [current.issuer]),
  ];
  const announced = bearer.resourceMetadata;
  const remembered = current?.metadataUrl;
  // Always from the start: the server may have moved to a different authorization server.
  const discovery = await discover({ endpoint, announced, remembered, preferred, signal }, settings);
  state.server = discovery.server;
  const previous = current?.issuer === discovery.server.issuer ? current : undefined;
  const isStepUp = challenge.status === 403;
  if (!isStepUp && previous !== undefined && !isRejectedRefresh(previous, challenge.token, ports.now())) {
    const outcome = await refreshRecord(previous, parts);
    if (outcome.kind === "refreshed") return outcome.record;
    if (outcome.kind === "failed") throw toAuthError(outcome.reason, previous.issuer);
  }
  const scopes = chooseScopes(settings, { bearer, discovery, previous });
  if (isStepUp) assertNewScopes({ bearer, discovery, previous }, ports.now());
  countSignIn(state, endpoint, ports.now());
  return obtain({ endpoint, discovery, scopes, metadataUrl: announced ?? remembered }, parts);
}

/** Returns true if the rejected token is the result of a recent refresh. */
function isRejectedRefresh(record: TokenRecord, rejected: string | undefined, now: number): boolean {
  const isRefreshed = record.issuedAt !== record.signedInAt;
  return record.accessToken === rejected && isRefreshed && now - record.issuedAt < NEW_MS;
}

interface ScopeContext {
  readonly bearer: BearerChallenge;
  readonly discovery: Discovery;
  /** Token that the same authorization server issued earlier. */
  readonly previous: TokenRecord | undefined;
}

function chooseScopes(settings: ClientAuthSettings, context: ScopeContext): readonly string[] {
  const { bearer, discovery, previous } = context;
  return selectScopes({
    challenged: bearer.scopes,
    resource: discovery.scopes,
    previous: previous === undefined ? [] : scopesOf(previous),
    extra: settings.scopes,
    server: discovery.server.scopes,
    wantsRefresh: settings.refreshTokens && !settings.clientCredentials,
  });
}

/** Returns the requested scopes. If the parameter was omitted, returns the scopes that the server granted. */
function scopesOf({ requested, scope }: TokenRecord): readonly string[] {
  return requested.length > 0 ? requested : (scope?.split(" ").filter((one) => one !== "") ?? []);
}

/** Asserts that a sign-in can lead to more scopes: a recent one did not already request them. */
function assertNewScopes({ bearer, discovery, previous }: ScopeContext, now: number): void {
  const required = bearer.scopes ?? discovery.scopes ?? [];
  const isRecent = previous !== undefined && now - previous.signedInAt < PERIOD_MS;
  const hasAll = isRecent && required.every((scope) => scopesOf(previous).includes(scope));
  if (required.length > 0 && !hasAll) return;
  const problem =
    required.length === 0
      ? "The server requires further scopes, but does not name them."
      : `The server requires these scopes: ${printableLine(required.join(" "))}. ` +
        "Another sign-in would not help, because the last one already requested them.";
  throw new ClientAuthError("insufficient_scope", problem);
}

/** Counts a sign-in. @throws if there were too many of them recently */
function countSignIn(state: EndpointState, endpoint: URL, now: number): void {
  const recent = state.signIns.filter((time) => now - time < PERIOD_MS);
  if (recent.length >= MAX_SIGN_INS) {
    throw new ClientAuthError(
      "token_rejected",
      `${showUrl(endpoint.href)} has rejected ${MAX_SIGN_INS} new access tokens in ${PERIOD_MS / 60_000} minutes. ` +
        "Check that the server accepts tokens of its authorization server.",
    );
  }
  state.signIns = [...recent, now];
}

interface ObtainRequest {
  readonly endpoint: URL;
  readonly discovery: Discovery;
  readonly scopes: readonly string[];
  /** URL of the resource metadata, if the server announced it. */
  readonly metadataUrl: string | undefined;
}

/** Obtains a token from the user or for the client itself, and stores it. */
async function obtain(request: ObtainRequest, parts: RenewalParts): Promise<TokenRecord> {
  const { settings, records, signal } = parts;
  const { endpoint, discovery, scopes, metadataUrl } = request;
  const { server, resource } = discovery;
  const url = endpoint.href;
  const obtained = settings.clientCredentials
    ? await requestOwn(request, parts)
    : await signIn({ ...request, signal }, settings, records).catch(async (error: unknown) => {
        // The earlier scopes may no longer exist. The next sign-in requests only those that the server asks for.
        const isScope = error instanceof ClientAuthError && error.reason === "invalid_scope";
        if (isScope) await records.deleteToken(url);
        throw error;
      });
  const { token, client } = obtained;
  const now = settings.ports.now();
  const record: TokenRecord = {
    ...token,
    url,
    resource,
    ...(metadataUrl === undefined ? {} : { metadataUrl }),
    issuer: server.issuer,
    isLegacy: server.isLegacy,
    clientId: client.clientId,
    ...(client.registration === undefined ? {} : { registration: client.registration }),
    requested: scopes,
    issuedAt: now,
    signedInAt: now,
  };
  await records.writeToken(record);
  settings.logger.info(`Obtained an access token for ${endpoint.origin}.`);
  return record;
}

async function requestOwn(
  { endpoint, discovery, scopes }: ObtainRequest,
  { settings, records }: RenewalParts,
): Promise<SignedIn> {
  const { server, resource } = discovery;
  const isKnown = settings.clients.some(({ issuer }) => issuer === server.issuer);
  const client = isKnown ? createIdentities(settings, records, endpoint).findFixed(server) : undefined;
  if (client === undefined) throw unknownClient(server, settings);
  const grants = createGrants(settings, { endpoint, server, client, resource });
  const outcome = await grants.requestOwn(scopes);
  if (!outcome.ok) throw toAuthError(outcome.reason, server.issuer);
  return { token: outcome.token, client };
}
