/**
 * @fileoverview Validates the options for every authorization mode. One error reports all invalid options.
 * @module auth/check-options
 */
import { McpError } from "tenon/protocol";
import { privateNetworksProblem } from "@tenon/internal/security/destination";
import { printable } from "@tenon/internal/text";
import { describeAddress, isSafeAddress } from "./addresses.js";
import { unknownOptionProblems } from "./option-names.js";
import {
  type AuthorizationOptions,
  type DevelopmentOptions,
  type JwtOptions,
  OAUTH_ALGORITHMS,
  type OAuthOptions,
  type TokenOptions,
} from "./options.js";
import { isQuotable } from "./tokens/challenge.js";
import { isScope } from "./tokens/scopes.js";

/** Minimum shared secret length in bytes: the size of a SHA-256 digest. */
export const MIN_SECRET_BYTES = 32;

/** Asserts that the options are valid. @throws CONFIGURATION_ERROR listing every invalid option, without secrets */
export function assertOptions(options: AuthorizationOptions): void {
  const problems = listProblems(options);
  if (problems.length > 0) throw configurationError(problems);
}

/** Creates the error that lists configuration problems. Each problem is a sentence; its final period is optional. */
export function configurationError(problems: readonly string[]): McpError {
  const text = problems.map((problem) => (/[.?]$/.test(problem) ? problem : `${problem}.`)).join(" ");
  return new McpError("CONFIGURATION_ERROR", `Invalid authorization configuration: ${text}`);
}

/** Returns true if `NODE_ENV` allows the bypass: only `development` and `test` do. */
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
  return [...unknownOptionProblems(options), ...valueProblems(options)];
}

function* valueProblems(options: AuthorizationOptions) {
  if (options.mode === "none") return;
  if (options.mode === "development") {
    yield* developmentProblems(options);
    return;
  }
  yield* options.mode === "jwt" ? jwtProblems(options) : oauthProblems(options);
  yield* tokenProblems(options);
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
  const isBlank = typeof secretKey === "string" && secretKey.trim() === "";
  if (size === undefined || isBlank)
    yield `\`secretKey\` is required. Set it to a secret of at least ${MIN_SECRET_BYTES} bytes`;
  else if (!(size >= MIN_SECRET_BYTES))
    yield `\`secretKey\` must be at least ${MIN_SECRET_BYTES} bytes long; got ${size}`;
  if (issuer !== undefined && !isText(issuer))
    yield `\`issuer\` must be a non-empty string; got ${describe(issuer)}`;
  yield* audienceProblems(audience);
}

function* oauthProblems(options: OAuthOptions) {
  const { issuer, resource, audience, jwksUri, algorithms = OAUTH_ALGORITHMS } = options;
  const { cooldownMs = 0, keyGraceMs = 0 } = options;
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
  for (const [name, value] of [["cooldownMs", cooldownMs] as const, ["keyGraceMs", keyGraceMs] as const]) {
    if (!(value >= 0))
      yield `\`${name}\` must be a non-negative number (milliseconds); got ${describe(value)}`;
  }
  const networks = privateNetworksProblem(options.allowPrivateNetworks);
  if (networks !== undefined) yield networks;
}

function* tokenProblems(options: TokenOptions) {
  const {
    requiredScopes = [],
    realm = "",
    clockSkewSeconds: skew = 0,
    maxTokenAgeSeconds: age = 1,
  } = options;
  const { cacheMs = 0, revocation } = options;
  yield* scopeProblems("requiredScopes", requiredScopes);
  if (!isQuotable(realm)) yield "`realm` must contain only printable ASCII characters";
  if (!(skew >= 0 && skew <= 300))
    yield `\`clockSkewSeconds\` must be a number from 0 to 300 (seconds); got ${describe(skew)}`;
  if (!(cacheMs >= 0))
    yield `\`cacheMs\` must be a non-negative number (milliseconds); got ${describe(cacheMs)}`;
  if (revocation !== undefined && typeof revocation !== "function")
    yield `\`revocation\` must be a function; got ${describe(revocation)}`;
  if (!(age > 0))
    yield `\`maxTokenAgeSeconds\` must be a number greater than 0 (seconds); got ${describe(age)}`;
}

function* audienceProblems(audience: unknown) {
  if (audience === undefined || isAudience(audience)) return;
  const got =
    Array.isArray(audience) && audience.length > 0 ? "an array with an invalid item" : describe(audience);
  yield `\`audience\` must be a non-empty string or a non-empty array of non-empty strings; got ${got}`;
}

function* algorithmProblems(algorithms: unknown) {
  const known: readonly unknown[] = OAUTH_ALGORITHMS;
  const list: readonly unknown[] = Array.isArray(algorithms) ? algorithms : [];
  const at = list.findIndex((name) => !known.includes(name));
  if (list.length > 0 && at === -1) return;
  const wrong = at === -1 ? algorithms : list[at];
  const got = typeof wrong === "string" ? `"${printable(wrong)}"` : describe(wrong);
  yield `\`algorithms\` must be a non-empty array of these values: ${known.join(", ")}; got ${got}`;
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
