/**
 * @fileoverview Finds options that a mode does not support. Ignoring a misspelled option could be unsafe: without
 * `audience`, a server in mode "jwt" accepts tokens for other servers.
 * @module auth/option-names
 */
import { describeUnknownOption, type OptionNames } from "@tenon/internal/names/known-options";
import type {
  AuthorizationOptions,
  DevelopmentOptions,
  JwtOptions,
  OAuthOptions,
  OpenOptions,
  TokenOptions,
} from "./options.js";

/** Describes every option that the mode does not support. */
export function* unknownOptionProblems(options: AuthorizationOptions) {
  yield* problemsOf(options, options.mode);
}

/** Describes every unknown option among those that apply to all modes that verify tokens. */
export function* unknownFromEnvProblems(options: object) {
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(FROM_ENV_NAMES, name)) yield describeUnknown(name, FROM_ENV_NAMES);
  }
}

type Mode = AuthorizationOptions["mode"];
type Names = Readonly<Record<string, true>>;

const TOKEN_NAMES: OptionNames<TokenOptions> = {
  requiredScopes: true,
  realm: true,
  clockSkewSeconds: true,
  maxTokenAgeSeconds: true,
  cacheMs: true,
  revocation: true,
  onEvent: true,
  ports: true,
};

const OPEN_NAMES: OptionNames<OpenOptions> = { mode: true };

const JWT_NAMES: OptionNames<JwtOptions> = {
  ...TOKEN_NAMES,
  mode: true,
  secretKey: true,
  issuer: true,
  audience: true,
};

const OAUTH_NAMES: OptionNames<OAuthOptions> = {
  ...TOKEN_NAMES,
  mode: true,
  issuer: true,
  resource: true,
  audience: true,
  jwksUri: true,
  discover: true,
  algorithms: true,
  scopesSupported: true,
  resourceName: true,
  cooldownMs: true,
  keyGraceMs: true,
  allowPrivateNetworks: true,
  fetch: true,
};

const DEVELOPMENT_NAMES: OptionNames<DevelopmentOptions> = {
  mode: true,
  nodeEnv: true,
  clientId: true,
  scopes: true,
};

const NAMES: Readonly<Record<Mode, Names>> = {
  none: OPEN_NAMES,
  jwt: JWT_NAMES,
  oauth: OAUTH_NAMES,
  development: DEVELOPMENT_NAMES,
};

const FROM_ENV_NAMES: Names = {
  ...TOKEN_NAMES,
  resource: true,
  scopesSupported: true,
  resourceName: true,
  allowPrivateNetworks: true,
  fetch: true,
};

/** Common wrong names, and the options they stand for. */
const ALIASES: Readonly<Record<string, string>> = {
  audiences: "audience",
  aud: "audience",
  iss: "issuer",
  issuerUrl: "issuer",
  secret: "secretKey",
  key: "secretKey",
  scope: "requiredScopes",
  scopes: "requiredScopes",
  jwks: "jwksUri",
  jwksUrl: "jwksUri",
  url: "resource",
  isRevoked: "revocation",
  revoked: "revocation",
};

function* problemsOf(options: object, mode: Mode) {
  const names = NAMES[mode];
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(names, name)) continue;
    const others = mode === "development" ? [] : otherModes(name);
    yield others.length === 0
      ? describeUnknown(name, names)
      : `\`${name}\` is not an option for mode "${mode}". It applies to mode${others.length > 1 ? "s" : ""} ` +
        others.map((other) => `"${other}"`).join(" and ");
  }
}

/** Returns the production modes that support the option. */
function otherModes(name: string): readonly Mode[] {
  return (["jwt", "oauth"] as const).filter((mode) => Object.hasOwn(NAMES[mode], name));
}

function describeUnknown(name: string, names: Names): string {
  const { [name]: meant } = ALIASES;
  const aliases = meant !== undefined && Object.hasOwn(names, meant) ? { [name]: meant } : {};
  return describeUnknownOption(name, { names, aliases }).replace(/^u/, "U");
}
