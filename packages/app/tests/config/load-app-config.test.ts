import * as fc from "fast-check";
import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { config, lazyConfig } from "../../src/config/config.js";
import { appConfigHelp, describeConfig } from "../../src/config/describe-config.js";
import { loadAppConfig, redactedConfig } from "../../src/config/load-app-config.js";
import { McpError } from "tenon/protocol";

const SECRET = "correct-horse-battery-staple-0123456789";
const problemsOf = (env: Record<string, string>, options: Parameters<typeof loadAppConfig>[1] = {}) => {
  try {
    loadAppConfig(env, options);
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    expect(error.code).toBe("CONFIGURATION_ERROR");
    const { problems } = error.details as { readonly problems: readonly string[] };
    expect(error.message).toBe(["Invalid configuration:", ...problems.map((one) => `- ${one}`)].join("\n"));
    return problems;
  }
  return [];
};

afterEach(() => vi.unstubAllEnvs());

describe("loadAppConfig", () => {
  test("T40: uses the standard's defaults for an empty environment", () => {
    expect({ ...loadAppConfig({}) }).toEqual({
      mcpServerName: "mcp-server",
      mcpServerVersion: "0.0.0",
      environment: "development",
      logLevel: "debug",
      logsPath: undefined,
      mcpTransportType: "stdio",
      mcpSessionMode: "auto",
      mcpHttpPort: 3010,
      mcpHttpHost: "127.0.0.1",
      mcpHttpEndpointPath: "/mcp",
      mcpHttpMaxPortRetries: 15,
      mcpHttpPortRetryDelayMs: 50,
      mcpStatefulSessionStaleTimeoutMs: 1_800_000,
      mcpAllowedOrigins: undefined,
      mcpAllowedHosts: undefined,
      mcpAuthMode: "none",
      mcpAuthSecretKey: undefined,
      mcpAuthDevBypass: false,
      oauthIssuerUrl: undefined,
      oauthJwksUri: undefined,
      oauthAudience: undefined,
      devMcpClientId: "dev-client-id",
      devMcpScopes: ["dev-scope"],
      extra: {},
    });
  });

  test("T40: reads every variable", () => {
    const read = loadAppConfig({
      MCP_SERVER_NAME: "weather",
      MCP_SERVER_VERSION: "1.2.3",
      NODE_ENV: "production",
      MCP_LOG_LEVEL: "WARN",
      LOGS_DIR: "/var/log/weather",
      MCP_TRANSPORT_TYPE: "http",
      MCP_SESSION_MODE: "stateless",
      MCP_HTTP_PORT: "0",
      MCP_HTTP_HOST: "0.0.0.0",
      MCP_HTTP_ENDPOINT_PATH: "/api/mcp",
      MCP_HTTP_MAX_PORT_RETRIES: "3",
      MCP_HTTP_PORT_RETRY_DELAY_MS: "10",
      MCP_STATEFUL_SESSION_STALE_TIMEOUT_MS: "60000",
      MCP_ALLOWED_ORIGINS: "https://app.example, http://localhost:5173",
      MCP_ALLOWED_HOSTS: "mcp.example,[::1]",
      MCP_AUTH_MODE: "oauth",
      MCP_AUTH_SECRET_KEY: SECRET,
      OAUTH_ISSUER_URL: "https://id.example/tenant",
      OAUTH_JWKS_URI: "http://localhost:9000/jwks?v=2",
      OAUTH_AUDIENCE: "https://mcp.example",
      DEV_MCP_CLIENT_ID: "me",
      DEV_MCP_SCOPES: "a:read, b:write c",
    });
    expect({ ...read }).toEqual({
      mcpServerName: "weather",
      mcpServerVersion: "1.2.3",
      environment: "production",
      logLevel: "warning",
      logsPath: "/var/log/weather",
      mcpTransportType: "http",
      mcpSessionMode: "stateless",
      mcpHttpPort: 0,
      mcpHttpHost: "0.0.0.0",
      mcpHttpEndpointPath: "/api/mcp",
      mcpHttpMaxPortRetries: 3,
      mcpHttpPortRetryDelayMs: 10,
      mcpStatefulSessionStaleTimeoutMs: 60_000,
      mcpAllowedOrigins: ["https://app.example", "http://localhost:5173"],
      mcpAllowedHosts: ["mcp.example", "[::1]"],
      mcpAuthMode: "oauth",
      mcpAuthSecretKey: SECRET,
      mcpAuthDevBypass: false,
      oauthIssuerUrl: "https://id.example/tenant",
      oauthJwksUri: "http://localhost:9000/jwks?v=2",
      oauthAudience: "https://mcp.example",
      devMcpClientId: "me",
      devMcpScopes: ["a:read", "b:write", "c"],
      extra: {},
    });
    expect(
      Object.isFrozen(read) && Object.isFrozen(read.extra) && Object.isFrozen(read.mcpAllowedHosts),
    ).toBe(true);
  });

  test.each([
    [{ MCP_HTTP_PORT: "70000" }, 'MCP_HTTP_PORT must be an integer from 0 to 65535; got "70000".'],
    [{ MCP_HTTP_PORT: "1e3" }, 'MCP_HTTP_PORT must be an integer from 0 to 65535; got "1e3".'],
    [{ MCP_HTTP_PORT: "-1" }, 'MCP_HTTP_PORT must be an integer from 0 to 65535; got "-1".'],
    [{ MCP_TRANSPORT_TYPE: "HTTP" }, 'MCP_TRANSPORT_TYPE must be one of stdio, http; got "HTTP".'],
    [{ MCP_SESSION_MODE: "x" }, 'MCP_SESSION_MODE must be one of stateless, stateful, auto; got "x".'],
    [{ MCP_AUTH_MODE: "basic" }, 'MCP_AUTH_MODE must be one of jwt, oauth, none; got "basic".'],
    [{ MCP_AUTH_DEV_BYPASS: "1" }, 'MCP_AUTH_DEV_BYPASS must be true or false; got "1".'],
    [
      { MCP_LOG_LEVEL: "loud" },
      'MCP_LOG_LEVEL must be one of debug, info, notice, warning, error, crit, alert, emerg; got "loud".',
    ],
    [
      { MCP_HTTP_HOST: "a b" },
      'MCP_HTTP_HOST must be a host name or an IP address, without port or brackets; got "a b".',
    ],
    [{ MCP_HTTP_ENDPOINT_PATH: "mcp" }, 'MCP_HTTP_ENDPOINT_PATH must be a path such as /mcp; got "mcp".'],
    [
      { MCP_ALLOWED_ORIGINS: "*" },
      "MCP_ALLOWED_ORIGINS must be a list of origins such as https://app.example, separated by commas.",
    ],
    [
      { MCP_ALLOWED_ORIGINS: "https://a.example/" },
      "MCP_ALLOWED_ORIGINS must be a list of origins such as https://app.example, separated by commas.",
    ],
    [
      { MCP_ALLOWED_HOSTS: "a.example:80" },
      'MCP_ALLOWED_HOSTS must be a list of host names without ports, separated by commas; got "a.example:80".',
    ],
    [
      { OAUTH_ISSUER_URL: "http://id.example" },
      "OAUTH_ISSUER_URL must be an https URL without credentials, query, or fragment (http is allowed on loopback only).",
    ],
    [
      { MCP_AUTH_DEV_BYPASS: "true" },
      "MCP_AUTH_DEV_BYPASS may be true only if MCP_AUTH_MODE is jwt or oauth.",
    ],
    [
      { OAUTH_JWKS_URI: "https://ada:hunter2@id.example" },
      "OAUTH_JWKS_URI must be an https URL without credentials or fragment (http is allowed on loopback only).",
    ],
    [
      { MCP_SERVER_NAME: "a\u0007b" },
      'MCP_SERVER_NAME must be a single-line name with at most 128 characters; got "a?b".',
    ],
    [{ MCP_AUTH_SECRET_KEY: "too-short" }, "MCP_AUTH_SECRET_KEY must be 32 to 4096 characters long."],
    [{ MCP_AUTH_MODE: "jwt" }, "MCP_AUTH_SECRET_KEY is required when MCP_AUTH_MODE is jwt."],
    [
      { NODE_ENV: "production", MCP_AUTH_MODE: "jwt", MCP_AUTH_DEV_BYPASS: "true" },
      'MCP_AUTH_DEV_BYPASS may be true only if NODE_ENV is development or test; NODE_ENV is "production".',
    ],
    [
      { NODE_ENV: "prod", MCP_AUTH_MODE: "jwt", MCP_AUTH_DEV_BYPASS: "true" },
      'MCP_AUTH_DEV_BYPASS may be true only if NODE_ENV is development or test; NODE_ENV is "prod".',
    ],
    [
      { MCP_TRANSPORT_TYPE: "http", MCP_HTTP_HOST: "::" },
      "MCP_ALLOWED_HOSTS is required when MCP_HTTP_HOST is not a loopback address. Set it to the host names that clients use.",
    ],
    [
      {
        MCP_TRANSPORT_TYPE: "http",
        MCP_HTTP_HOST: "0.0.0.0",
        MCP_ALLOWED_HOSTS: "a.example",
        MCP_AUTH_MODE: "oauth",
        MCP_AUTH_DEV_BYPASS: "true",
      },
      'MCP_AUTH_DEV_BYPASS may be true only if MCP_HTTP_HOST is a loopback address; MCP_HTTP_HOST is "0.0.0.0".',
    ],
  ] as const)("T40, T41: reports one problem for %o and names the variable", (env, problem) => {
    expect(problemsOf(env)).toEqual([problem]);
  });

  test("T41: oauth mode requires issuer and audience, and one error lists all problems", () => {
    expect(
      problemsOf(
        { MCP_AUTH_MODE: "oauth", MCP_HTTP_PORT: "x", NODE_ENV: "test" },
        { extra: { DSN: z.string() } },
      ),
    ).toEqual([
      'MCP_HTTP_PORT must be an integer from 0 to 65535; got "x".',
      "OAUTH_ISSUER_URL is required when MCP_AUTH_MODE is oauth.",
      "OAUTH_AUDIENCE is required when MCP_AUTH_MODE is oauth.",
      "DSN is required.",
    ]);
  });

  test("T41: an invalid variable causes only one problem, and the bypass requires no key", () => {
    expect(problemsOf({ MCP_AUTH_MODE: "jwt", MCP_AUTH_SECRET_KEY: "short" })).toHaveLength(1);
    expect(problemsOf({ MCP_AUTH_MODE: "jwt", MCP_AUTH_DEV_BYPASS: "true", NODE_ENV: "test" })).toEqual([]);
    expect(problemsOf({ MCP_AUTH_MODE: "jwt", MCP_AUTH_SECRET_KEY: SECRET, NODE_ENV: "production" })).toEqual(
      [],
    );
  });

  test.each([
    ["development", "debug"],
    ["production", "info"],
    ["test", "info"],
  ])("the log level in %s is %s", (environment, level) => {
    expect(loadAppConfig({ NODE_ENV: environment }).logLevel).toBe(level);
  });

  test("treats empty variables as unset, and the environment overrides the application's defaults", () => {
    const defaults = { MCP_SERVER_NAME: "mine", MCP_HTTP_PORT: "4000" };
    const read = loadAppConfig(
      { MCP_SERVER_NAME: "", MCP_HTTP_PORT: " 5000 ", MCP_AUTH_MODE: "  " },
      { defaults },
    );
    expect(read).toMatchObject({ mcpServerName: "mine", mcpHttpPort: 5000, mcpAuthMode: "none" });
  });

  test("throws only CONFIGURATION_ERROR for any environment (property)", () => {
    const names = describeConfig().map(({ name }) => name);
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("true", "http", "jwt", "0", "::", "https://a.example"),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (env) => {
        for (const problem of problemsOf(env)) expect(problem).toMatch(/^[A-Z_]+ [\x20-\x7e]+$/);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the application's own variables", () => {
  const extra = {
    LLM_API_KEY: z.string().min(8).describe("The model's key"),
    LLM_TEMPERATURE: z.coerce.number().max(2).default(0.5),
    SUPABASE_URL: z.url().optional().describe("The database"),
    PIN: z.string().meta({ secret: true, description: "A number" }),
  };
  const good = { LLM_API_KEY: "sk-123456", PIN: "7391" };

  test("T40: are parsed and typed by their schemas", () => {
    const read = loadAppConfig({ ...good, LLM_TEMPERATURE: "1.5", SUPABASE_URL: "" }, { extra });
    const temperature: number = read.extra.LLM_TEMPERATURE;
    const url: string | undefined = read.extra.SUPABASE_URL;
    expect([temperature, url, read.extra.LLM_API_KEY]).toEqual([1.5, undefined, "sk-123456"]);
  });

  test("T40: their problems name the variable and contain no secret", () => {
    const quoting = {
      API_TOKEN: z.string().refine(() => false, { error: ({ input }) => `bad ${String(input)}` }),
    };
    expect(problemsOf({ ...good, LLM_API_KEY: "short", LLM_TEMPERATURE: "9" }, { extra })).toEqual([
      "LLM_API_KEY is invalid.",
      "LLM_TEMPERATURE is invalid: Too big: expected number to be <=2.",
    ]);
    expect(problemsOf({ API_TOKEN: "hunter2" }, { extra: quoting })).toEqual(["API_TOKEN is invalid."]);
    expect(problemsOf({}, { extra })).toEqual(["LLM_API_KEY is required.", "PIN is required."]);
  });

  test.each([
    [
      { MCP_HTTP_PORT: z.string() },
      "`extra` must not redefine the standard variable MCP_HTTP_PORT. Choose a different name.",
    ],
    [
      { "no name": z.string() },
      '`extra` keys must be environment variable names such as API_KEY; got "no name".',
    ],
  ])("rejects a standard name and an invalid name", (shape, message) => {
    expect(() => loadAppConfig({}, { extra: shape })).toThrow(message);
  });

  test("T40: a configuration prints without its secrets", () => {
    const read = loadAppConfig({ ...good, MCP_AUTH_SECRET_KEY: SECRET }, { extra });
    expect(redactedConfig(read)).toMatchObject({
      mcpAuthSecretKey: "[REDACTED]",
      mcpHttpPort: 3010,
      extra: { LLM_API_KEY: "[REDACTED]", PIN: "[REDACTED]", LLM_TEMPERATURE: 0.5 },
    });
    for (const shown of [JSON.stringify(read), inspect(read), inspect({ deep: { read } }, { depth: 9 })]) {
      expect(shown).toContain("[REDACTED]");
      for (const secret of [SECRET, "sk-123456", "7391"]) expect(shown).not.toContain(secret);
    }
    expect(redactedConfig(loadAppConfig({})).mcpAuthSecretKey).toBeUndefined();
  });

  test("are described together with the standard variables", () => {
    const rows = describeConfig({ extra });
    expect(rows.slice(-4)).toEqual([
      { name: "LLM_API_KEY", default: undefined, meaning: "The model's key", required: true, secret: true },
      { name: "LLM_TEMPERATURE", default: "0.5", meaning: "", required: false, secret: false },
      { name: "SUPABASE_URL", default: undefined, meaning: "The database", required: false, secret: false },
      { name: "PIN", default: undefined, meaning: "A number", required: true, secret: true },
    ]);
    expect(rows).toHaveLength(23 + 4);
    const help = appConfigHelp({ extra }).split("\n");
    expect(help[0]).toBe("An empty variable is treated as unset.");
    expect(help[2]).toMatch(/^ {2}Environment +Default +Meaning$/);
    expect(help).toContainEqual(
      expect.stringMatching(/^ {2}MCP_HTTP_PORT +3010 +Port; 0 picks a free port$/),
    );
    expect(help).toContainEqual(
      expect.stringMatching(/^ {2}LLM_API_KEY +\(required\) +The model's key \(secret\)$/),
    );
    expect(help).toHaveLength(3 + 27);
  });
});

describe("the configuration of the process", () => {
  test("T40: is read on first use, once", () => {
    vi.stubEnv("MCP_SERVER_NAME", "from the environment");
    vi.stubEnv("NODE_ENV", "test");
    expect(config.mcpServerName).toBe("from the environment");
    vi.stubEnv("MCP_SERVER_NAME", "later");
    expect(config.mcpServerName).toBe("from the environment");
    expect(JSON.parse(JSON.stringify(config))).toMatchObject({ mcpServerName: "from the environment" });
    expect(Object.keys(config)).toContain("mcpHttpPort");
  });

  test("T40: an application can create one with its own variables", () => {
    let reads = 0;
    const own = lazyConfig(() => {
      reads++;
      return loadAppConfig({ LLM_MODEL: "m" }, { extra: { LLM_MODEL: z.string() } });
    });
    expect(reads).toBe(0);
    expect([own.extra.LLM_MODEL, own.mcpHttpPort, reads]).toEqual(["m", 3010, 1]);
    expect(inspect(own)).toContain("LLM_MODEL");
  });
});
