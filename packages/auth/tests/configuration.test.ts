import { describe, expect, test } from "vitest";
import { authorizationFromEnv, type AuthorizationOptions, createAuthorization } from "../src/index.js";
import { authorizationOptionsFromEnv } from "../src/from-env.js";
import { McpError } from "tenon/protocol";

const SECRET = "correct-horse-battery-staple-0123456789";
const OAUTH = { mode: "oauth", issuer: "https://id.example", resource: "https://mcp.example/mcp" } as const;

const SCOPES = "an array of at most 256 scopes: visible ASCII without spaces, double quotes, or backslashes";

describe("invalid options are reported together", () => {
  test.each<readonly [string, unknown, readonly string[]]>([
    ["no mode", {}, ['`mode` must be "none", "jwt", "oauth", or "development"; got undefined']],
    ["no secret", { mode: "jwt" }, ["`secretKey` is required. Set it to a secret of at least 32 bytes"]],
    [
      "a short secret",
      { mode: "jwt", secretKey: "é".repeat(15) },
      ["`secretKey` must be a secret of at least 32 bytes; got 30 bytes"],
    ],
    [
      "no options",
      { mode: "oauth" },
      [
        "`issuer` is required. Set it to an https URL without a query or fragment",
        "`resource` or `audience` is required",
      ],
    ],
    ...(
      [
        ["http://id.example", "an http URL"],
        ["id.example", "a string that is not a URL"],
        ["https://id.example?x=1", "a URL with a query"],
        ["https://id.example#x", "a URL with a fragment"],
        ["https://a:b@id.example", "a URL with credentials"],
        ["ftp://id.example", "a URL with an unsupported scheme"],
        ["https://id.example/a b", "a URL with spaces"],
      ] as const
    ).map(
      ([issuer, got]) =>
        [
          `issuer ${issuer}`,
          { ...OAUTH, issuer },
          [`\`issuer\` must be an https URL without a query or fragment; got ${got}`],
        ] as const,
    ),
    [
      "a resource over HTTP",
      { ...OAUTH, resource: "http://mcp.example" },
      ["`resource` must be an https URL without a query or fragment; got an http URL"],
    ],
    [
      "keys over HTTP",
      { ...OAUTH, jwksUri: "http://id.example/keys" },
      ["`jwksUri` must be an https URL; got an http URL"],
    ],
    ...(
      [
        [["HS256"], '"HS256"'],
        [["RS256", "none"], '"none"'],
        [[], "an empty array"],
      ] as const
    ).map(
      ([algorithms, got]) =>
        [
          `algorithms ${JSON.stringify(algorithms)}`,
          { ...OAUTH, algorithms },
          [
            `\`algorithms\` must be a non-empty array of these values: RS256, PS256, ES256, EdDSA, Ed25519, RS384, RS512, PS384, PS512, ES384, ES512; got ${got}`,
          ],
        ] as const,
    ),
    [
      "an empty audience",
      { ...OAUTH, audience: [] },
      ["`audience` must be a non-empty string or a non-empty array of non-empty strings; got an empty array"],
    ],
    [
      "a negative grace time, and a URL as private host",
      { ...OAUTH, keyGraceMs: -1, allowPrivateNetworks: ["https://id.example.com"] },
      [
        "`keyGraceMs` must be a non-negative number (milliseconds); got -1",
        "`allowPrivateNetworks` must be true, false, or an array of host names without a scheme and port; " +
          'got "https://id.example.com"',
      ],
    ],
    [
      "several",
      {
        ...OAUTH,
        requiredScopes: ["a b"],
        realm: "a\r\nb",
        clockSkewSeconds: 301,
        maxTokenAgeSeconds: 0,
        cooldownMs: -1,
        scopesSupported: [1],
      },
      [
        "`cooldownMs` must be a non-negative number (milliseconds); got -1",
        `\`scopesSupported\` must be ${SCOPES}; got an array whose item 0 is invalid`,
        `\`requiredScopes\` must be ${SCOPES}; got an array whose item 0 is invalid`,
        "`realm` must be a string of printable ASCII characters; got a string",
        "`clockSkewSeconds` must be a number from 0 to 300 (seconds); got 301",
        "`maxTokenAgeSeconds` must be a number greater than 0 (seconds); got 0",
      ],
    ],
  ])("%s", (_name, options, problems) => {
    expect(errorOf(() => createAuthorization(options as AuthorizationOptions))).toEqual({
      code: "CONFIGURATION_ERROR",
      message: `Invalid authorization configuration: ${problems.join(". ")}.`,
    });
  });
});

describe("T41: MCP_AUTH_MODE selects the mode", () => {
  const ENV = {
    MCP_AUTH_MODE: "oauth",
    OAUTH_ISSUER_URL: "https://id.example",
    OAUTH_AUDIENCE: "https://mcp.example/mcp",
  };
  test.each<readonly [string, Readonly<Record<string, string>>, unknown]>([
    ["nothing", {}, { mode: "none" }],
    ["an empty mode", { MCP_AUTH_MODE: "" }, { mode: "none" }],
    ["none", { MCP_AUTH_MODE: "none", MCP_AUTH_SECRET_KEY: "short" }, { mode: "none" }],
    ["jwt", { MCP_AUTH_MODE: "jwt", MCP_AUTH_SECRET_KEY: SECRET }, { mode: "jwt", secretKey: SECRET }],
    ["oauth", ENV, { mode: "oauth", issuer: "https://id.example", resource: "https://mcp.example/mcp" }],
    [
      "keys",
      { ...ENV, OAUTH_JWKS_URI: "https://id.example/k?t=1" },
      {
        mode: "oauth",
        issuer: "https://id.example",
        resource: "https://mcp.example/mcp",
        jwksUri: "https://id.example/k?t=1",
      },
    ],
    [
      "an audience that is not a URL",
      { ...ENV, OAUTH_AUDIENCE: "notes" },
      { mode: "oauth", issuer: "https://id.example", audience: "notes" },
    ],
    [
      "a bypass",
      { MCP_AUTH_MODE: "jwt", MCP_AUTH_DEV_BYPASS: "true", NODE_ENV: "test" },
      { mode: "development", nodeEnv: "test" },
    ],
    [
      "a bypass with a name",
      {
        ...ENV,
        MCP_AUTH_DEV_BYPASS: "true",
        NODE_ENV: "test",
        DEV_MCP_CLIENT_ID: "me",
        DEV_MCP_SCOPES: "a, b c",
      },
      { mode: "development", nodeEnv: "test", clientId: "me", scopes: ["a", "b", "c"] },
    ],
    [
      "a bypass with a scope twice",
      { ...ENV, MCP_AUTH_DEV_BYPASS: "true", NODE_ENV: "test", DEV_MCP_SCOPES: "a b,a" },
      { mode: "development", nodeEnv: "test", scopes: ["a", "b"] },
    ],
    [
      "a bypass whose scopes are only separators",
      { ...ENV, MCP_AUTH_DEV_BYPASS: "true", NODE_ENV: "test", DEV_MCP_SCOPES: " , ," },
      { mode: "development", nodeEnv: "test" },
    ],
  ])("%s", (_name, env, expected) => {
    expect(authorizationOptionsFromEnv(env)).toEqual(expected);
  });

  test("keeps the audience in addition to an explicit resource", () => {
    const resource = "https://mcp.example/other";
    const options = { resource, resourceName: "N", allowPrivateNetworks: true };
    expect(authorizationOptionsFromEnv(ENV, options)).toEqual({
      mode: "oauth",
      issuer: "https://id.example",
      resource,
      resourceName: "N",
      allowPrivateNetworks: true,
      audience: "https://mcp.example/mcp",
    });
  });

  test.each<readonly [string, Readonly<Record<string, string>>, reason: string, readonly string[]]>([
    [
      "an unknown mode",
      { MCP_AUTH_MODE: "JWT" },
      "",
      ['MCP_AUTH_MODE must be "none", "jwt", or "oauth"; got a string. Write it in lowercase'],
    ],
    [
      "jwt without a secret",
      { MCP_AUTH_MODE: "jwt", NODE_ENV: "development" },
      "MCP_AUTH_MODE is jwt",
      ["MCP_AUTH_SECRET_KEY is required. Set it to a secret of at least 32 bytes"],
    ],
    [
      "jwt with a blank secret",
      { MCP_AUTH_MODE: "jwt", MCP_AUTH_SECRET_KEY: " ".repeat(40) },
      "MCP_AUTH_MODE is jwt",
      ["MCP_AUTH_SECRET_KEY is required. Set it to a secret of at least 32 bytes"],
    ],
    [
      "a short secret",
      { MCP_AUTH_MODE: "jwt", MCP_AUTH_SECRET_KEY: "short" },
      "MCP_AUTH_MODE is jwt",
      ["MCP_AUTH_SECRET_KEY must be a secret of at least 32 bytes; got 5 bytes"],
    ],
    [
      "oauth without an issuer",
      { MCP_AUTH_MODE: "oauth", OAUTH_JWKS_URI: "ftp://x" },
      "MCP_AUTH_MODE is oauth",
      [
        "OAUTH_ISSUER_URL is required. Set it to an https URL without a query or fragment",
        "OAUTH_JWKS_URI must be an https URL; got a URL with an unsupported scheme",
        "OAUTH_AUDIENCE is required, unless the option `resource` is set",
      ],
    ],
    [
      "an issuer without TLS",
      { ...ENV, OAUTH_ISSUER_URL: "http://id.example" },
      "MCP_AUTH_MODE is oauth",
      ["OAUTH_ISSUER_URL must be an https URL without a query or fragment; got an http URL"],
    ],
    [
      "a bypass in production",
      { ...ENV, MCP_AUTH_DEV_BYPASS: "true", NODE_ENV: "production" },
      "MCP_AUTH_DEV_BYPASS is true",
      ['NODE_ENV must be "development" or "test" to skip authorization; got "production"'],
    ],
    [
      "a bypass without a mode",
      { MCP_AUTH_DEV_BYPASS: "true", NODE_ENV: "test" },
      "MCP_AUTH_DEV_BYPASS is true",
      ["MCP_AUTH_MODE must be jwt or oauth"],
    ],
    [
      "a bypass that is not true or false",
      { ...ENV, MCP_AUTH_DEV_BYPASS: "yes" },
      "",
      ["MCP_AUTH_DEV_BYPASS must be true or false; got a string. Write it in lowercase"],
    ],
    [
      "invalid scopes",
      { ...ENV, MCP_AUTH_DEV_BYPASS: "true", NODE_ENV: "test", DEV_MCP_SCOPES: 'a"b' },
      "MCP_AUTH_DEV_BYPASS is true",
      [`DEV_MCP_SCOPES must be ${SCOPES}; got an array whose item 0 is invalid`],
    ],
    [
      "too many scopes",
      {
        ...ENV,
        MCP_AUTH_DEV_BYPASS: "true",
        NODE_ENV: "test",
        DEV_MCP_SCOPES: Array.from({ length: 257 }, (_, at) => `s${at}`).join(" "),
      },
      "MCP_AUTH_DEV_BYPASS is true",
      [`DEV_MCP_SCOPES must be ${SCOPES}; got 257 items`],
    ],
  ])("%s throws CONFIGURATION_ERROR", (_name, env, reason, problems) => {
    const place = reason === "" ? "" : ` (${reason})`;
    expect(errorOf(() => authorizationFromEnv(env))).toEqual({
      code: "CONFIGURATION_ERROR",
      message: `Invalid authorization configuration${place}: ${problems.join(". ")}.`,
    });
  });
});

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error instanceof McpError ? { code: error.code, message: error.message } : error;
  }
  return "nothing was thrown";
}
