/**
 * @fileoverview Options for every authorization mode. One error reports all invalid options.
 * @module auth/options
 */
import type { Ports } from "@tenon/internal/ports";
import { McpError } from "tenon/protocol";
import { printable } from "@tenon/internal/text";
import { describeAddress, isSafeAddress } from "./addresses.js";
import { isQuotable } from "./tokens/challenge.js";
import type { Fetch } from "./fetch-json.js";
import type { TokenProblem } from "./tokens/problems.js";
import { isScope } from "./tokens/scopes.js";

/** Event for the operator. Events never contain tokens, claims, or text from a client. */
export type AuthorizationEvent =
  /** A request was refused. */
  | { readonly type: "refused"; readonly reason: TokenProblem | "missing" | "scope" | "unavailable" }
  /** Fetching the issuer's keys failed. Keys fetched earlier stay in use for up to a day. */
  | { readonly type: "keys-failed" }
  /** Verifying a token failed unexpectedly. The request fails with an internal error. */
  | { readonly type: "failed"; readonly error: unknown };

/** Options shared by the modes that verify tokens. */
export interface TokenOptions {
  /**
   * Scopes that every request needs. A tool declares its own scopes in its definition.
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
   * Milliseconds for which a verified token is cached. Expired tokens are never accepted. 0 disables the cache.
   * @default 60000
   */
  readonly cacheMs?: number;
  /** Called for every refusal and failure. Must not throw. */
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

/** Tokens signed by an OAuth authorization server with keys that it publishes. */
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
  /** Fetches metadata and keys. @default the global `fetch` */
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

/** Minimum shared secret length in bytes: the size of a SHA-256 digest. */
export const MIN_SECRET_BYTES = 32;

/** Asserts that the options are valid. @throws CONFIGURATION_ERROR listing every invalid option, without secrets */
export function assertOptions(options: AuthorizationOptions): void {
  const problems = listProblems(options);
  if (problems.length > 0) throw configurationError(problems);
}

/** Creates the error that lists configuration problems, each a sentence without its period. */
export function configurationError(problems: readonly string[]): McpError {
  return new McpError("CONFIGURATION_ERROR", `Invalid authorization configuration: ${problems.join(". ")}.`);
}

/** Checks that `NODE_ENV` allows the bypass: only `development` and `test` do. */
export function isDevelopment(nodeEnv: string | undefined): boolean {
  return ["development", "test"].includes(nodeEnv?.trim().toLowerCase() ?? "");
}

function listProblems(options: AuthorizationOptions): readonly string[] {
  // JavaScript callers can pass any mode.
  const { mode } = options as { readonly mode: unknown };
  if (mode !== "none" && mode !== "jwt" && mode !== "oauth" && mode !== "development") {
    const got = typeof mode === "string" ? "" : `; got ${describe(mode)}`;
    return [`\`mode\` must be "none", "jwt", "oauth", or "development"${got}`];
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
  if (!isDevelopment(nodeEnv)) {
    const got = nodeEnv === undefined ? "undefined" : `"${printable(nodeEnv)}"`;
    yield `Mode "development" requires \`nodeEnv\` to be "development" or "test"; got ${got}`;
  }
  if (!isText(clientId)) yield `\`clientId\` must be a non-empty string; got ${describe(clientId)}`;
  yield* scopeProblems("scopes", scopes);
}

function* jwtProblems({ secretKey, issuer, audience }: JwtOptions) {
  const size = typeof secretKey === "string" ? new TextEncoder().encode(secretKey).length : secretKey?.length;
  if (!(size >= MIN_SECRET_BYTES))
    yield `\`secretKey\` must be at least ${MIN_SECRET_BYTES} bytes long; got ${size ?? 0}`;
  if (issuer !== undefined && !isText(issuer))
    yield `\`issuer\` must be a non-empty string; got ${describe(issuer)}`;
  yield* audienceProblems(audience);
}

function* oauthProblems(options: OAuthOptions) {
  const { issuer, resource, audience, jwksUri, algorithms = OAUTH_ALGORITHMS, cooldownMs = 0 } = options;
  const address = "must be an https URL without a query or fragment; got";
  if (!isAddress(issuer)) yield `\`issuer\` ${address} ${describeAddress(issuer)}`;
  if (resource !== undefined && !isAddress(resource))
    yield `\`resource\` ${address} ${describeAddress(resource)}`;
  const keys = withoutQuery(jwksUri);
  if (jwksUri !== undefined && !isAddress(keys))
    yield `\`jwksUri\` must be an https URL; got ${describeAddress(keys)}`;
  if (resource === undefined && audience === undefined) yield "`resource` or `audience` is required";
  yield* audienceProblems(audience);
  yield* algorithmProblems(algorithms);
  yield* scopeProblems("scopesSupported", options.scopesSupported ?? []);
  if (!(cooldownMs >= 0))
    yield `\`cooldownMs\` must be a non-negative number (milliseconds); got ${describe(cooldownMs)}`;
}

function* tokenProblems(options: TokenOptions) {
  const {
    requiredScopes = [],
    realm = "",
    clockSkewSeconds: skew = 0,
    maxTokenAgeSeconds: age = 1,
  } = options;
  const { cacheMs = 0 } = options;
  yield* scopeProblems("requiredScopes", requiredScopes);
  if (!isQuotable(realm)) yield "`realm` must contain only printable ASCII characters";
  if (!(skew >= 0 && skew <= 300))
    yield `\`clockSkewSeconds\` must be from 0 to 300 (seconds); got ${describe(skew)}`;
  if (!(cacheMs >= 0))
    yield `\`cacheMs\` must be a non-negative number (milliseconds); got ${describe(cacheMs)}`;
  if (!(age > 0)) yield `\`maxTokenAgeSeconds\` must be greater than 0 (seconds); got ${describe(age)}`;
}

function* audienceProblems(audience: unknown) {
  if (audience === undefined || isAudience(audience)) return;
  const got =
    Array.isArray(audience) && audience.length > 0 ? "an array with an invalid item" : describe(audience);
  yield `\`audience\` must be a non-empty string or a non-empty array of such strings; got ${got}`;
}

function* algorithmProblems(algorithms: unknown) {
  const known: readonly unknown[] = OAUTH_ALGORITHMS;
  const list: readonly unknown[] = Array.isArray(algorithms) ? algorithms : [];
  const at = list.findIndex((name) => !known.includes(name));
  if (list.length > 0 && at === -1) return;
  const wrong = at === -1 ? algorithms : list[at];
  const got = typeof wrong === "string" ? `"${printable(wrong)}"` : describe(wrong);
  yield `\`algorithms\` must be a non-empty array of ${known.join(", ")}; got ${got}`;
}

function* scopeProblems(name: string, scopes: unknown) {
  if (!Array.isArray(scopes)) {
    yield `\`${name}\` must be an array of scopes; got ${describe(scopes)}`;
    return;
  }
  const at = scopes.findIndex((scope) => !isScope(scope));
  if (at !== -1)
    yield `\`${name}[${at}]\` must be a scope: visible ASCII without spaces, double quotes, or backslashes`;
}

/** Describes an invalid value. Text is not repeated, because it may be a secret. */
function describe(value: unknown): string {
  if (typeof value === "string") return value.trim() === "" ? "an empty string" : "a string";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
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
