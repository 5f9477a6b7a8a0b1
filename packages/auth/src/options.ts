/**
 * @fileoverview Options for every authorization mode.
 * @module auth/options
 */
import type { Auth } from "tenon";
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Fetch } from "@tenon/internal/outgoing/fetch";
import type { Ports } from "@tenon/internal/ports";
import type { TokenProblem } from "./tokens/problems.js";

/** Event for the operator. Events never contain tokens, claims, or text from a client. */
export type AuthorizationEvent =
  /** A request was rejected. */
  | { readonly type: "refused"; readonly reason: TokenProblem | "missing" | "scope" | "unavailable" }
  /**
   * The issuer's keys could not be fetched. Keys fetched earlier stay in use for up to a day. The message says why, for
   * example that the key URL leads to a private address. It contains no text from the issuer.
   */
  | { readonly type: "keys-failed"; readonly message: string }
  /** A token could not be verified because of an unexpected error. The request fails with an internal error. */
  | { readonly type: "failed"; readonly error: unknown };

/** Options shared by the modes that verify tokens. */
export interface TokenOptions {
  /**
   * Scopes required for every request. A tool declares its own scopes in its definition.
   * @default []
   */
  readonly requiredScopes?: readonly string[];
  /** Name of the protection space (RFC 9110), sent in challenges. */
  readonly realm?: string;
  /**
   * Allowed clock difference between issuer and server, from 0 to 300 seconds.
   * @default 5
   */
  readonly clockSkewSeconds?: number;
  /** Maximum token age in seconds, counted from `iat`, which is then required. @default no limit */
  readonly maxTokenAgeSeconds?: number;
  /**
   * Time to cache a verified token, in milliseconds. Expired tokens are never accepted. 0 disables the cache.
   * @default 60000
   */
  readonly cacheMs?: number;
  /**
   * Returns a signal that aborts when the token is revoked. Called for every request with a valid token. When the
   * signal aborts, the caller's event streams end. If it has aborted already, the request is rejected with 401.
   * @default tokens are valid until they expire
   */
  readonly revocation?: (auth: Auth, claims: JsonObject) => MaybePromise<AbortSignal | undefined>;
  /** Called for every rejected request and every failure. Must not throw. */
  readonly onEvent?: (event: AuthorizationEvent) => void;
  /** Clock and timers, for tests. */
  readonly ports?: Partial<Ports>;
}

/** No authorization: every tool is open to everyone. */
export interface OpenOptions {
  readonly mode: "none";
}

/** Tokens signed with a secret shared by issuer and server (HS256). */
export interface JwtOptions extends TokenOptions {
  readonly mode: "jwt";
  /** Shared secret, at least 32 bytes. */
  readonly secretKey: string | Uint8Array;
  /** Required `iss` claim. @default any issuer */
  readonly issuer?: string;
  /** Accepted `aud` claims. @default any audience */
  readonly audience?: string | readonly string[];
}

/** Tokens signed with keys that an OAuth authorization server publishes. */
export interface OAuthOptions extends TokenOptions {
  readonly mode: "oauth";
  /** The authorization server's issuer identifier, exactly as in its `iss` claim. */
  readonly issuer: string;
  /** The MCP server's canonical URL: the required audience (RFC 8707) and the resource in its metadata (RFC 9728). */
  readonly resource?: string;
  /** Accepted audience, if it is not the resource URL. Either `resource` or `audience` is required. */
  readonly audience?: string | readonly string[];
  /** Key URL. @default the one in the issuer's metadata, or `/.well-known/jwks.json` under the issuer */
  readonly jwksUri?: string;
  /**
   * Reads the key URL from the issuer's metadata.
   * @default true
   */
  readonly discover?: boolean;
  /** Accepted signature algorithms, all asymmetric. @default `OAUTH_ALGORITHMS` */
  readonly algorithms?: readonly OAuthAlgorithm[];
  /** Scopes listed in the resource metadata. */
  readonly scopesSupported?: readonly string[];
  /** Human-readable server name in the resource metadata. */
  readonly resourceName?: string;
  /**
   * Minimum time between two key fetches, in milliseconds.
   * @default 10000
   */
  readonly cooldownMs?: number;
  /**
   * Time for which known keys stay in use without waiting for the issuer, in milliseconds. It starts when the keys are
   * ten minutes old. New keys are fetched in the background.
   * @default 3600000
   */
  readonly keyGraceMs?: number;
  /**
   * Allows metadata and keys outside the public internet. `true` allows private addresses such as 10.0.0.5. A list of
   * host names also allows these hosts to be on this machine. An `issuer` or `jwksUri` whose host is itself a loopback
   * or private address does not need this option.
   * @default false
   */
  readonly allowPrivateNetworks?: boolean | readonly string[];
  /**
   * Fetches metadata and keys. On Node.js, the default resolves each host once, checks its addresses, and connects only
   * to them. With your own function, only addresses in URLs are checked.
   * @default the runtime's own requests
   */
  readonly fetch?: Fetch;
}

/** Accepts every request as the same fixed client. Allowed only in development and tests. */
export interface DevelopmentOptions {
  readonly mode: "development";
  /** Value of `NODE_ENV`. Required, so that the bypass cannot be enabled by accident in production. */
  readonly nodeEnv: string | undefined;
  /** @default "dev-client-id" */
  readonly clientId?: string;
  /** @default ["dev-scope"] */
  readonly scopes?: readonly string[];
}

/** Options for `createAuthorization`, by mode. */
export type AuthorizationOptions = OpenOptions | JwtOptions | OAuthOptions | DevelopmentOptions;

/** Supported signature algorithms, all asymmetric, most recommended first. */
export const OAUTH_ALGORITHMS = [
  "RS256",
  "PS256",
  "ES256",
  "EdDSA",
  "Ed25519",
  "RS384",
  "RS512",
  "PS384",
  "PS512",
  "ES384",
  "ES512",
] as const;

/** A supported signature algorithm. */
export type OAuthAlgorithm = (typeof OAUTH_ALGORITHMS)[number];
