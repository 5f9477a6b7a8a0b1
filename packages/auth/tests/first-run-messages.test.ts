import { describe, expect, test } from "vitest";
import { toFetch } from "tenon/fetch";
import { defineServer } from "tenon";
import { authorizationFromEnv, type AuthorizationOptions, createAuthorization } from "../src/index.js";
import { modernCall } from "../../../tests/support/http-messages.js";
import { hmacToken } from "../../../tools/tokens/tokens.js";

/** Misspelled options were ignored, and a rejected token did not say which claim was wrong. */

const SECRET = "correct-horse-battery-staple-0123456789";
const JWT = { mode: "jwt", secretKey: SECRET } as const;
const OAUTH = { mode: "oauth", issuer: "https://id.example", resource: "https://mcp.example/mcp" } as const;

describe("first-run-a3: unknown authorization options are rejected with a suggestion", () => {
  test.each<[object, string]>([
    [{ ...JWT, audiences: ["a"] }, "Unknown option `audiences`. Did you mean `audience`?"],
    [
      { mode: "jwt", secret: SECRET, secretKey: SECRET },
      "Unknown option `secret`. Did you mean `secretKey`?",
    ],
    [{ ...JWT, scopes: ["a"] }, "Unknown option `scopes`. Did you mean `requiredScopes`?"],
    [
      { ...JWT, resource: "https://a.example" },
      '`resource` is not an option for mode "jwt". It applies to mode "oauth"',
    ],
    [
      { ...OAUTH, secretKey: SECRET },
      '`secretKey` is not an option for mode "oauth". It applies to mode "jwt"',
    ],
    [
      { mode: "none", audience: "a" },
      '`audience` is not an option for mode "none". It applies to modes "jwt" and "oauth"',
    ],
    [{ ...OAUTH, jwksURI: "https://id.example/k" }, "Unknown option `jwksURI`. Did you mean `jwksUri`?"],
    [
      { mode: "development", nodeEnv: "test", scope: ["a"] },
      "Unknown option `scope`. Did you mean `scopes`?",
    ],
  ])("%j", (options, problem) => {
    expect(() => createAuthorization(options as AuthorizationOptions)).toThrow(
      `Invalid authorization configuration: ${problem}${problem.endsWith("?") ? "" : "."}`,
    );
  });

  test("together with invalid values", () => {
    expect(() =>
      createAuthorization({ ...JWT, secretKey: "short", audiences: "a" } as AuthorizationOptions),
    ).toThrow(
      "Invalid authorization configuration: Unknown option `audiences`. Did you mean `audience`? " +
        "`secretKey` must be a secret of at least 32 bytes; got 5 bytes.",
    );
  });

  test("in the second argument of authorizationFromEnv, in every mode", () => {
    expect(() => authorizationFromEnv({}, { requiredScope: ["a"] } as object)).toThrow(
      "Unknown option `requiredScope`. Did you mean `requiredScopes`?",
    );
  });

  test.each([
    [undefined, "`secretKey` is required. Set it to a secret of at least 32 bytes."],
    ["", "`secretKey` must be a secret of at least 32 bytes; got an empty string."],
    ["  ", "`secretKey` must be a secret of at least 32 bytes; got a blank string."],
  ])("a missing secret (%j) is not reported as a short one", (secretKey, problem) => {
    expect(() => createAuthorization({ mode: "jwt", secretKey } as AuthorizationOptions)).toThrow(problem);
  });
});

describe("first-run-a3: a rejected token says which claim is missing", () => {
  const claims = {
    sub: "ada",
    client_id: "c",
    scope: "a",
    exp: Math.floor(Date.now() / 1_000) + 300,
    iss: "i",
    aud: "me",
  };
  const handler = toFetch(defineServer({ name: "a", version: "1" }).tool("hi", { handler: () => "hi" }), {
    authorization: createAuthorization({ ...JWT, issuer: "i", audience: "me" }),
  });

  test.each<[object, string]>([
    [{ exp: undefined }, "The access token's `exp` claim (expiry time in seconds) is missing or malformed."],
    [{ exp: "soon" }, "The access token's `exp` claim (expiry time in seconds) is missing or malformed."],
    [{ nbf: "now" }, "The access token's `nbf` claim must be a time in seconds."],
    [{ iat: "now" }, "The access token's `iat` claim (issue time in seconds) is missing or malformed."],
    [{ sub: 7 }, "The access token's `sub` claim is malformed."],
    [{ iss: undefined }, "The access token was issued by a different issuer, or its `iss` claim is missing."],
    [
      { aud: undefined },
      "The access token was issued for a different resource, or its `aud` claim is missing.",
    ],
    [{ client_id: undefined }, "The access token must identify one client in `client_id`, `azp`, or `cid`."],
    [
      { scope: undefined },
      "The access token has missing or malformed scopes. It must have a `scope` or `scp` claim.",
    ],
  ])("%j", async (change, message) => {
    const token = hmacToken({ alg: "HS256" }, { ...claims, ...change }, SECRET);
    const init = modernCall("hi", {}, { headers: { authorization: `Bearer ${token}` } });
    const response = await handler(new Request("http://localhost/mcp", init));
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain(`error_description="${message}"`);
    expect(await response.json()).toMatchObject({ error: { message } });
  });
});
