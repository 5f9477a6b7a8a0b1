/**
 * @fileoverview Configures authorization from environment variables. Error messages do not repeat values, because they
 * may be secrets. The only exception is `NODE_ENV`.
 * @module auth/from-env
 */
import { printable } from "@tenon/internal/text";
import type { Authorization } from "tenon/fetch";
import { describeAddress, isSafeAddress } from "./addresses.js";
import { createAuthorization } from "./create-authorization.js";
import { unknownFromEnvProblems } from "./option-names.js";
import { configurationError, isDevelopment, MIN_SECRET_BYTES } from "./check-options.js";
import type { AuthorizationOptions, OAuthOptions, TokenOptions } from "./options.js";
import { splitScopes } from "./tokens/scopes.js";

/** Environment variables, such as `process.env`. */
export type AuthorizationEnv = Readonly<Record<string, string | undefined>>;

/** Options that cannot be set with environment variables. */
export interface FromEnvOptions
  extends
    TokenOptions,
    Pick<OAuthOptions, "resource" | "scopesSupported" | "resourceName" | "allowPrivateNetworks" | "fetch"> {}

/**
 * Creates the authorization that `MCP_AUTH_MODE` selects.
 *
 * @example authorizationFromEnv(process.env, { resource: "https://mcp.example.com/mcp" })
 * @throws CONFIGURATION_ERROR listing every missing or invalid variable
 */
export function authorizationFromEnv(
  env: AuthorizationEnv,
  options: FromEnvOptions = {},
): Authorization<never> {
  return createAuthorization(authorizationOptionsFromEnv(env, options));
}

/** Reads the options for `createAuthorization`, so that a program can extend them. @throws CONFIGURATION_ERROR */
export function authorizationOptionsFromEnv(
  env: AuthorizationEnv,
  options: FromEnvOptions = {},
): AuthorizationOptions {
  const mode = read(env, "MCP_AUTH_MODE") ?? "none";
  const bypass = read(env, "MCP_AUTH_DEV_BYPASS") ?? "false";
  const problems = [
    ...unknownFromEnvProblems(options),
    ...(MODES.has(mode) ? [] : ["MCP_AUTH_MODE must be none, jwt, or oauth (in lowercase)"]),
    ...(bypass === "true" ? bypassProblems(env, mode) : []),
    ...(bypass === "true" || bypass === "false"
      ? []
      : ["MCP_AUTH_DEV_BYPASS must be true or false (in lowercase)"]),
    ...(mode === "jwt" && bypass !== "true" ? jwtProblems(env) : []),
    ...(mode === "oauth" && bypass !== "true" ? oauthProblems(env, options) : []),
  ];
  if (problems.length > 0) throw configurationError(problems);
  if (mode === "none") return { mode };
  if (bypass === "true") return developmentOptions(env);
  return mode === "jwt" ? jwtOptions(env, options) : oauthOptions(env, options);
}

const MODES: ReadonlySet<string> = /* @__PURE__ */ new Set(["none", "jwt", "oauth"]);

/** Returns a variable's trimmed value. An empty value counts as unset. */
function read(env: AuthorizationEnv, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

function* bypassProblems(env: AuthorizationEnv, mode: string) {
  const { NODE_ENV: nodeEnv } = env;
  if (!isDevelopment(nodeEnv)) {
    const found = nodeEnv === undefined ? "not set" : `"${printable(nodeEnv)}"`;
    yield `MCP_AUTH_DEV_BYPASS may be true only if NODE_ENV is development or test; NODE_ENV is ${found}`;
  }
  if (mode === "none") yield "MCP_AUTH_DEV_BYPASS may be true only if MCP_AUTH_MODE is jwt or oauth";
  if (devScopes(env) === undefined)
    yield "DEV_MCP_SCOPES must be a list of scopes separated by spaces or commas";
}

function* jwtProblems(env: AuthorizationEnv) {
  const secret = env["MCP_AUTH_SECRET_KEY"];
  const size = new TextEncoder().encode(secret).length;
  if (secret === undefined || secret.trim() === "") {
    yield "MCP_AUTH_SECRET_KEY is required when MCP_AUTH_MODE is jwt";
  } else if (size < MIN_SECRET_BYTES) {
    yield `MCP_AUTH_SECRET_KEY must be at least ${MIN_SECRET_BYTES} bytes long; got ${size}`;
  }
}

function* oauthProblems(env: AuthorizationEnv, { resource }: FromEnvOptions) {
  const issuer = read(env, "OAUTH_ISSUER_URL");
  const keys = read(env, "OAUTH_JWKS_URI");
  const where = "when MCP_AUTH_MODE is oauth";
  if (issuer === undefined) yield `OAUTH_ISSUER_URL is required ${where}`;
  else if (!isSafeAddress(issuer)) {
    yield `OAUTH_ISSUER_URL must be an https URL without a query or fragment; got ${describeAddress(issuer)}`;
  }
  if (keys !== undefined && !isSafeAddress(keys.split("?", 1)[0] ?? "")) {
    yield `OAUTH_JWKS_URI must be an https URL; got ${describeAddress(keys.split("?", 1)[0])}`;
  }
  if (read(env, "OAUTH_AUDIENCE") === undefined && resource === undefined) {
    yield `OAUTH_AUDIENCE is required ${where}`;
  }
}

function developmentOptions(env: AuthorizationEnv): AuthorizationOptions {
  const clientId = read(env, "DEV_MCP_CLIENT_ID");
  const scopes = devScopes(env) ?? [];
  return {
    mode: "development",
    nodeEnv: env["NODE_ENV"],
    ...(clientId === undefined ? {} : { clientId }),
    ...(scopes.length === 0 ? {} : { scopes }),
  };
}

function devScopes(env: AuthorizationEnv): readonly string[] | undefined {
  return splitScopes((read(env, "DEV_MCP_SCOPES") ?? "").replaceAll(/[\s,]+/g, " ").trim());
}

function jwtOptions(env: AuthorizationEnv, options: FromEnvOptions): AuthorizationOptions {
  return { ...tokenOptions(options), mode: "jwt", secretKey: env["MCP_AUTH_SECRET_KEY"] ?? "" };
}

/** Creates the OAuth options. If `resource` is not set, an audience that is a URL also becomes the resource. */
function oauthOptions(env: AuthorizationEnv, options: FromEnvOptions): AuthorizationOptions {
  const audience = read(env, "OAUTH_AUDIENCE");
  const jwksUri = read(env, "OAUTH_JWKS_URI");
  const isAddress = audience !== undefined && isSafeAddress(audience);
  const resource = options.resource ?? (isAddress ? audience : undefined);
  return {
    ...options,
    mode: "oauth",
    issuer: read(env, "OAUTH_ISSUER_URL") ?? "",
    ...(resource === undefined ? {} : { resource }),
    // Without `audience`, every spelling of the resource URL is accepted as the audience.
    ...(audience === undefined || audience === resource ? {} : { audience }),
    ...(jwksUri === undefined ? {} : { jwksUri }),
  };
}

function tokenOptions(options: FromEnvOptions): TokenOptions {
  const {
    resource: _resource,
    scopesSupported: _scopes,
    resourceName: _name,
    allowPrivateNetworks: _networks,
    fetch: _fetch,
    ...rest
  } = options;
  return rest;
}
