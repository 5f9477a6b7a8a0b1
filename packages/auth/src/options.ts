/**
 * @fileoverview Options of every authorization mode, and the check that reports all invalid options together.
 * @module auth/options
 */
import type { Ports } from "@tenon/internal/ports";
import { McpError } from "tenon/protocol";
import { isSafeAddress } from "./addresses.js";
import { isQuotable } from "./tokens/challenge.js";
import type { Fetch } from "./fetch-json.js";
import type { TokenProblem } from "./tokens/problems.js";
import { isScope } from "./tokens/scopes.js";

/** An event for the operator. Events never contain tokens, claims or text from a client. */
export type AuthorizationEvent =
  | { readonly type: "refused"; readonly reason: TokenProblem | "missing" | "scope" | "unavailable" }
  /** Fetching the issuer's keys failed. Keys fetched earlier stay in use for up to a day. */
  | { readonly type: "keys-failed" }
  /** An unexpected error while a token was verified. */
  | { readonly type: "failed"; readonly error: unknown };

/** Options shared by the modes that verify tokens. */
export interface TokenOptions {
  /**
   * Scopes that every request needs. The scopes of a single tool are declared on the tool.
   * @default []
   */
  readonly requiredScopes?: readonly string[];
  /** Name of the protection space, sent in challenges. */
  readonly realm?: string;
  /**
   * Allowed clock difference between issuer and server in seconds, at most 300.
   * @default 5
   */
  readonly clockSkewSeconds?: number;
  /** Rejects tokens issued longer ago than this, even if they have not expired. Tokens must then have `iat`. */
  readonly maxTokenAgeSeconds?: number;
  /**
   * Milliseconds for which a verified token is cached, at most until it expires. 0 verifies every request.
   * @default 60000
   */
  readonly cacheMs?: number;
  /** Called on refusals and failures. It must not throw. */
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
  /** Accepted `iss` claim. @default any */
  readonly issuer?: string;
  /** Accepted `aud` claims. @default any */
  readonly audience?: string | readonly string[];
}

/** Tokens from an OAuth authorization server, signed with keys that it publishes. */
export interface OAuthOptions extends TokenOptions {
  readonly mode: "oauth";
  /** Issuer identifier of the authorization server, exactly as in its `iss` claim. */
  readonly issuer: string;
  /** Canonical URL of the server: the required audience (RFC 8707), and the resource in the metadata (RFC 9728). */
  readonly resource?: string;
  /** Accepted audience if it is not the URL of the resource. Either `resource` or `audience` is required. */
  readonly audience?: string | readonly string[];
  /** URL of the keys. @default the one in the issuer's metadata, or `/.well-known/jwks.json` under the issuer */
  readonly jwksUri?: string;
  /**
   * Reads the URL of the keys from the issuer's metadata.
   * @default true
   */
  readonly discover?: boolean;
  /** Accepted signature algorithms, all asymmetric. @default `OAUTH_ALGORITHMS` */
  readonly algorithms?: readonly OAuthAlgorithm[];
  /** Scopes listed in the resource metadata. */
  readonly scopesSupported?: readonly string[];
  /** Human-readable name of the server. */
  readonly resourceName?: string;
  /**
   * Minimum time between two fetches of the keys, in milliseconds.
   * @default 10000
   */
  readonly cooldownMs?: number;
  /** Fetches metadata and keys. @default the global `fetch` */
  readonly fetch?: Fetch;
}

/** Lets every request in as one fixed client. Only allowed in development and tests. */
export interface DevelopmentOptions {
  readonly mode: "development";
  /** Value of `NODE_ENV`. Required, so that the bypass cannot be enabled in production by accident. */
  readonly nodeEnv: string | undefined;
  /** @default "dev-client-id" */
  readonly clientId?: string;
  /** @default ["dev-scope"] */
  readonly scopes?: readonly string[];
}

/** Options of `createAuthorization`, by mode. */
export type AuthorizationOptions = OpenOptions | JwtOptions | OAuthOptions | DevelopmentOptions;

/** Asymmetric signature algorithms, most recommended first. */
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

/** An asymmetric signature algorithm. */
export type OAuthAlgorithm = (typeof OAUTH_ALGORITHMS)[number];

/** Minimum length of a shared secret: the size of a SHA-256 digest. */
export const MIN_SECRET_BYTES = 32;

/** Asserts that the options are valid. @throws CONFIGURATION_ERROR listing every invalid option, without values */
export function assertOptions(options: AuthorizationOptions): void {
  const problems = listProblems(options);
  if (problems.length > 0) throw configurationError(problems);
}

/** Creates the error that lists configuration problems. */
export function configurationError(problems: readonly string[]): McpError {
  return new McpError("CONFIGURATION_ERROR", `Invalid authorization configuration: ${problems.join("; ")}.`);
}

/** Checks that `NODE_ENV` allows the bypass. Unknown values do not. */
export function isDevelopment(nodeEnv: string | undefined): boolean {
  return ["development", "test"].includes(nodeEnv?.trim().toLowerCase() ?? "");
}

function listProblems(options: AuthorizationOptions): readonly string[] {
  // JavaScript callers can pass any mode.
  const { mode } = options as { readonly mode: unknown };
  if (mode !== "none" && mode !== "jwt" && mode !== "oauth" && mode !== "development") {
    return ['`mode` must be "none", "jwt", "oauth" or "development"'];
  }
  switch (options.mode) {
    case "none":
      return [];
    case "development":
      return [...developmentProblems(options)];
    case "jwt":
      return [...jwtProblems(options), ...tokenProblems(options)];
    case "oauth":
      return [...oauthProblems(options), ...tokenProblems(options)];
  }
}

function* developmentProblems({ nodeEnv, clientId = "-", scopes = [] }: DevelopmentOptions) {
  if (!isDevelopment(nodeEnv))
    yield "the development bypass is allowed only when NODE_ENV is development or test";
  if (!isText(clientId)) yield "`clientId` must be a non-empty string";
  if (!isScopes(scopes)) yield "`scopes` must be an array of scopes";
}

function* jwtProblems({ secretKey, issuer, audience }: JwtOptions) {
  const size = typeof secretKey === "string" ? new TextEncoder().encode(secretKey).length : secretKey?.length;
  if (!(size >= MIN_SECRET_BYTES)) yield `\`secretKey\` must be at least ${MIN_SECRET_BYTES} bytes long`;
  if (issuer !== undefined && !isText(issuer)) yield "`issuer` must be a non-empty string";
  if (audience !== undefined && !isAudience(audience))
    yield "`audience` must be a non-empty string or an array of them";
}

function* oauthProblems(options: OAuthOptions) {
  const { issuer, resource, audience, jwksUri, algorithms = OAUTH_ALGORITHMS, cooldownMs = 0 } = options;
  const address = "must be an https URL without a query or fragment";
  if (!isAddress(issuer)) yield `\`issuer\` ${address}`;
  if (resource !== undefined && !isAddress(resource)) yield `\`resource\` ${address}`;
  if (jwksUri !== undefined && !isAddress(withoutQuery(jwksUri))) yield "`jwksUri` must be an https URL";
  if (resource === undefined && audience === undefined) yield "`resource` or `audience` is required";
  if (audience !== undefined && !isAudience(audience))
    yield "`audience` must be a non-empty string or an array of them";
  const known: readonly string[] = OAUTH_ALGORITHMS;
  if (
    !Array.isArray(algorithms) ||
    algorithms.length === 0 ||
    !algorithms.every((name) => known.includes(name))
  ) {
    yield `\`algorithms\` must be a non-empty array of ${known.join(", ")}`;
  }
  if (!isScopes(options.scopesSupported ?? [])) yield "`scopesSupported` must be an array of scopes";
  if (!(cooldownMs >= 0)) yield "`cooldownMs` must be a non-negative number (milliseconds)";
}

function* tokenProblems(options: TokenOptions) {
  const {
    requiredScopes = [],
    realm = "",
    clockSkewSeconds: skew = 0,
    maxTokenAgeSeconds: age = 1,
  } = options;
  if (!isScopes(requiredScopes)) yield "`requiredScopes` must be an array of scopes";
  if (!isQuotable(realm)) yield "`realm` must be printable ASCII";
  if (!(skew >= 0 && skew <= 300)) yield "`clockSkewSeconds` must be between 0 and 300";
  if (!((options.cacheMs ?? 0) >= 0)) yield "`cacheMs` must be a non-negative number (milliseconds)";
  if (!(age > 0)) yield "`maxTokenAgeSeconds` must be greater than 0";
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isScopes(value: unknown): boolean {
  return Array.isArray(value) && value.every(isScope);
}

function isAudience(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 && value.every(isText) : isText(value);
}

function withoutQuery(value: unknown): unknown {
  return typeof value === "string" ? value.split("?", 1)[0] : value;
}

function isAddress(value: unknown): boolean {
  return typeof value === "string" && isSafeAddress(value);
}
