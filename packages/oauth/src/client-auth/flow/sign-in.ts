/**
 * @fileoverview Authorization code flow with PKCE: the user signs in, and the code is exchanged for tokens.
 * @module oauth/client-auth/flow/sign-in
 */
import * as oauth from "oauth4webapi";
import { LOGIN_MS } from "../../login/login.js";
import { createSecrets, type LoginSecrets } from "../../login/token-requests.js";
import type { CachedToken } from "../../tokens/token-store.js";
import type { Discovery } from "../discovery/discover.js";
import { asksForRefresh } from "../discovery/scopes.js";
import { ClientAuthError, showUrl, toAuthError } from "../errors.js";
import type { Records, Registration } from "../records.js";
import type { ClientAuthSettings } from "../settings.js";
import { checkCallback } from "./check-callback.js";
import { createGrants } from "./grants.js";
import { type ClientIdentity, createIdentities, type Identities } from "./identity.js";
import { openRedirect, type Redirect } from "./redirect.js";

/** Parameters of a sign-in. */
export interface SignInRequest {
  readonly endpoint: URL;
  readonly discovery: Discovery;
  /** Scopes to request. Empty to omit the parameter. */
  readonly scopes: readonly string[];
  readonly signal: AbortSignal;
}

/** Tokens of a sign-in, and the client that they were issued to. */
export interface SignedIn {
  readonly token: CachedToken;
  readonly client: ClientIdentity;
}

/** Lets the user sign in. @throws {ClientAuthError} if the sign-in fails */
export async function signIn(
  request: SignInRequest,
  settings: ClientAuthSettings,
  records: Records,
): Promise<SignedIn> {
  const { server } = request.discovery;
  assertUsable(request.discovery);
  const identities = createIdentities(settings, records, request.endpoint);
  const flow: Flow = { request, settings, identities };
  const stored = await identities.findRegistration(server);
  const first = await attempt(flow, stored).catch(async (error: unknown) => {
    // The server does not redirect a client that it no longer knows, so that a sign-in without a callback is the only
    // sign of it. The next sign-in registers the client again.
    const isSilent = error instanceof ClientAuthError && error.code === "timeout";
    if (isSilent && stored !== undefined) await records.deleteRegistration(server.issuer);
    throw error;
  });
  if (first.ok) return first;
  const isForgotten = first.reason === "invalid_client" && stored !== undefined;
  if (!isForgotten) throw toAuthError(first.reason, server.issuer);
  await records.deleteRegistration(server.issuer);
  const second = await attempt(flow, undefined);
  if (second.ok) return second;
  throw toAuthError(second.reason, server.issuer);
}

/** Requires PKCE, without which another program could use an intercepted code. */
function assertUsable({ server }: Discovery): void {
  if (server.authorizationEndpoint === undefined) {
    throw new ClientAuthError(
      "discovery_failed",
      `The metadata of ${showUrl(server.issuer)} has no \`authorization_endpoint\`.`,
    );
  }
  if (server.hasPkce) return;
  throw new ClientAuthError(
    "pkce_unsupported",
    `The authorization server ${showUrl(server.issuer)} must support PKCE: its metadata does not list "S256" in ` +
      "`code_challenge_methods_supported`.",
  );
}

interface Flow {
  readonly request: SignInRequest;
  readonly settings: ClientAuthSettings;
  readonly identities: Identities;
}

type Attempt = ({ readonly ok: true } & SignedIn) | { readonly ok: false; readonly reason: string };

/** Runs the flow once. @throws if it ends before the token request */
async function attempt(flow: Flow, stored: Registration | undefined): Promise<Attempt> {
  const { request, settings, identities } = flow;
  const { endpoint, discovery } = request;
  const { server, resource } = discovery;
  const secrets = createSecrets();
  const redirect = await openRedirect(settings, { state: secrets.state, earlier: stored?.redirectUri });
  let isSignedIn = false;
  try {
    const { signal } = request;
    const client = await identities.obtain({ server, redirectUri: redirect.uri, stored, signal });
    const url = await toAuthorizationUrl(request, client, { secrets, redirectUri: redirect.uri });
    const callback = await receive(flow, redirect, url);
    const check = checkCallback(callback, { redirectUri: redirect.uri, state: secrets.state, server });
    if (!check.ok)
      throw new ClientAuthError("invalid_callback", `The sign-in was stopped, because ${check.problem}.`);
    const grants = createGrants(settings, { endpoint, server, client, resource });
    const { parameters } = check;
    const outcome = await grants.exchange({ parameters, redirectUri: redirect.uri, secrets });
    isSignedIn = outcome.ok;
    return outcome.ok ? { ok: true, token: outcome.token, client } : outcome;
  } finally {
    redirect.close(isSignedIn);
  }
}

/** Waits for the user, for at most five minutes. */
async function receive({ request, settings }: Flow, redirect: Redirect, url: URL): Promise<URL> {
  const limit = new AbortController();
  const stopTimer = settings.ports.startTimer(
    () => limit.abort(new ClientAuthError("timeout", "The sign-in timed out after 5 minutes. Try again.")),
    LOGIN_MS,
  );
  try {
    return await redirect.receive(url, AbortSignal.any([request.signal, limit.signal]));
  } finally {
    stopTimer();
  }
}

async function toAuthorizationUrl(
  { discovery, scopes }: SignInRequest,
  { clientId }: ClientIdentity,
  { secrets, redirectUri }: { readonly secrets: LoginSecrets; readonly redirectUri: string },
): Promise<URL> {
  const { server, resource } = discovery;
  const url = new URL(server.authorizationEndpoint ?? "");
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state: secrets.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(secrets.verifier),
    code_challenge_method: "S256",
    resource,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
    // OpenID Connect: a server ignores the request for a refresh token unless it asks the user for consent.
    ...(asksForRefresh(scopes) ? { prompt: "consent" } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}
