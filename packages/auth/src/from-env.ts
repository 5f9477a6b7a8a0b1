/**
 * @fileoverview Configures authorization from environment variables. Error messages do not repeat values, because they
 * may be secrets. The only exception is `NODE_ENV`.
 * @module auth/from-env
 */
import { kindOf } from "@tenon/internal/kind-of";
import {
  defineOptions,
  type Env,
  listEnvProblems,
  listOptionProblems,
  optionsFromEnv,
  pickOptions,
} from "@tenon/internal/options/define-options";
import { flag, oneOf } from "@tenon/internal/options/option-rows";
import type { Authorization } from "tenon/fetch";
import { isSafeAddress } from "./addresses.js";
import { configurationError } from "./check-options.js";
import { createAuthorization } from "./create-authorization.js";
import {
  type AuthorizationOptions,
  type DevelopmentOptions,
  FROM_ENV_OPTIONS,
  type FromEnvOptions,
  type JwtOptions,
  MODES,
  type OAuthOptions,
} from "./options.js";

/** Environment variables, such as `process.env`. */
export type AuthorizationEnv = Env;

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

/** Variables that select the mode. */
const MODE_VARIABLES = /* @__PURE__ */ defineOptions("authorizationFromEnv", {
  /** Mode. @default none */
  mode: oneOf(["none", "jwt", "oauth"], {
    default: "none",
    env: "MCP_AUTH_MODE",
    got: kindOf,
    fix: () => "Write it in lowercase.",
  }),
  /** Accepts every request as the same client. Allowed only if `NODE_ENV` is development or test. @default false */
  bypass: flag({
    default: false,
    env: "MCP_AUTH_DEV_BYPASS",
    got: kindOf,
    fix: () => "Write it in lowercase.",
  }),
});

/** Reads the options for `createAuthorization`, so that a program can extend them. @throws CONFIGURATION_ERROR */
export function authorizationOptionsFromEnv(
  env: AuthorizationEnv,
  options: FromEnvOptions = {},
): AuthorizationOptions {
  const { mode = "none", bypass } = optionsFromEnv(MODE_VARIABLES, env);
  const isBypassed = bypass === true;
  const reason = isBypassed ? " (MCP_AUTH_DEV_BYPASS is true)" : ` (MCP_AUTH_MODE is ${mode})`;
  const modeProblems = [...listEnvProblems(MODE_VARIABLES, env)];
  const problems = [
    ...listOptionProblems(FROM_ENV_OPTIONS, options),
    ...modeProblems,
    ...(modeProblems.length > 0 ? [] : listEnvProblems(MODES[isBypassed ? "development" : mode], env)),
    ...(isBypassed && mode === "none" ? ["MCP_AUTH_MODE must be jwt or oauth."] : []),
    ...(mode === "oauth" && !isBypassed ? audienceProblems(env, options) : []),
  ];
  if (problems.length > 0) throw configurationError(problems, modeProblems.length > 0 ? "" : reason);
  // Safe below: the tables were checked, so required options are set.
  if (isBypassed)
    return { mode: "development", ...optionsFromEnv(MODES.development, env) } as DevelopmentOptions;
  if (mode === "none") return { mode };
  if (mode === "oauth") return oauthOptions(env, options);
  return { ...pickOptions(MODES.jwt, options), mode, ...optionsFromEnv(MODES.jwt, env) } as JwtOptions;
}

function audienceProblems(env: AuthorizationEnv, { resource }: FromEnvOptions): readonly string[] {
  const isMissing = resource === undefined && optionsFromEnv(MODES.oauth, env).audience === undefined;
  return isMissing ? ["OAUTH_AUDIENCE is required, unless the option `resource` is set."] : [];
}

/** Creates the OAuth options. If `resource` is not set, an audience that is a URL also becomes the resource. */
function oauthOptions(env: AuthorizationEnv, options: FromEnvOptions): AuthorizationOptions {
  const { audience, ...rest } = optionsFromEnv(MODES.oauth, env);
  const resource = options.resource ?? (isSafeAddress(audience) ? audience : undefined);
  return {
    ...options,
    mode: "oauth",
    ...rest,
    ...(resource === undefined ? {} : { resource }),
    // Without `audience`, every spelling of the resource URL is accepted as the audience.
    ...(audience === undefined || audience === resource ? {} : { audience }),
  } as OAuthOptions; // Safe: checked by the caller
}
