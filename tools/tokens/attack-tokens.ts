/**
 * @fileoverview Tokens that must be rejected, each with the expected reason.
 * @module tools/tokens/attack-tokens
 */
import { Buffer } from "node:buffer";
import { CLAIM_VARIANTS } from "./attack-claims.js";
import { TOKEN_VARIANTS } from "./attack-variants.js";
import {
  altered,
  type Attack,
  bumped,
  claims,
  confused,
  der,
  HEADER,
  pem,
  SECRET,
  unsigned,
  withClaims,
  withHeader,
  withHeaderText,
  withPayload,
} from "./forge.js";
import { goodClaims, RESOURCE, seconds } from "./issuer.js";
import { hmacToken, part, signToken } from "./tokens.js";

const FORM: readonly Attack[] = [
  ["a word", "malformed", () => "abc"],
  ["two parts", "malformed", altered((head, body) => `${head}.${body}`)],
  ["four parts", "malformed", altered((...parts) => [...parts, "AA"].join("."))],
  [
    "five parts, as encrypted tokens have",
    "malformed",
    altered((...parts) => [...parts, "AA", "AA"].join(".")),
  ],
  ["no header", "malformed", altered((_, body, signature) => `.${body}.${signature}`)],
  ["no payload", "malformed", altered((head, _, signature) => `${head}..${signature}`)],
  ["no signature", "malformed", altered((head, body) => `${head}.${body}.`)],
  ["only dots", "malformed", () => ".."],
  [
    "a truncated signature",
    "signature",
    altered((head, body, signature) => `${head}.${body}.${signature.slice(0, -2)}`),
  ],
  [
    "a truncated payload",
    "signature",
    altered((head, body, signature) => `${head}.${body.slice(0, -4)}.${signature}`),
  ],
  [
    "a different token's payload",
    "signature",
    altered(
      (head, body, signature) =>
        `${head}.${part({ ...(JSON.parse(Buffer.from(body, "base64url").toString()) as object), sub: "eve" })}.${signature}`,
    ),
  ],
  ["padding", "malformed", altered((...parts) => `${parts.join(".")}==`)],
  [
    "trailing bits in the signature",
    "malformed",
    altered((head, body, signature) => `${head}.${body}.${bumped(signature)}`),
  ],
  [
    "trailing bits in the header",
    "malformed",
    altered((_, body, signature) => `${bumped(part('{"alg":"RS256","kid":"rsa"} '))}.${body}.${signature}`),
  ],
  ["the plain base64 alphabet", "malformed", altered((head, body) => `${head}.${body}.${"+/".repeat(171)}`)],
  ["a header that is not JSON", "malformed", withHeaderText("{alg:RS256}")],
  ["a header that is an array", "malformed", withHeaderText('["RS256"]')],
  ["a header that is null", "malformed", withHeaderText("null")],
  ["a header with two algorithms", "malformed", withHeaderText('{"alg":"none","alg":"RS256","kid":"rsa"}')],
  [
    "a header with a duplicate name, once escaped",
    "malformed",
    withHeaderText('{"alg":"RS256","kid":"x","k\\u0069d":"rsa"}'),
  ],
  ["a header that is not UTF-8", "malformed", withHeaderText(Uint8Array.of(0x7b, 0xff, 0x7d))],
  ["a header after a byte order mark", "malformed", withHeaderText(`\ufeff${JSON.stringify(HEADER)}`)],
  [
    "a header nested too deeply",
    "malformed",
    withHeaderText(`{"alg":"RS256","kid":"rsa","x":${"[".repeat(40)}${"]".repeat(40)}}`),
  ],
  ["a header that sets __proto__", "malformed", withHeaderText('{"alg":"RS256","kid":"rsa","__proto__":{}}')],
  ["12,000 characters", "malformed", () => "a".repeat(12_000)],
  ["3,000 dots", "malformed", () => ".".repeat(3_000)],
];

const ALGORITHM: readonly Attack[] = [
  ["alg none without signature", "malformed", unsigned("none", "")],
  ...["none", "None", "NONE", "nOnE", " none", "none\u0000", ""].map((alg): Attack => [
    `alg ${JSON.stringify(alg)} with a signature`,
    "algorithm",
    unsigned(alg),
  ]),
  ["no alg", "malformed", withHeader({ alg: undefined })],
  ["alg as a number", "malformed", withHeader({ alg: 256 })],
  ["alg as an array", "malformed", withHeader({ alg: ["RS256"] })],
  ["alg null", "malformed", withHeader({ alg: null })],
  ["HS256 with the public key as PEM", "algorithm", confused("HS256", pem)],
  [
    "HS256 with the public key as PEM, trimmed",
    "algorithm",
    confused("HS256", (cast) => String(pem(cast)).trim()),
  ],
  ["HS256 with the public key as DER", "algorithm", confused("HS256", der)],
  ["HS256 with the public key as JWK", "algorithm", confused("HS256", ({ rsa }) => JSON.stringify(rsa.jwk))],
  [
    "HS256 with the modulus",
    "algorithm",
    confused("HS256", ({ rsa }) => Buffer.from(rsa.jwk.n ?? "", "base64url")),
  ],
  ["HS384 with the public key", "algorithm", confused("HS384", pem, "sha384")],
  ["HS512 with the public key", "algorithm", confused("HS512", pem, "sha512")],
  ["HS256 with an empty secret", "algorithm", confused("HS256", () => "")],
  [
    "HS256 with a secret in the key set",
    "algorithm",
    ({ issuer }) => hmacToken({ alg: "HS256", kid: "oct" }, goodClaims(issuer), SECRET),
  ],
  [
    "RS256 with a secret in the key set",
    "key",
    ({ issuer }) => hmacToken({ alg: "RS256", kid: "oct" }, goodClaims(issuer), SECRET),
  ],
  ...["rs256", "RS1", "RS256 ", "ES256K", "HS1", "RSA-OAEP", "dir", "A128KW", "ML-DSA-44"].map(
    (alg): Attack => [`alg ${JSON.stringify(alg)}`, "algorithm", withHeader({ alg })],
  ),
];

const KEY: readonly Attack[] = [
  ["an attacker's key under a known kid", "signature", withHeader({}, "stranger")],
  ["an attacker's key without kid", "key", withHeader({ kid: undefined }, "stranger")],
  ["a kid that does not exist", "key", withHeader({ kid: "unknown" }, "stranger")],
  ["a kid that is a path", "key", withHeader({ kid: "../../../../dev/null" }, "stranger")],
  ["a kid that is SQL", "key", withHeader({ kid: "x' UNION SELECT 'secret' --" }, "stranger")],
  ["a kid that is a command", "key", withHeader({ kid: "rsa|/bin/id" }, "stranger")],
  ["a kid that is a URL", "key", (cast) => withHeader({ kid: `${cast.trap}/kid` }, "stranger")(cast)],
  ["a kid of __proto__", "key", withHeader({ kid: "__proto__" }, "stranger")],
  ["an empty kid", "key", withHeader({ kid: "" })],
  ["a huge kid", "malformed", withHeader({ kid: "k".repeat(5_000) })],
  ["a kid as a number", "malformed", withHeader({ kid: 0 })],
  ["a kid as an array", "malformed", withHeader({ kid: ["rsa"] })],
  ["an embedded key", "key", (cast) => withHeader({ kid: "mine", jwk: cast.stranger.jwk }, "stranger")(cast)],
  [
    "an embedded key under a known kid",
    "signature",
    (cast) => withHeader({ jwk: cast.stranger.jwk }, "stranger")(cast),
  ],
  [
    "the attacker's jku",
    "key",
    (cast) => withHeader({ kid: "mine", jku: `${cast.trap}/jku` }, "stranger")(cast),
  ],
  [
    "the attacker's jku with a known kid",
    "signature",
    (cast) => withHeader({ jku: `${cast.trap}/jku` }, "stranger")(cast),
  ],
  ["the attacker's x5u", "signature", (cast) => withHeader({ x5u: `${cast.trap}/x5u` }, "stranger")(cast)],
  ["x5c", "signature", (cast) => withHeader({ x5c: [der(cast).toString("base64")] }, "stranger")(cast)],
  ["ES256 with an RSA key", "key", withHeader({ alg: "ES256" }, "ec")],
  ["EdDSA with an EC key", "key", withHeader({ alg: "EdDSA", kid: "ec" }, "ed")],
  ["RS256 signed by an EC key", "signature", withHeader({}, "ec")],
  ["ES256 with an Ed25519 key", "key", withHeader({ alg: "ES256", kid: "ed" }, "ec")],
  ["ES384 with a P-256 key", "key", withHeader({ alg: "ES384", kid: "ec" }, "ec")],
  ["PS256 with a key for RS256", "key", withHeader({ alg: "PS256" })],
  [
    "a signature of zeros",
    "signature",
    ({ issuer }) =>
      `${part({ alg: "ES256", kid: "ec" })}.${part(goodClaims(issuer))}.${part(new Uint8Array(64))}`,
  ],
  ["an encryption key", "key", withHeader({ kid: "encryption" }, "encryption")],
  ["a published private key", "key", withHeader({ kid: "leaked" }, "leaked")],
  ["an RSA key of 1,024 bits", "signature", withHeader({ kid: "weak" }, "weak")],
  [
    "a kid shared by two keys",
    "key",
    (cast) => signToken({ ...HEADER, kid: "twin" }, goodClaims(cast.issuer), cast.twins[0]),
  ],
  ["a malformed key", "signature", withHeader({ kid: "broken" })],
];

const TYPE: readonly Attack[] = [
  ...["logout+jwt", "dpop+jwt", "secevent+jwt", "id_token+jwt", "JWE", "", "at+jwt "].map((typ): Attack => [
    `typ ${JSON.stringify(typ)}`,
    "type",
    withHeader({ typ }),
  ]),
  ["typ as a number", "type", withHeader({ typ: 1 })],
  ["typ as an array", "type", withHeader({ typ: ["at+jwt"] })],
  ["a nested token", "type", withHeader({ cty: "JWT" })],
  ["crit with a present member", "critical", withHeader({ crit: ["exp"], exp: 1 })],
  ["crit with b64", "critical", withHeader({ crit: ["b64"], b64: true })],
  ["an unencoded payload", "critical", withHeader({ crit: ["b64"], b64: false })],
  ["b64 without crit", "critical", withHeader({ b64: false })],
  ["an empty crit", "critical", withHeader({ crit: [] })],
];

const ISSUED: readonly Attack[] = [
  ["a different issuer", "issuer", claims({ iss: "https://evil.example" })],
  ["no issuer", "issuer", claims({ iss: undefined })],
  ["the issuer with a trailing slash", "issuer", withClaims(({ issuer }) => ({ iss: `${issuer}/` }))],
  ["the issuer in upper case", "issuer", withClaims(({ issuer }) => ({ iss: issuer.toUpperCase() }))],
  ["the issuer in an array", "issuer", withClaims(({ issuer }) => ({ iss: [issuer] }))],
  ["a longer issuer", "issuer", withClaims(({ issuer }) => ({ iss: `${issuer}.evil.example` }))],
  ["a different audience", "audience", claims({ aud: "http://127.0.0.1/other" })],
  ["no audience", "audience", claims({ aud: undefined })],
  ["an empty array of audiences", "audience", claims({ aud: [] })],
  ["other audiences", "audience", claims({ aud: ["a", "b", "http://127.0.0.1/"] })],
  ["the audience with a trailing slash", "audience", claims({ aud: `${RESOURCE}/` })],
  ["a prefix of the audience", "audience", claims({ aud: RESOURCE.slice(0, -1) })],
  ["the audience in upper case", "audience", claims({ aud: RESOURCE.toUpperCase() })],
  ["the audience in a space-separated string", "audience", claims({ aud: `a ${RESOURCE}` })],
  ["the audience in a nested array", "audience", claims({ aud: [[RESOURCE]] })],
  ["the audience next to a number", "audience", claims({ aud: [RESOURCE, 1] })],
  ["the audience as an object", "audience", claims({ aud: { [RESOURCE]: true } })],
  ["the audience as true", "audience", claims({ aud: true })],
  ["100 audiences", "audience", claims({ aud: [...Array.from({ length: 99 }, String), RESOURCE] })],
  ["exp in the past", "expired", claims({ exp: seconds() - 60 })],
  ["exp 0", "expired", claims({ exp: 0 })],
  ["no exp", "exp", claims({ exp: undefined })],
  ["exp as a string", "exp", claims({ exp: String(seconds() + 300) })],
  ["exp as null", "exp", claims({ exp: null })],
  ["exp in an array", "exp", claims({ exp: [seconds() + 300] })],
  ["a negative exp", "exp", claims({ exp: -1 })],
  ["an infinite exp", "exp", withPayload((text) => text.replace(/"exp":\d+/, '"exp":1e999'))],
  ["an exp too large for a timestamp", "exp", claims({ exp: 1e300 })],
  ["nbf in the future", "early", claims({ nbf: seconds() + 3_600 })],
  ["nbf as a string", "nbf", claims({ nbf: "0" })],
  ["iat in the future", "early", claims({ iat: seconds() + 3_600 })],
  ["iat as true", "iat", claims({ iat: true })],
];

const CLAIMED: readonly Attack[] = [
  ["claims that are an array", "claims", withPayload((text) => `[${text}]`)],
  ["claims that are a string", "claims", withPayload((text) => JSON.stringify(text))],
  ["claims that are null", "claims", withPayload(() => "null")],
  ["truncated claims", "claims", withPayload((text) => text.slice(0, -1))],
  ["claims that are not UTF-8", "claims", withPayload(() => Uint8Array.of(0x7b, 0xc3, 0x28, 0x7d))],
  [
    "a duplicate aud, the right one last",
    "claims",
    withPayload((text) => `{"aud":"http://other.example",${text.slice(1)}`),
  ],
  [
    "a duplicate aud, the right one first",
    "claims",
    withPayload((text) => `${text.slice(0, -1)},"aud":"http://other.example"}`),
  ],
  [
    "a duplicate sub, once escaped",
    "claims",
    withPayload((text) => `${text.slice(0, -1)},"s\\u0075b":"root"}`),
  ],
  ["claims under __proto__", "claims", withPayload((text) => `{"__proto__":${text}}`)],
  [
    "claims nested too deeply",
    "claims",
    withPayload((text) => `${text.slice(0, -1)},"x":${"[".repeat(50)}${"]".repeat(50)}}`),
  ],
  ["no client", "client", claims({ client_id: undefined })],
  ["a client as a number", "client", claims({ client_id: 7 })],
  ["an empty client", "client", claims({ client_id: "" })],
  ["a client in an array", "client", claims({ client_id: ["desk"] })],
  ["two different clients", "client", claims({ cid: "other" })],
  ["a client and a null client", "client", claims({ azp: null })],
  ["a client with a line break", "client", claims({ client_id: "desk\nadmin" })],
  ["a client of 600 characters", "client", claims({ client_id: "d".repeat(600) })],
  ["a subject as a number", "sub", claims({ sub: 0 })],
  ["an empty subject", "sub", claims({ sub: "" })],
  ["a subject as an object", "sub", claims({ sub: { toString: "ada" } })],
  ["a subject with a right-to-left override", "sub", claims({ sub: "\u202eada" })],
  ["scopes in a nested array", "scopes", claims({ scp: [["notes:read"]] })],
  ["scopes as an object", "scopes", claims({ scp: { 0: "notes:read", length: 1 } })],
  ["scp of numbers", "scopes", claims({ scp: [1] })],
  ["scope as an array", "scopes", claims({ scope: ["notes:read"] })],
  ["scope as a number", "scopes", claims({ scope: 1 })],
  ["scope as true", "scopes", claims({ scope: true })],
  ["scopes with a quotation mark", "scopes", claims({ scope: 'notes:read" admin="1' })],
  ["scopes with a line break", "scopes", claims({ scope: "notes:read\r\nadmin" })],
  ["scopes that are not ASCII", "scopes", claims({ scope: "nötes" })],
  ["a scope with a space", "scopes", claims({ scp: ["notes:read admin"] })],
  ["300 scopes", "scopes", claims({ scp: Array.from({ length: 300 }, (_, index) => `s${index}`) })],
  ["a scope of 300 characters", "scopes", claims({ scope: "s".repeat(300) })],
  ["a token bound to a key", "bound", claims({ cnf: { jkt: "thumbprint" } })],
];

/** All attacks. */
export const ATTACKS: readonly Attack[] = [
  ...FORM,
  ...ALGORITHM,
  ...KEY,
  ...TYPE,
  ...ISSUED,
  ...CLAIMED,
  ...TOKEN_VARIANTS,
  ...CLAIM_VARIANTS,
];
