/**
 * @fileoverview Options for every authorization mode.
 * @module auth/options
 */
import type { Auth } from "tenon";
import type { JsonObject } from "@tenon/internal/json";
import { kindOf, showValue } from "@tenon/internal/kind-of";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { defineOptions, type OptionsOf, type ParsedOptions } from "@tenon/internal/options/define-options";
import { callback, custom, flag, number, oneOf, text, texts } from "@tenon/internal/options/option-rows";
import type { Fetch } from "@tenon/internal/outgoing/fetch";
import type { Ports } from "@tenon/internal/ports";
import { PRIVATE_NETWORKS } from "@tenon/internal/security/destination";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { describeAddress, isSafeAddress, isSafeKeyAddress } from "./addresses.js";
import type { TokenProblem } from "./tokens/problems.js";
import { isScope } from "./tokens/scopes.js";

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

/** Facts of options that are lists of scopes. */
const SCOPES = {
  isItem: isScope,
  maxItems: 256,
  expected: "an array of at most 256 scopes: visible ASCII without spaces, double quotes, or backslashes",
  isSecret: true,
} as const;

/** Facts of options that are URLs. Errors do not repeat them, because they may contain a password. */
const ADDRESS = {
  accepts: isSafeAddress,
  expected: "an https URL without a query or fragment",
  got: describeAddress,
} as const;

const TOKEN_OPTIONS = /* @__PURE__ */ defineOptions("createAuthorization", {
  /**
   * Scopes required for every request. A tool declares its own scopes in its definition.
   * @default []
   */
  requiredScopes: texts({ ...SCOPES, default: [], aliases: ["scope", "scopes"] }),
  /** Name of the protection space (RFC 9110), sent in challenges. */
  realm: text({ pattern: /^[ -~]*$/, expected: "a string of printable ASCII characters", isSecret: true }),
  /**
   * Allowed clock difference between issuer and server, from 0 to 300 seconds.
   * @default 5
   */
  clockSkewSeconds: number({ default: 5, max: 300 }),
  /** Maximum token age in seconds, counted from `iat`, which is then required. @default no limit */
  maxTokenAgeSeconds: custom<number>({
    expected: "a number greater than 0 (seconds)",
    accepts: (value) => typeof value === "number" && value > 0,
  }),
  /**
   * Time to cache a verified token, in milliseconds. Expired tokens are never accepted. 0 disables the cache.
   * @default 60000
   */
  cacheMs: number({ default: 60_000 }),
  /**
   * Returns a signal that aborts when the token is revoked. Called for every request with a valid token. When the
   * signal aborts, the caller's event streams end. If it has aborted already, the request is rejected with 401.
   * @default tokens are valid until they expire
   */
  revocation: callback<(auth: Auth, claims: JsonObject) => MaybePromise<AbortSignal | undefined>>({
    aliases: ["isRevoked", "revoked"],
  }),
  /** Called for every rejected request and every failure. Must not throw. */
  onEvent: callback<(event: AuthorizationEvent) => void>(),
  /** Clock and timers, for tests. */
  ports: custom<Partial<Ports>>(),
});

/** Options shared by the modes that verify tokens. */
export type TokenOptions = OptionsOf<typeof TOKEN_OPTIONS>;

/** Options that `authorizationFromEnv` takes, because no environment variable sets them. */
export const FROM_ENV_OPTIONS = /* @__PURE__ */ defineOptions("authorizationFromEnv", {
  /** The MCP server's canonical URL: the required audience (RFC 8707) and the resource in its metadata (RFC 9728). */
  resource: custom<string>({ ...ADDRESS, aliases: ["url"] }),
  /** Scopes listed in the resource metadata. */
  scopesSupported: texts(SCOPES),
  /** Human-readable server name in the resource metadata. */
  resourceName: text(),
  /**
   * Allows metadata and keys outside the public internet. `true` allows private addresses such as 10.0.0.5. A list of
   * host names also allows these hosts to be on this machine. An `issuer` or `jwksUri` whose host is itself a loopback
   * or private address does not need this option.
   * @default false
   */
  allowPrivateNetworks: PRIVATE_NETWORKS,
  /**
   * Fetches metadata and keys. On Node.js, the default resolves each host once, checks its addresses, and connects only
   * to them. With your own function, only addresses in URLs are checked.
   * @default the runtime's own requests
   */
  fetch: callback<Fetch>(),
  ...TOKEN_OPTIONS.rows,
});

/** Options that cannot be set with environment variables. */
export type FromEnvOptions = OptionsOf<typeof FROM_ENV_OPTIONS>;

const OPEN_OPTIONS = /* @__PURE__ */ defineOptions("createAuthorization", {
  /** No authorization. */
  mode: oneOf(["none"], { required: true }),
});

/** No authorization: every tool is open to everyone. */
export type OpenOptions = OptionsOf<typeof OPEN_OPTIONS>;

/** Minimum shared secret length in bytes: the size of a SHA-256 digest. */
const MIN_SECRET_BYTES = 32;

const AUDIENCE = {
  expected: "a non-empty string or a non-empty array of non-empty strings",
  accepts: (value: unknown) =>
    Array.isArray(value) ? value.length > 0 && value.every(isFilled) : isFilled(value),
  got: describeList,
  aliases: ["audiences", "aud"],
} as const;

const JWT_OPTIONS = /* @__PURE__ */ defineOptions("createAuthorization", {
  /** Tokens signed with a shared secret. */
  mode: oneOf(["jwt"], { required: true }),
  /** Shared secret, at least 32 bytes. */
  secretKey: custom<string | Uint8Array>({
    required: true,
    isSecret: true,
    env: "MCP_AUTH_SECRET_KEY",
    aliases: ["secret", "key"],
    expected: `a secret of at least ${MIN_SECRET_BYTES} bytes`,
    accepts: (value) => (sizeOf(value) ?? 0) >= MIN_SECRET_BYTES,
    got: (value) => {
      const size = sizeOf(value);
      if (size !== undefined) return `${size} bytes`;
      return typeof value === "string" && value !== "" ? "a blank string" : kindOf(value);
    },
  }),
  /** Required `iss` claim. @default any issuer */
  issuer: text({ isSecret: true, aliases: ["iss", "issuerUrl"] }),
  /** Accepted `aud` claims. @default any audience */
  audience: custom<string | readonly string[]>(AUDIENCE),
  ...TOKEN_OPTIONS.rows,
});

/** Tokens signed with a secret shared by issuer and server (HS256). */
export type JwtOptions = OptionsOf<typeof JWT_OPTIONS>;

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

const OAUTH_OPTIONS = /* @__PURE__ */ defineOptions("createAuthorization", {
  /** Tokens of an OAuth authorization server. */
  mode: oneOf(["oauth"], { required: true }),
  /** The authorization server's issuer identifier, exactly as in its `iss` claim. */
  issuer: custom<string>({
    ...ADDRESS,
    required: true,
    env: "OAUTH_ISSUER_URL",
    aliases: ["iss", "issuerUrl"],
  }),
  /** Accepted audience, if it is not the resource URL. Either `resource` or `audience` is required. */
  audience: custom<string | readonly string[]>({ ...AUDIENCE, env: "OAUTH_AUDIENCE" }),
  /** Key URL. @default the one in the issuer's metadata, or `/.well-known/jwks.json` under the issuer */
  jwksUri: custom<string>({
    expected: "an https URL",
    accepts: isSafeKeyAddress,
    got: (value) => describeAddress(typeof value === "string" ? value.split("?", 1)[0] : value),
    env: "OAUTH_JWKS_URI",
    aliases: ["jwks", "jwksUrl"],
  }),
  /**
   * Reads the key URL from the issuer's metadata.
   * @default true
   */
  discover: flag({ default: true }),
  /** Accepted signature algorithms, all asymmetric. @default all */
  algorithms: custom<readonly OAuthAlgorithm[]>({
    default: OAUTH_ALGORITHMS,
    expected: `a non-empty array of these values: ${OAUTH_ALGORITHMS.join(", ")}`,
    accepts: (value) => Array.isArray(value) && value.length > 0 && value.every(isAlgorithm),
    got: (value) => {
      const unknown: unknown = Array.isArray(value) ? value.find((name) => !isAlgorithm(name)) : undefined;
      return unknown === undefined ? describeList(value) : showValue(unknown);
    },
  }),
  /**
   * Minimum time between two key fetches, in milliseconds.
   * @default 10000
   */
  cooldownMs: number({ default: 10_000 }),
  /**
   * Time for which known keys stay in use without waiting for the issuer, in milliseconds. It starts when the keys are
   * ten minutes old. New keys are fetched in the background.
   * @default 3600000
   */
  keyGraceMs: number({ default: 3_600_000 }),
  ...FROM_ENV_OPTIONS.rows,
});

/** Tokens signed with keys that an OAuth authorization server publishes. */
export type OAuthOptions = OptionsOf<typeof OAUTH_OPTIONS>;

const DEVELOPMENT_OPTIONS = /* @__PURE__ */ defineOptions("createAuthorization", {
  /** No authorization: every request has the same caller. */
  mode: oneOf(["development"], { required: true }),
  /** Value of `NODE_ENV`. Required, so that the bypass cannot be enabled by accident in production. */
  nodeEnv: custom<string | undefined>({
    required: true,
    env: "NODE_ENV",
    expected: '"development" or "test" to skip authorization',
    accepts: (value) => ["development", "test"].includes(String(value).trim().toLowerCase()),
  }),
  /** Client ID of every caller. @default dev-client-id */
  clientId: text({ default: "dev-client-id", env: "DEV_MCP_CLIENT_ID" }),
  /** Scopes of every caller. @default ["dev-scope"] */
  scopes: texts({ ...SCOPES, default: ["dev-scope"], env: "DEV_MCP_SCOPES" }),
});

/** Accepts every request as the same fixed client. Allowed only in development and tests. */
export type DevelopmentOptions = OptionsOf<typeof DEVELOPMENT_OPTIONS>;

/** Options of each mode. */
export const MODES = {
  none: OPEN_OPTIONS,
  jwt: JWT_OPTIONS,
  oauth: OAUTH_OPTIONS,
  development: DEVELOPMENT_OPTIONS,
} as const;

/** Options for `createAuthorization`, by mode. */
export type AuthorizationOptions = OpenOptions | JwtOptions | OAuthOptions | DevelopmentOptions;

/** Options of one mode with their defaults. */
export type AuthorizationSettings<Mode extends keyof typeof MODES = keyof typeof MODES> = {
  [One in Mode]: ParsedOptions<(typeof MODES)[One]>;
}[Mode];

/** Describes an invalid list. Text is not repeated, because it may be a secret. */
function describeList(value: unknown): string {
  if (!Array.isArray(value)) return kindOf(value);
  return value.length === 0 ? "an empty array" : "an array with an invalid item";
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function isAlgorithm(value: unknown): boolean {
  return (OAUTH_ALGORITHMS as readonly unknown[]).includes(value);
}

/** Returns the size of a secret in bytes, or `undefined` if the value is not a secret or blank. */
function sizeOf(value: unknown): number | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : encodeUtf8(value).length;
  return value instanceof Uint8Array ? value.length : undefined;
}
