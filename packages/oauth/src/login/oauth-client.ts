/**
 * @fileoverview The requests of the authorization code flow with PKCE, on oauth4webapi. Its errors hold whole answers,
 * tokens included, so none of them leaves this file: what does is an outcome with a harmless word for the reason.
 * @module oauth/oauth-client
 */
import type * as oauth4webapi from "oauth4webapi";
import { isJsonObject, parseJson } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";
import type { OAuthFactoryConfig } from "../providers/config.js";
import { isLoopbackHttp } from "@tenon/internal/security/loopback";
import type { OAuthProvider } from "../providers/provider.js";
import { fetchBounded, fetchTokens } from "../providers/provider-fetch.js";
import type { CachedToken } from "../tokens/token-store.js";

type Library = typeof oauth4webapi;

/** What came of asking for tokens. `reason` is a word of a specification or ours, never the provider's text. */
export type TokenOutcome =
  | { readonly ok: true; readonly token: CachedToken }
  | { readonly ok: false; readonly isRevoked: boolean; readonly reason: string };

/** One login's secrets, which stay in this process. */
export interface LoginSecrets {
  readonly state: string;
  readonly verifier: string;
}

/** How the address is made that the user opens. */
export interface AuthorizationRequest {
  readonly secrets: LoginSecrets;
  readonly redirectUri: string;
  /** The account that is wanted. */
  readonly hint: string | undefined;
  /** Whether other accounts are linked, so that the provider must ask which one. */
  readonly isFurther: boolean;
}

/** The requests, for one client at one provider. */
export interface OAuthClient {
  readonly createSecrets: () => LoginSecrets;
  readonly authorizationUrl: (request: AuthorizationRequest) => Promise<URL>;
  /** Exchanges the code in a callback's parameters. */
  readonly exchange: (
    parameters: URLSearchParams,
    redirectUri: string,
    secrets: LoginSecrets,
  ) => Promise<TokenOutcome>;
  /** Refreshes, and keeps the refresh token where no new one comes. */
  readonly refresh: (token: CachedToken & { readonly refreshToken: string }) => Promise<TokenOutcome>;
  /** The email of the account that a token is for, or `undefined` where it is not told. */
  readonly readEmail: (accessToken: string) => Promise<string | undefined>;
}

/** Loads oauth4webapi, an optional peer. @throws saying how to install it */
async function loadLibrary(): Promise<Library> {
  try {
    return await import("oauth4webapi");
  } catch (cause) {
    throw new Error("tenon/oauth needs oauth4webapi: npm install oauth4webapi", { cause });
  }
}

/** Creates the requests for one client. @throws where oauth4webapi is not installed */
export async function createOAuthClient(
  config: OAuthFactoryConfig,
  provider: OAuthProvider,
  ports: Ports,
): Promise<OAuthClient> {
  const library = await loadLibrary();
  const { clientId, clientSecret, scope } = config;
  const server = { issuer: provider.issuer, token_endpoint: provider.tokenEndpoint };
  const client = { client_id: clientId };
  const authentication = clientAuthentication(library, provider, clientSecret);
  const options = {
    [library.customFetch]: fetchTokens,
    // The provider was checked: an address without TLS is on this machine.
    [library.allowInsecureRequests]: isLoopbackHttp(provider.tokenEndpoint),
  };

  const toOutcome = async (ask: () => Promise<TokenAnswer>): Promise<TokenOutcome> => {
    const asked = ports.now();
    try {
      return { ok: true, token: toToken(await ask(), asked) };
    } catch (error) {
      const reason = reasonOf(error);
      return { ok: false, isRevoked: reason === "invalid_grant", reason };
    }
  };

  return {
    createSecrets: () => ({
      state: library.generateRandomState(),
      verifier: library.generateRandomCodeVerifier(),
    }),
    async authorizationUrl({ secrets, redirectUri, hint, isFurther }) {
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
        code_challenge: await library.calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url;
    },
    exchange: (parameters, redirectUri, secrets) =>
      toOutcome(async () => {
        const issuer = parameters.get("iss");
        const isKnown = issuer === null || (provider.isIssuer?.(issuer) ?? issuer === provider.issuer);
        if (!isKnown) throw new Refusal("wrong_issuer");
        const as = issuer === null ? server : { ...server, issuer };
        const valid = library.validateAuthResponse(as, client, parameters, secrets.state);
        const response = await library.authorizationCodeGrantRequest(
          as,
          client,
          authentication,
          valid,
          redirectUri,
          secrets.verifier,
          options,
        );
        return library.processAuthorizationCodeResponse(as, client, response);
      }),
    refresh: ({ refreshToken, scope: granted }) =>
      toOutcome(async () => {
        const response = await library.refreshTokenGrantRequest(
          server,
          client,
          authentication,
          refreshToken,
          options,
        );
        const answer = await library.processRefreshTokenResponse(server, client, response);
        return {
          refresh_token: refreshToken,
          ...(granted === undefined ? {} : { scope: granted }),
          ...answer,
        };
      }),
    async readEmail(accessToken) {
      const headers = { authorization: `Bearer ${accessToken}`, accept: "application/json" };
      try {
        const response = await fetchBounded(provider.userEndpoint, { headers });
        const user = response.ok ? parseJson(await response.text()) : undefined;
        if (!isJsonObject(user)) return undefined;
        const email = provider.readEmail === undefined ? user["email"] : provider.readEmail(user);
        return typeof email === "string" && EMAIL.test(email) ? email : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** An email becomes part of a key and is shown to models: nothing else may stand in for one. */
const EMAIL = /^[^\s:@\p{Cc}\p{Cf}]{1,64}@[\p{L}\p{N}.-]{1,255}$/u;

/** The members of a token answer that are used. */
interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
  readonly scope?: string;
}

function toToken(answer: TokenAnswer, asked: number): CachedToken {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, scope } = answer;
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(seconds === undefined ? {} : { expiresAt: asked + seconds * 1_000 }),
    ...(scope === undefined ? {} : { scope }),
  };
}

function clientAuthentication(library: Library, provider: OAuthProvider, secret: string | undefined) {
  if (secret === undefined) return library.None();
  return provider.clientAuthentication === "client_secret_basic"
    ? library.ClientSecretBasic(secret)
    : library.ClientSecretPost(secret);
}

/** A refusal of our own, with its word. */
class Refusal extends Error {
  readonly error: string;

  constructor(word: string) {
    super(word);
    this.error = word;
  }
}

/** The words of RFC 6749 and OpenID Connect that may be repeated. */
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
  // oauth4webapi marks what it found wrong with an answer; all else is the network's.
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && code.startsWith("OAUTH_") ? "invalid_answer" : "unreachable";
}
