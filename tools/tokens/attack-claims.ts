/**
 * @fileoverview More tokens with a valid signature that must be rejected because of their claims.
 * @module tools/tokens/attack-claims
 */
import { Buffer } from "node:buffer";
import { deflateRawSync } from "node:zlib";
import type { TokenProblem } from "../../packages/auth/src/tokens/problems.js";
import { type Attack, claims, withClaims, withHeader, withPayload } from "./forge.js";
import { RESOURCE, seconds } from "./issuer.js";

/** Creates one attack for each value of a claim. */
function values(claim: string, problem: TokenProblem, list: readonly unknown[]): readonly Attack[] {
  return list.map((value) => [`${claim} ${JSON.stringify(value)}`, problem, claims({ [claim]: value })]);
}

/** Issuers that look like the right one. */
const ISSUERS: readonly (readonly [string, (issuer: string) => unknown])[] = [
  ["with a path", (issuer) => `${issuer}/x`],
  ["with a query", (issuer) => `${issuer}?x`],
  ["with a fragment", (issuer) => `${issuer}#x`],
  ["with a space before it", (issuer) => ` ${issuer}`],
  ["with a space after it", (issuer) => `${issuer} `],
  ["with a NUL after it", (issuer) => `${issuer}\0`],
  ["with a user name", (issuer) => issuer.replace("://", "://user@")],
  ["with https", (issuer) => issuer.replace("http:", "https:")],
  ["with a longer port", (issuer) => `${issuer}0`],
  ["without its scheme", (issuer) => issuer.replace("http:", "")],
  ["with escapes", (issuer) => issuer.replace("127", "%3127")],
  ["with full-width digits", (issuer) => issuer.replace("127", "\uff1127")],
  ["as an object", (issuer) => ({ [issuer]: true })],
];

/** More attacks on the claims. */
export const CLAIM_VARIANTS: readonly Attack[] = [
  ...ISSUERS.map(([name, change]): Attack => [
    `the issuer ${name}`,
    "issuer",
    withClaims(({ issuer }) => ({ iss: change(issuer) })),
  ]),
  ...values("iss", "issuer", [null, 0, true, ""]),
  ...values("aud", "audience", [
    null,
    "",
    "*",
    0,
    false,
    ["*"],
    [null, RESOURCE],
    [RESOURCE, {}],
    [`${RESOURCE} `],
    ` ${RESOURCE}`,
    `${RESOURCE}?x`,
    `${RESOURCE}#x`,
    `${RESOURCE}\0`,
    RESOURCE.replace("http:", "https:"),
    RESOURCE.replace("127.0.0.1", "127.0.0.1:80"),
    RESOURCE.replace("/mcp", "/x/../mcp"),
    RESOURCE.replace("/mcp", "/%6dcp"),
    RESOURCE.replace("http://127.0.0.1", "http://evil@127.0.0.1"),
  ]),
  ...values("exp", "exp", [true, {}, "", "Infinity", 1e15, "9999999999"]),
  ...values("exp", "expired", [1, 0.5]),
  ["exp an hour ago", "expired", claims({ exp: seconds() - 3_600 })],
  ...values("nbf", "nbf", [null, true, [0], -1, 1e300]),
  ...values("nbf", "early", [32_503_680_000]),
  ...values("iat", "iat", [null, "now", -1, [], 1e300]),
  ...values("iat", "early", [32_503_680_000]),
  ...values("client_id", "client", [null, true, {}, "\0", "desk\u202e", "\ud800", "desk\u2028"]),
  ...values("azp", "client", ["phone", "", ["desk"], 1]),
  ...values("sub", "sub", [
    null,
    true,
    [],
    ["ada"],
    "\0",
    "ada\u2028",
    "\ud800",
    "\u200bada",
    "a".repeat(600),
  ]),
  ...values("scope", "scopes", ["a  b", " a", "a ", "a\tb", "a\u0000", "a\\b", {}, [], "\u200b"]),
  ...values("scp", "scopes", [[""], [null], [" "], {}, 0, false, 'a"b', ["a", ["b"]]]),
  ...values("cnf", "bound", [null, {}, "thumbprint", { jwk: {} }, { "x5t#S256": "A" }]),
  ["claims that are a number", "claims", withPayload(() => "1")],
  ["claims that are true", "claims", withPayload(() => "true")],
  ["claims of nothing but white space", "claims", withPayload(() => " ")],
  ["claims without any member", "issuer", withPayload(() => "{}")],
  ["claims in UTF-16", "claims", withPayload((text) => Buffer.from(text, "utf16le"))],
  ["claims after a byte order mark", "claims", withPayload((text) => `\ufeff${text}`)],
  ["compressed claims", "claims", withPayload((text) => deflateRawSync(text))],
  ["claims that are a token", "claims", (cast) => withPayload(() => withHeader({})(cast))(cast)],
  ["claims with a trailing comma", "claims", withPayload((text) => `${text.slice(0, -1)},}`)],
  ["claims with a comment", "claims", withPayload((text) => `${text.slice(0, -1)}/**/}`)],
  ["claims with text after them", "claims", withPayload((text) => `${text}x`)],
  ["claims with an exp of NaN", "claims", withPayload((text) => text.replace(/"exp":\d+/, '"exp":NaN'))],
  [
    "claims with an exp in hex",
    "claims",
    withPayload((text) => text.replace(/"exp":\d+/, '"exp":0x7fffffff')),
  ],
  ["a duplicate exp", "claims", withPayload((text) => `{"exp":9999999999,${text.slice(1)}`)],
  ["a duplicate iss", "claims", withPayload((text) => `${text.slice(0, -1)},"iss":"https://evil.example"}`)],
  ["a duplicate scope", "claims", withPayload((text) => `${text.slice(0, -1)},"scope":"admin"}`)],
  ["a duplicate cnf", "claims", withPayload((text) => `${text.slice(0, -1)},"cnf":{},"cnf":null}`)],
];
