/**
 * @fileoverview Requests for the authorization code flow with PKCE, built on oauth4webapi.
 * @module oauth/login/oauth-client
 */
import * as oauth from "oauth4webapi";
import { isJsonObject, readJson } from "@tenon/internal/json";
import type { Fetch } from "@tenon/internal/outgoing/fetch";
import type { Ports } from "@tenon/internal/ports";
import { isLoopbackHttp } from "@tenon/internal/security/loopback";
import type { OAuthFactoryConfig } from "../providers/config.js";
import type { OAuthProvider } from "../providers/provider.js";
import {
  createEndpointFetch,
  type ProviderFetchOptions,
  withoutIdTokens,
} from "../providers/provider-fetch.js";
import { Refusal, type TokenOutcome, type TokenResponse, toTokenOutcome } from "./token-outcome.js";
import {
  type Callback,
  createSecrets,
  exchangeCode,
  type LoginSecrets,
  type RefreshableToken,
  refreshToken,
  type TokenClient,
} from "./token-requests.js";

/** Parameters for the URL that the user opens. */
export interface AuthorizationRequest {
  readonly secrets: LoginSecrets;
  readonly redirectUri: string;
  /** Account to sign in to. */
  readonly hint: string | undefined;
  /** True if other accounts are already linked, so the provider must ask which one to use. */
  readonly isFurther: boolean;
}

/** Requests that one client sends to one provider. */
export interface OAuthClient {
  readonly createSecrets: () => LoginSecrets;
  readonly authorizationUrl: (request: AuthorizationRequest) => Promise<URL>;
  /** Exchanges the code in a callback's parameters for tokens. */
  readonly exchange: (
    parameters: URLSearchParams,
    redirectUri: string,
    secrets: LoginSecrets,
  ) => Promise<TokenOutcome>;
  /** Refreshes a token. Keeps the refresh token if the provider does not send a new one. */
  readonly refresh: (token: RefreshableToken) => Promise<TokenOutcome>;
  /** Reads the account's email address. Resolves to `undefined` if the provider does not return a valid one. */
  readonly readEmail: (accessToken: string) => Promise<string | undefined>;
}

/** Creates the requests for one client. */
export function createOAuthClient(
  config: OAuthFactoryConfig,
  provider: OAuthProvider,
  { ports, fetch }: { readonly ports: Ports; readonly fetch: Fetch | undefined },
): OAuthClient {
  const outgoing = { allowPrivateNetworks: config.allowPrivateNetworks, fetch, ports };
  const parties = toParties(config, provider, outgoing);
  const fetchUser = createEndpointFetch(provider.userEndpoint, outgoing);
  return {
    createSecrets,
    authorizationUrl: (request) => toAuthorizationUrl(config, provider, request),
    exchange: (parameters, redirectUri, secrets) =>
      toTokenOutcome(() => exchangeFor(provider, parties, { parameters, redirectUri, secrets }), ports.now),
    refresh: (token) => toTokenOutcome(() => refreshToken(parties, token), ports.now),
    readEmail: (accessToken) => readEmail(provider, accessToken, fetchUser),
  };
}

function toParties(
  { clientId, clientSecret }: OAuthFactoryConfig,
  provider: OAuthProvider,
  outgoing: ProviderFetchOptions,
): TokenClient {
  return {
    server: { issuer: provider.issuer, token_endpoint: provider.tokenEndpoint },
    client: { client_id: clientId },
    authentication: toAuthentication(provider, clientSecret),
    options: {
      [oauth.customFetch]: withoutIdTokens(createEndpointFetch(provider.tokenEndpoint, outgoing)),
      // Providers are validated, so an http endpoint is always on a loopback address.
      [oauth.allowInsecureRequests]: isLoopbackHttp(provider.tokenEndpoint),
    },
  };
}

function toAuthentication(provider: OAuthProvider, secret: string | undefined): oauth.ClientAuth {
  if (secret === undefined) return oauth.None();
  return provider.clientAuthentication === "client_secret_basic"
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret);
}

async function toAuthorizationUrl(
  { clientId, scope }: OAuthFactoryConfig,
  provider: OAuthProvider,
  request: AuthorizationRequest,
): Promise<URL> {
  const { secrets, redirectUri, hint, isFurther } = request;
  const url = new URL(provider.authorizationEndpoint);
  const parameters = {
    ...provider.authorizationParameters,
    ...(isFurther && hint === undefined ? provider.addAccountParameters : {}),
    ...(hint === undefined ? {} : { login_hint: hint }),
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: secrets.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(secrets.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** Exchanges the code for tokens. The `iss` parameter can be one of several issuers of the provider. */
async function exchangeFor(
  provider: OAuthProvider,
  parties: TokenClient,
  callback: Callback,
): Promise<TokenResponse> {
  const issuer = callback.parameters.get("iss");
  const isKnown = issuer === null || (provider.isIssuer?.(issuer) ?? issuer === provider.issuer);
  if (!isKnown) throw new Refusal("wrong_issuer");
  const server = issuer === null ? parties.server : { ...parties.server, issuer };
  return exchangeCode({ ...parties, server }, callback);
}

/** Accepted email addresses. An address becomes part of a store key and is shown to models, so the format is strict. */
const EMAIL = /^[^\s:@\p{Cc}\p{Cf}]{1,64}@[\p{L}\p{N}.-]{1,255}$/u;

async function readEmail(
  provider: OAuthProvider,
  accessToken: string,
  send: Fetch,
): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${accessToken}`, accept: "application/json" };
  try {
    const response = await send(provider.userEndpoint, { headers });
    const user = response.ok ? readJson(await response.text()) : undefined;
    if (!isJsonObject(user)) return undefined;
    const email = provider.readEmail === undefined ? user["email"] : provider.readEmail(user);
    return typeof email === "string" && EMAIL.test(email) ? email : undefined;
  } catch {
    return undefined;
  }
}
