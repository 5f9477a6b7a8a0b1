import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readBearerChallenge } from "../../src/client-auth/discovery/bearer-challenge.js";

const NONE = { resourceMetadata: undefined, scopes: undefined, error: undefined };

describe("a challenge", () => {
  test.each<[string, string | undefined, Partial<ReturnType<typeof readBearerChallenge>>]>([
    ["a missing header", undefined, {}],
    ["an empty header", "", {}],
    ["a scheme without parameters", "Bearer", {}],
    [
      "quoted parameters",
      'Bearer realm="x", resource_metadata="https://a.example/prm", scope="a b"',
      { resourceMetadata: "https://a.example/prm", scopes: ["a", "b"] },
    ],
    [
      "no spaces between the parameters",
      'Bearer scope="a",error="invalid_token"',
      { scopes: ["a"], error: "invalid_token" },
    ],
    ["spaces around the equals sign", 'Bearer scope = "a"', { scopes: ["a"] }],
    [
      "a URL without quotes",
      "Bearer resource_metadata=https://a.example/prm?x=1, error=invalid_token",
      { resourceMetadata: "https://a.example/prm?x=1", error: "invalid_token" },
    ],
    ["a scheme in capitals", 'BEARER SCOPE="a"', { scopes: ["a"] }],
    [
      "escaped characters",
      String.raw`Bearer error="in\valid\"", scope="a"`,
      { error: 'invalid"', scopes: ["a"] },
    ],
    ["a comma in a value", 'Bearer error_description="no, never", scope="a"', { scopes: ["a"] }],
    ["another scheme first", 'Basic realm="x", Bearer scope="a"', { scopes: ["a"] }],
    ["another scheme with a token first", 'Negotiate YWJj==, Bearer scope="a"', { scopes: ["a"] }],
    ["another scheme last", 'Bearer scope="a", Basic scope="b", error="x"', { scopes: ["a"] }],
    ["two challenges", 'Bearer scope="a", Bearer scope="b"', { scopes: ["a"] }],
    ["only another scheme", 'DPoP scope="a", error="x"', {}],
    ["a repeated parameter", 'Bearer scope="a", scope="b"', { scopes: ["a"] }],
    ["an empty scope", 'Bearer scope=""', {}],
    ["repeated and malformed scopes", 'Bearer scope="a  a b\u00e9 c"', { scopes: ["a", "c"] }],
    ["a quote that is closed too late", 'Bearer scope="a, error="x"', { scopes: ["a,", "error="] }],
    ["a quote that is never closed", 'Bearer error=x, scope="a', { error: "x" }],
  ])("is read from %s", (_case, header, expected) => {
    expect(readBearerChallenge(header)).toEqual({ ...NONE, ...expected });
  });

  test("of any text is read without an error, in bounded time", () => {
    const pieces = fc.constantFrom('"', "\\", ",", " ", "=", "Bearer", "scope", "a", "\t", "==");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 400 }), (parts) => {
        const { scopes } = readBearerChallenge(parts.join(""));
        expect(scopes?.every((scope) => /^[!#-[\]-~]+$/.test(scope)) ?? true).toBe(true);
      }),
    );
  });

  test("is read only up to its limit", () => {
    const header = `Bearer x="${"a".repeat(20_000)}", scope="late"`;
    expect(readBearerChallenge(header).scopes).toBeUndefined();
  });
});
