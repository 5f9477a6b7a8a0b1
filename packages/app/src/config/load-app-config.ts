/**
 * @fileoverview `loadAppConfig`: parses and validates an environment into one frozen configuration.
 * @module app/config/load-app-config
 */
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import { REDACTED } from "@tenon/internal/security/redact-text";
import { printable } from "@tenon/internal/text";
import { McpError } from "tenon/protocol";
import type { AppConfig, AppSettings, Env } from "./app-config.js";
import { type ExtraSettings, type ExtraShape, isPresent, isSecret, readExtra } from "./extra.js";
import { type Variable, VARIABLES } from "./variables.js";

/** Options for `loadAppConfig`. */
export interface AppConfigOptions<Extra extends ExtraShape = Record<never, never>> {
  /** Zod schemas for the application's own variables, keyed by variable name. */
  readonly extra?: Extra;
  /** Defaults for standard variables, keyed by variable name. The environment takes precedence. */
  readonly defaults?: Env;
}

/**
 * Parses and validates an environment. Empty variables are treated as unset.
 *
 * @example const config = loadAppConfig(process.env, { extra: { LLM_API_KEY: z.string() } });
 * @throws {McpError} `CONFIGURATION_ERROR` with one line per problem; it never contains secrets
 */
export function loadAppConfig<const Extra extends ExtraShape = Record<never, never>>(
  env: Env,
  options: AppConfigOptions<Extra> = {},
): AppConfig<ExtraSettings<Extra>> {
  const shape: ExtraShape = options.extra ?? {};
  const { settings, problems } = readSettings(env, options.defaults ?? {});
  const extra = readExtra(shape, env);
  const all = [...problems, ...extra.problems];
  if (all.length > 0) {
    const message = ["Invalid configuration:", ...all.map((problem) => `- ${problem}`)].join("\n");
    throw new McpError("CONFIGURATION_ERROR", message, { problems: all });
  }
  const secrets = Object.keys(shape).filter((name) => isSecret(name, shape[name]));
  // Safe: the schemas determine the type.
  return seal({ ...settings, extra: extra.values }, secrets) as AppConfig<ExtraSettings<Extra>>;
}

/** Returns a copy of the configuration that is safe to log, with secrets redacted. */
export function redactedConfig(config: AppConfig<unknown>): Readonly<Record<string, unknown>> {
  return config.toJSON();
}

/** Reads the standard variables. Rules that involve an invalid variable are skipped, so it is reported only once. */
function readSettings(env: Env, defaults: Env) {
  const problems: string[] = [];
  const wrong = new Set<string>();
  const values: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries<Variable>(VARIABLES)) {
    const { reader, fallback, secret = false } = variable;
    const name = nameIn(env, variable);
    const given = [env[name], defaults[variable.name], fallback].find(isPresent);
    if (given === undefined) continue;
    const text = secret ? given : given.trim();
    const value = reader.parse(text);
    if (value !== undefined) values[key] = value;
    else {
      wrong.add(variable.name);
      const isHidden = secret || reader.hides === true;
      problems.push(`${name} must be ${reader.wants}${isHidden ? "" : `; got "${printable(text)}"`}.`);
    }
  }
  values["logLevel"] ??= values["environment"] === "development" ? "debug" : "info";
  for (const key of Object.keys(VARIABLES)) values[key] ??= undefined;
  const settings = values as unknown as AppSettings; // Safe: the caller throws if there are problems
  for (const { needs, problem } of checkTogether(values)) {
    if (!needs.some((name) => wrong.has(name))) problems.push(problem);
  }
  return { settings, problems };
}

/** Returns the variable's alias if only the alias is set. */
function nameIn(env: Env, { name, alias }: Variable): string {
  return alias !== undefined && !isPresent(env[name]) && isPresent(env[alias]) ? alias : name;
}

/** Checks rules that involve more than one variable. Each problem lists the variables that it depends on. */
function checkTogether(settings: Partial<AppSettings>) {
  const found: { readonly needs: readonly string[]; readonly problem: string }[] = [];
  const rule = (isBroken: boolean, needs: readonly string[], problem: string) => {
    if (isBroken) found.push({ needs, problem });
  };
  const { mcpAuthMode, mcpAuthDevBypass, environment = "", mcpTransportType, mcpHttpHost = "" } = settings;
  const isOpen = mcpTransportType === "http" && !isLoopbackHost(mcpHttpHost);
  const mode = (name: string) => ["MCP_AUTH_MODE", "MCP_AUTH_DEV_BYPASS", name];
  const required = (value: unknown, wanted: AppSettings["mcpAuthMode"], name: string) =>
    rule(
      mcpAuthMode === wanted && mcpAuthDevBypass !== true && value === undefined,
      mode(name),
      `${name} is required when MCP_AUTH_MODE is ${wanted}.`,
    );
  required(settings.mcpAuthSecretKey, "jwt", "MCP_AUTH_SECRET_KEY");
  required(settings.oauthIssuerUrl, "oauth", "OAUTH_ISSUER_URL");
  required(settings.oauthAudience, "oauth", "OAUTH_AUDIENCE");
  rule(
    mcpAuthDevBypass === true && environment !== "development" && environment !== "test",
    ["MCP_AUTH_DEV_BYPASS", "NODE_ENV"],
    "MCP_AUTH_DEV_BYPASS may be true only if NODE_ENV is development or test; " +
      `NODE_ENV is "${printable(environment)}".`,
  );
  rule(
    mcpAuthDevBypass === true && isOpen,
    ["MCP_AUTH_DEV_BYPASS", "MCP_TRANSPORT_TYPE", "MCP_HTTP_HOST"],
    "MCP_AUTH_DEV_BYPASS may be true only if MCP_HTTP_HOST is a loopback address; " +
      `MCP_HTTP_HOST is "${printable(mcpHttpHost)}".`,
  );
  rule(
    mcpAuthDevBypass === true && mcpAuthMode === "none",
    ["MCP_AUTH_DEV_BYPASS", "MCP_AUTH_MODE"],
    "MCP_AUTH_DEV_BYPASS may be true only if MCP_AUTH_MODE is jwt or oauth.",
  );
  rule(
    isOpen && settings.mcpAllowedHosts === undefined,
    ["MCP_TRANSPORT_TYPE", "MCP_HTTP_HOST", "MCP_ALLOWED_HOSTS"],
    "MCP_ALLOWED_HOSTS is required when MCP_HTTP_HOST is not a loopback address. " +
      "Set it to the host names that clients use.",
  );
  return found;
}

/** Freezes a configuration. `JSON.stringify` and `console` show its secrets as `[REDACTED]`. */
function seal(
  config: AppSettings & { readonly extra: Readonly<Record<string, unknown>> },
  extraSecrets: readonly string[],
): AppConfig {
  const hide = (values: object, isHidden: (key: string) => boolean) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        value !== undefined && isHidden(key) ? REDACTED : value,
      ]),
    );
  const variables: Readonly<Record<string, Variable | undefined>> = VARIABLES;
  const shown = Object.freeze({
    ...hide(config, (key) => variables[key]?.secret === true),
    extra: Object.freeze(hide(config.extra, (key) => extraSecrets.includes(key))),
  });
  const show = { value: () => shown };
  Object.defineProperties(config, { toJSON: show, [Symbol.for("nodejs.util.inspect.custom")]: show });
  Object.freeze(config.extra);
  return Object.freeze(config) as AppConfig; // Safe: `toJSON` is defined above
}
