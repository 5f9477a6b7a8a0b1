/**
 * @fileoverview Token requests of the authorization code flow, built on oauth4webapi.
 * @module oauth/login/token-requests
 */
import * as oauth from "oauth4webapi";
import type { CachedToken } from "../tokens/token-store.js";
import type { TokenResponse } from "./token-outcome.js";

/** Arguments for every oauth4webapi token request. */
export interface TokenClient {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly authentication: oauth.ClientAuth;
  readonly options: oauth.TokenEndpointRequestOptions;
}

/** Secrets that protect one login: the `state` parameter and the PKCE verifier. */
export interface LoginSecrets {
  readonly state: string;
  readonly verifier: string;
}

/** Parameters of a callback, and the secrets of the login that it completes. */
export interface Callback {
  readonly parameters: URLSearchParams;
  readonly redirectUri: string;
  readonly secrets: LoginSecrets;
}

/** Tokens that can be refreshed. */
export type RefreshableToken = CachedToken & { readonly refreshToken: string };

/** Creates the secrets for one login. */
export function createSecrets(): LoginSecrets {
  return { state: oauth.generateRandomState(), verifier: oauth.generateRandomCodeVerifier() };
}

/** Validates a callback, and exchanges its code for tokens. @throws errors that can contain tokens */
export async function exchangeCode(parties: TokenClient, callback: Callback): Promise<TokenResponse> {
  const { server, client, authentication, options } = parties;
  const { parameters, redirectUri, secrets } = callback;
  const valid = oauth.validateAuthResponse(server, client, parameters, secrets.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    valid,
    redirectUri,
    secrets.verifier,
    options,
  );
  return oauth.processAuthorizationCodeResponse(server, client, response);
}

/**
 * Refreshes a token. Keeps the refresh token and the scopes if the response does not contain new ones.
 *
 * @throws errors that can contain tokens
 */
export async function refreshToken(parties: TokenClient, token: RefreshableToken): Promise<TokenResponse> {
  const { server, client, authentication, options } = parties;
  const { refreshToken: current, scope } = token;
  const response = await oauth.refreshTokenGrantRequest(server, client, authentication, current, options);
  const refreshed = await oauth.processRefreshTokenResponse(server, client, response);
  return { refresh_token: current, ...(scope === undefined ? {} : { scope }), ...refreshed };
}
