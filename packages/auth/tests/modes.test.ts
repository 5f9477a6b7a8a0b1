import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AuthorizationEvent, createAuthorization } from "../src/index.js";
import type { Auth } from "../../tenon/src/core/wire/exchange.js";
import type { Authorization } from "../../tenon/src/transport/http/authorization.js";
import { TOKEN_PROBLEMS } from "../src/tokens/problems.js";
import { checkClaims, principalOf } from "../src/tokens/claims.js";
import { readBearer } from "../src/tokens/bearer.js";
import { goodClaims, RESOURCE, seconds, startTrust } from "../../../tools/tokens/issuer.js";
import { hmacToken } from "../../../tools/tokens/tokens.js";

const SECRET = "correct-horse-battery-staple-0123456789";

/** Authenticates with an Authorization header. */
async function show(authorization: Authorization<never>, value?: string) {
  const header = (name: string) => (name === "authorization" ? value : undefined);
  return authorization.authenticate({ method: "POST", url: "/mcp", header });
}

const jwtClaims = (change: Readonly<Record<string, unknown>> = {}) => ({
  cid: "desk",
  scp: ["notes:read"],
  exp: seconds() + 300,
  ...change,
});

const jwt = (change: Readonly<Record<string, unknown>> = {}, secret = SECRET) =>
  `Bearer ${hmacToken({ alg: "HS256", typ: "JWT" }, jwtClaims(change), secret)}`;

describe("T41: without authorization", () => {
  test("accepts every request without a caller", async () => {
    const authorization = createAuthorization({ mode: "none" });
    expect(await show(authorization)).toEqual({});
    expect(await show(authorization, "Bearer anything")).toEqual({});
    expect(authorization.metadata).toBeUndefined();
  });
});

describe("T41: jwt mode", () => {
  const authorization = createAuthorization({ mode: "jwt", secretKey: SECRET });

  test.each<readonly [string, Readonly<Record<string, unknown>>, Partial<Auth>]>([
    ["cid and scp", {}, { clientId: "desk", scopes: ["notes:read"] }],
    [
      "client_id and scope",
      { cid: undefined, client_id: "web", scp: undefined, scope: "a b" },
      { clientId: "web", scopes: ["a", "b"] },
    ],
    ["duplicate scopes", { scp: ["a", "a"] }, { scopes: ["a"] }],
    ["scp and scope", { scope: "other" }, { scopes: ["notes:read"] }],
    ["a subject", { sub: "ada", iss: "me" }, { subject: "ada", principal: '["me","ada","desk"]' }],
    ["no subject", {}, { principal: '[null,null,"desk"]' }],
  ])("identifies the caller by a token with %s", async (_name, change, expected) => {
    const found = await show(authorization, jwt(change));
    expect(found).toMatchObject({ auth: expected });
    expect(JSON.stringify(found)).not.toContain(".");
  });

  test.each<readonly [string, keyof typeof TOKEN_PROBLEMS, string]>([
    ["a different secret", "signature", jwt({}, `${SECRET}!`)],
    ["no client", "client", jwt({ cid: undefined })],
    ["no scopes", "scopes", jwt({ scp: undefined })],
    ["an empty array of scopes", "scopes", jwt({ scp: [] })],
    ["an empty string of scopes", "scopes", jwt({ scp: undefined, scope: "" })],
    ["no exp", "exp", jwt({ exp: undefined })],
    ["exp in the past", "expired", jwt({ exp: seconds() - 10 })],
    ["an issuer as a number", "iss", jwt({ iss: 5 })],
    ...["none", "HS384", "HS512", "RS256", "ES256", "EdDSA"].map(
      (alg) => [`alg ${alg}`, "algorithm", `Bearer ${hmacToken({ alg }, jwtClaims(), SECRET)}`] as const,
    ),
  ])("rejects a token with %s: %s", async (_name, problem, value) => {
    expect(await show(authorization, value)).toEqual({
      status: 401,
      headers: {
        "www-authenticate": `Bearer error="invalid_token", error_description="${TOKEN_PROBLEMS[problem]}"`,
      },
      message: TOKEN_PROBLEMS[problem],
    });
  });

  test("checks issuer and audience if they are set", async () => {
    const strict = createAuthorization({
      mode: "jwt",
      secretKey: SECRET,
      issuer: "me",
      audience: ["a", "b"],
    });
    expect(await show(strict, jwt({ iss: "me", aud: "b" }))).toHaveProperty("auth");
    expect(await show(strict, jwt({ iss: "you", aud: "b" }))).toHaveProperty(
      "message",
      TOKEN_PROBLEMS.issuer,
    );
    expect(await show(strict, jwt({ iss: "me", aud: "c" }))).toHaveProperty(
      "message",
      TOKEN_PROBLEMS.audience,
    );
  });

  test("accepts a secret as bytes", async () => {
    const bytes = createAuthorization({ mode: "jwt", secretKey: new TextEncoder().encode(SECRET) });
    expect(await show(bytes, jwt())).toHaveProperty("auth");
  });
});

describe("lifetimes", () => {
  const rules = { issuer: undefined, audiences: undefined, clockSkewSeconds: 5, needsScopes: true } as const;
  test.each<readonly [Readonly<Record<string, unknown>>, number | undefined, string]>([
    [{ exp: 996 }, undefined, "ok"],
    [{ exp: 995 }, undefined, "expired"],
    [{ exp: 2_000, nbf: 1_005 }, undefined, "ok"],
    [{ exp: 2_000, nbf: 1_006 }, undefined, "early"],
    [{ exp: 2_000, iat: 1_005 }, undefined, "ok"],
    [{ exp: 2_000, iat: 1_006 }, undefined, "early"],
    [{ exp: 2_000, iat: 895 }, 100, "ok"],
    [{ exp: 2_000, iat: 894 }, 100, "expired"],
    [{ exp: 2_000 }, 100, "iat"],
  ])("%j with a maximum age of %s is %s at 1,000", (change, maxTokenAgeSeconds, expected) => {
    const found = checkClaims(jwtClaims(change), { ...rules, maxTokenAgeSeconds }, 1_000_000);
    expect(found.ok ? "ok" : found.problem).toBe(expected);
  });
});

describe("T41: oauth mode", () => {
  test("identifies the caller and the expiry, without the token", async () => {
    const { options, issuer, token } = await startTrust();
    try {
      const exp = seconds() + 100;
      expect(await show(createAuthorization(options), `Bearer ${token({ exp })}`)).toEqual({
        auth: {
          principal: JSON.stringify([issuer.url, "ada", "desk"]),
          clientId: "desk",
          subject: "ada",
          scopes: ["notes:read"],
          expiresAt: exp * 1_000,
        },
        validUntil: (exp + 5) * 1_000,
      });
    } finally {
      await issuer.close();
    }
  });

  test("names every required scope in 401 and 403 responses", async () => {
    const { options, issuer, token } = await startTrust();
    try {
      const events: AuthorizationEvent[] = [];
      const authorization = createAuthorization({
        ...options,
        realm: 'the "notes"',
        requiredScopes: ["notes:read", "notes:list"],
        onEvent: (event) => void events.push(event),
      });
      const metadata = 'resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource/mcp"';
      const realm = String.raw`realm="the \"notes\""`;
      expect(await show(authorization)).toEqual({
        status: 401,
        headers: { "www-authenticate": `Bearer ${realm}, scope="notes:read notes:list", ${metadata}` },
        message: "Missing or invalid Authorization header. Bearer scheme required.",
      });
      expect(await show(authorization, `Bearer ${token()}`)).toEqual({
        status: 403,
        headers: {
          "www-authenticate": `Bearer ${realm}, error="insufficient_scope", scope="notes:read notes:list", ${metadata}`,
        },
        message:
          "The access token is missing a required scope. Request a token with these scopes: notes:read notes:list.",
      });
      expect(await show(authorization, `Bearer ${token({ scope: "notes:list notes:read" })}`)).toHaveProperty(
        "auth",
      );
      expect(authorization.challenge(["notes:write", "notes:read"], undefined)).toEqual({
        "www-authenticate": `Bearer ${realm}, error="insufficient_scope", scope="notes:read notes:list notes:write", ${metadata}`,
      });
      expect(events).toEqual([
        { type: "refused", reason: "missing" },
        { type: "refused", reason: "scope" },
      ]);
    } finally {
      await issuer.close();
    }
  });

  test("a challenge contains only valid scopes", () => {
    const authorization = createAuthorization({ mode: "none" });
    expect(authorization.challenge(['a" b', "fine", "x\r\ny", ""], undefined)).toEqual({
      "www-authenticate": 'Bearer error="insufficient_scope", scope="fine"',
    });
  });

  test.each([
    ["https://mcp.example", ["/.well-known/oauth-protected-resource"]],
    ["https://mcp.example/", ["/.well-known/oauth-protected-resource"]],
    [
      "https://mcp.example/a/mcp",
      ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/a/mcp"],
    ],
  ])("serves the metadata of %s at %j", (resource, paths) => {
    const { metadata } = createAuthorization({
      mode: "oauth",
      issuer: "https://id.example",
      resource,
      scopesSupported: ["notes:read"],
      resourceName: "Notes",
    });
    expect([...(metadata?.paths ?? [])]).toEqual(paths);
    expect(JSON.parse(metadata?.json ?? "")).toEqual({
      resource,
      authorization_servers: ["https://id.example"],
      scopes_supported: ["notes:read"],
      bearer_methods_supported: ["header"],
      resource_name: "Notes",
    });
  });

  test.each([
    ["https://mcp.example", "https://mcp.example/", true],
    ["https://mcp.example/", "https://mcp.example", true],
    ["https://mcp.example/mcp", "https://mcp.example/mcp/", false],
    ["https://mcp.example/mcp", "https://mcp.example", false],
  ])("a server at %s accepts tokens for %s: %s", async (resource, aud, isTaken) => {
    const { options, issuer, token } = await startTrust();
    const found = await show(createAuthorization({ ...options, resource }), `Bearer ${token({ aud })}`);
    await issuer.close();
    expect("auth" in found).toBe(isTaken);
  });
});

describe("the development bypass", () => {
  test("accepts every request as the same client", async () => {
    const authorization = createAuthorization({ mode: "development", nodeEnv: "development" });
    const auth = {
      principal: '[null,null,"dev-client-id"]',
      clientId: "dev-client-id",
      scopes: ["dev-scope"],
    };
    expect(await show(authorization)).toEqual({ auth });
  });

  test.each(["production", "Production", " production ", "prod", "staging"])(
    "throws if NODE_ENV is %j",
    (nodeEnv) => {
      expect(() => createAuthorization({ mode: "development", nodeEnv })).toThrow(
        `Invalid authorization configuration: \`nodeEnv\` must be "development" or "test" to skip authorization; got "${nodeEnv}".`,
      );
    },
  );
});

describe("properties", () => {
  test("T57: different callers have different principals", () => {
    const name = fc.option(fc.string(), { nil: undefined });
    fc.assert(
      fc.property(fc.tuple(name, name, fc.string()), fc.tuple(name, name, fc.string()), (a, b) => {
        expect(principalOf(...a) === principalOf(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
    expect(principalOf('a","b', undefined, "c")).not.toBe(principalOf("a", "b", "c"));
  });

  test("any header yields a valid token or undefined", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(readBearer(`Bearer ${text}`) ?? "none").toMatch(/^[A-Za-z0-9\-._~+/]+=*$/);
      }),
    );
    expect(readBearer(`Bearer ${"a".repeat(16_378)}`)).toBeUndefined();
    expect(readBearer(`Bearer ${"a".repeat(16_377)}`)).toHaveLength(16_377);
    expect(readBearer(null)).toBeUndefined();
  });

  test("checking arbitrary claims never throws", () => {
    const rules = {
      issuer: "i",
      audiences: [RESOURCE],
      clockSkewSeconds: 5,
      maxTokenAgeSeconds: 9,
      needsScopes: false,
    };
    const names = [
      "iss",
      "aud",
      "exp",
      "nbf",
      "iat",
      "cid",
      "client_id",
      "azp",
      "scp",
      "scope",
      "sub",
      "cnf",
    ];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), fc.jsonValue()), (change) => {
        const found = checkClaims(goodClaims("i", change), rules, Date.now());
        if (found.ok) expect(found.auth.scopes.every((scope) => /^[!-~]+$/.test(scope))).toBe(true);
      }),
    );
  });
});
