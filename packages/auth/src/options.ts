/**
 * @fileoverview What authorization is told, by mode, and the check that names everything that is wrong with it at once.
 * @module auth/options
 */
import type { Ports } from "@tenon/internal/ports";
import { McpError } from "tenon/protocol";
import { isSafeAddress } from "./addresses.js";
import { isQuotable } from "./tokens/challenge.js";
import type { Fetch } from "./fetch-json.js";
import type { TokenProblem } from "./tokens/problems.js";
import { isScope } from "./tokens/scopes.js";

/** Something that the operator may want to know. No token, claim or foreign text is in it. */
export type AuthorizationEvent =
  | { readonly type: "refused"; readonly reason: TokenProblem | "missing" | "scope" | "unavailable" }
  /** The issuer's keys could not be fetched; those that are known go on being used for a day. */
  | { readonly type: "keys-failed" }
  /** An unexpected error while a token was verified. */
  | { readonly type: "failed"; readonly error: unknown };

/** What all modes that check tokens have in common. */
export interface TokenOptions {
  /**
   * Scopes that every request needs, whatever it asks for; those of single tools are named with the tools.
   * @default none
   */
  readonly requiredScopes?: readonly string[];
  /** A name for the protected space, shown in challenges. */
  readonly realm?: string;
  /**
   * How far the clocks of issuer and server may differ, at most 300.
   * @default 5
   */
  readonly clockSkewSeconds?: number;
  /** Refuses tokens that were issued longer ago, whatever they say of their end. They must then say when it was. */
  readonly maxTokenAgeSeconds?: number;
  /**
   * How long a token that was found good is not checked again, and never beyond its end; 0 checks it every time.
   * @default 60000
   */
  readonly cacheMs?: number;
  /** Hears of refusals and failures. It must not throw. */
  readonly onEvent?: (event: AuthorizationEvent) => void;
  /** Clock and timers, for tests. */
  readonly ports?: Partial<Ports>;
}

/** No authorization: every tool is open to everyone. */
export interface OpenOptions {
  readonly mode: "none";
}

/** Tokens signed with a secret that issuer and server share (HS256). */
export interface JwtOptions extends TokenOptions {
  readonly mode: "jwt";
  /** At least 32 bytes. */
  readonly secretKey: string | Uint8Array;
  /** The only `iss` that is taken. @default any */
  readonly issuer?: string;
  /** The server's name in `aud`. @default any */
  readonly audience?: string | readonly string[];
}

/** Tokens from an OAuth authorization server, signed with keys that it publishes. */
export interface OAuthOptions extends TokenOptions {
  readonly mode: "oauth";
  /** The authorization server, exactly as it calls itself. */
  readonly issuer: string;
  /** The server's canonical address: the audience that tokens must be for (RFC 8707), and what clients are told (RFC 9728). */
  readonly resource?: string;
  /** The audience, where it is not the resource's address. One of both is needed. */
  readonly audience?: string | readonly string[];
  /** Where the keys are. @default what the issuer's metadata say, or else `/.well-known/jwks.json` under the issuer */
  readonly jwksUri?: string;
  /**
   * Whether the issuer's metadata is asked where the keys are.
   * @default true
   */
  readonly discover?: boolean;
  /** The signatures that are taken; never one with a shared secret. @default all of `OAUTH_ALGORITHMS` */
  readonly algorithms?: readonly OAuthAlgorithm[];
  /** The scopes that clients are told of. */
  readonly scopesSupported?: readonly string[];
  /** The server's name, for people. */
  readonly resourceName?: string;
  /**
   * The least time between two fetches of keys.
   * @default 10000
   */
  readonly cooldownMs?: number;
  /** Fetches metadata and keys. @default the global `fetch` */
  readonly fetch?: Fetch;
}

/** Everyone is let in as one made-up client. For development; refused everywhere else. */
export interface DevelopmentOptions {
  readonly mode: "development";
  /** The value of `NODE_ENV`, so that it cannot be forgotten. */
  readonly nodeEnv: string | undefined;
  /** @default "dev-client-id" */
  readonly clientId?: string;
  /** @default ["dev-scope"] */
  readonly scopes?: readonly string[];
}

/** How an endpoint is authorized. */
export type AuthorizationOptions = OpenOptions | JwtOptions | OAuthOptions | DevelopmentOptions;

/** The signatures of key pairs, strongest habits first. */
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

/** A signature of a key pair. */
export type OAuthAlgorithm = (typeof OAUTH_ALGORITHMS)[number];

/** The least length of a shared secret: that of the digest. */
export const MIN_SECRET_BYTES = 32;

/** Asserts that the options are usable. @throws CONFIGURATION_ERROR naming every wrong option, but none of their values */
export function assertOptions(options: AuthorizationOptions): void {
  const problems = listProblems(options);
  if (problems.length > 0) throw configurationError(problems);
}

/** An error that names problems of the configuration. */
export function configurationError(problems: readonly string[]): McpError {
  return new McpError("CONFIGURATION_ERROR", `Authorization is not configured: ${problems.join("; ")}`);
}

/** Whether `NODE_ENV` allows for a server that asks for no token. A name that is not known is not let pass for one. */
export function isDevelopment(nodeEnv: string | undefined): boolean {
  return ["development", "test"].includes(nodeEnv?.trim().toLowerCase() ?? "");
}

function listProblems(options: AuthorizationOptions): readonly string[] {
  // From plain JavaScript, or past a cast, any mode may come.
  const { mode } = options as { readonly mode: unknown };
  if (mode !== "none" && mode !== "jwt" && mode !== "oauth" && mode !== "development") {
    return ['mode must be "none", "jwt", "oauth" or "development"'];
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
    yield "the development bypass is refused where NODE_ENV is neither development nor test";
  if (!isText(clientId)) yield "clientId must be text";
  if (!isScopes(scopes)) yield "scopes must be a list of scopes";
}

function* jwtProblems({ secretKey, issuer, audience }: JwtOptions) {
  const size = typeof secretKey === "string" ? new TextEncoder().encode(secretKey).length : secretKey?.length;
  if (!(size >= MIN_SECRET_BYTES)) yield `secretKey must have at least ${MIN_SECRET_BYTES} bytes`;
  if (issuer !== undefined && !isText(issuer)) yield "issuer must be text";
  if (audience !== undefined && !isAudience(audience)) yield "audience must be text or a list of texts";
}

function* oauthProblems(options: OAuthOptions) {
  const { issuer, resource, audience, jwksUri, algorithms = OAUTH_ALGORITHMS, cooldownMs = 0 } = options;
  const address = "must be an https address without query and fragment";
  if (!isAddress(issuer)) yield `issuer ${address}`;
  if (resource !== undefined && !isAddress(resource)) yield `resource ${address}`;
  if (jwksUri !== undefined && !isAddress(withoutQuery(jwksUri))) yield "jwksUri must be an https address";
  if (resource === undefined && audience === undefined) yield "resource or audience is required";
  if (audience !== undefined && !isAudience(audience)) yield "audience must be text or a list of texts";
  const known: readonly string[] = OAUTH_ALGORITHMS;
  if (
    !Array.isArray(algorithms) ||
    algorithms.length === 0 ||
    !algorithms.every((name) => known.includes(name))
  ) {
    yield `algorithms must be some of ${known.join(", ")}`;
  }
  if (!isScopes(options.scopesSupported ?? [])) yield "scopesSupported must be a list of scopes";
  if (!(cooldownMs >= 0)) yield "cooldownMs must be a time";
}

function* tokenProblems(options: TokenOptions) {
  const {
    requiredScopes = [],
    realm = "",
    clockSkewSeconds: skew = 0,
    maxTokenAgeSeconds: age = 1,
  } = options;
  if (!isScopes(requiredScopes)) yield "requiredScopes must be a list of scopes";
  if (!isQuotable(realm)) yield "realm must be printable ASCII";
  if (!(skew >= 0 && skew <= 300)) yield "clockSkewSeconds must be from 0 to 300";
  if (!((options.cacheMs ?? 0) >= 0)) yield "cacheMs must be a time";
  if (!(age > 0)) yield "maxTokenAgeSeconds must be above 0";
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
