/**
 * @fileoverview More tokens that must be rejected because of their form, algorithm, key, signature, or type.
 * @module tools/tokens/attack-variants
 */
import { Buffer } from "node:buffer";
import { constants, sign as signBytes } from "node:crypto";
import type { TokenProblem } from "../../packages/auth/src/tokens/problems.js";
import { altered, type Attack, type Cast, confused, HEADER, withHeader, withHeaderText } from "./forge.js";
import { goodClaims } from "./issuer.js";
import { part } from "./tokens.js";

/** Creates one attack for each value. */
function each<T>(
  label: string,
  problem: TokenProblem,
  { values, forge }: { readonly values: readonly T[]; readonly forge: (value: T) => Attack[2] },
): readonly Attack[] {
  return values.map((value) => [`${label} ${JSON.stringify(value)}`, problem, forge(value)]);
}

const HEADER_TEXTS: readonly (readonly [string, string | Uint8Array])[] = [
  ["an empty object", "{}"],
  ["a number", "1"],
  ["true", "true"],
  ["a string", '"RS256"'],
  ["a trailing comma", '{"alg":"RS256","kid":"rsa",}'],
  ["a comment", '{"alg":"RS256"/**/,"kid":"rsa"}'],
  ["single quotes", "{'alg':'RS256','kid':'rsa'}"],
  ["text after it", '{"alg":"RS256","kid":"rsa"}x'],
  ["a second object", '{"alg":"RS256","kid":"rsa"}{"alg":"none"}'],
  ["a NUL after it", '{"alg":"RS256","kid":"rsa"}\0'],
  ["a duplicate kid", '{"alg":"RS256","kid":"ec","kid":"rsa"}'],
  ["a duplicate typ", '{"alg":"RS256","kid":"rsa","typ":"JWE","typ":"at+jwt"}'],
  ["a duplicate crit", '{"alg":"RS256","kid":"rsa","crit":["x"],"crit":null}'],
  ["UTF-16", Buffer.from(JSON.stringify(HEADER), "utf16le")],
  ["an overlong encoding", Uint8Array.of(0xc1, 0xbb, 0x7d)],
  ["an encoded surrogate", Uint8Array.of(0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d)],
  ["an unclosed object", '{"alg":"RS256","kid":"rsa"'],
];

const FORM: readonly Attack[] = [
  ["six parts", "malformed", altered((...parts) => [...parts, ...parts].join("."))],
  ["a dot at the start", "malformed", altered((...parts) => `.${parts.join(".")}`)],
  ["a dot at the end", "malformed", altered((...parts) => `${parts.join(".")}.`)],
  ["the payload first", "malformed", altered((head, body, signature) => `${body}.${head}.${signature}`)],
  ["the signature first", "malformed", altered((head, body, signature) => `${signature}.${body}.${head}`)],
  ["the payload twice", "malformed", altered((_, body, signature) => `${body}.${body}.${signature}`)],
  ["the header twice", "signature", altered((head, _, signature) => `${head}.${head}.${signature}`)],
  [
    "a tilde in the signature",
    "malformed",
    altered((head, body, signature) => `${head}.${body}.${signature}~`),
  ],
  [
    "a plus sign in the header",
    "malformed",
    altered((head, body, signature) => `${head}+.${body}.${signature}`),
  ],
  [
    "a slash in the payload",
    "malformed",
    altered((head, body, signature) => `${head}.${body}/.${signature}`),
  ],
  ["single letters", "malformed", () => "a.b.c"],
  ["a UUID", "malformed", () => "6f9619ff-8b86-d011-b42d-00cf4fc964ff"],
  ["an opaque token", "malformed", () => "4f2c9d".repeat(10)],
  ["the word null", "malformed", () => "null"],
  ["a PASETO", "malformed", () => `v4.public.${"A".repeat(100)}`],
  ["a SAML assertion", "malformed", () => Buffer.from("<saml:Assertion/>").toString("base64")],
  [
    "a token in JSON form",
    "malformed",
    (cast) => part({ payload: withHeader({})(cast).split(".")[1], signatures: [] }),
  ],
  [
    "an encrypted token",
    "malformed",
    () => `${part({ alg: "dir", enc: "A256GCM" })}..${"A".repeat(16)}.AAAA.AAAA`,
  ],
  ["13,000 characters in three parts", "malformed", () => `${"a".repeat(6_500)}.${"a".repeat(6_400)}.a`],
  ...HEADER_TEXTS.map(([name, text]): Attack => [`a header with ${name}`, "malformed", withHeaderText(text)]),
];

/** Secrets that an attacker knows or guesses. */
const SECRETS: readonly (readonly [string, (cast: Cast) => string | Buffer])[] = [
  ["the EC key as PEM", ({ ec }) => String(ec.publicKey.export({ type: "spki", format: "pem" }))],
  ["the EC key as JWK", ({ ec }) => JSON.stringify(ec.jwk)],
  ["the Ed25519 key", ({ ed }) => Buffer.from(ed.jwk.x ?? "", "base64url")],
  ["the RSA key as PKCS #1", ({ rsa }) => rsa.publicKey.export({ type: "pkcs1", format: "der" })],
  ["the RSA key as PKCS #1 PEM", ({ rsa }) => String(rsa.publicKey.export({ type: "pkcs1", format: "pem" }))],
  ["the RSA key with CRLF", (cast) => pemOf(cast).replaceAll("\n", "\r\n")],
  ["the RSA key without its first line", (cast) => pemOf(cast).replaceAll(/-----[^-]+-----\n/g, "")],
  ["the modulus as text", ({ rsa }) => rsa.jwk.n ?? ""],
  ["the exponent", ({ rsa }) => rsa.jwk.e ?? ""],
  ["the kid", () => "rsa"],
  ["the issuer", ({ issuer }) => issuer],
  ["a common secret", () => "secret"],
  ["32 zeros", () => Buffer.alloc(32)],
];

const pemOf = ({ rsa }: Cast) => String(rsa.publicKey.export({ type: "spki", format: "pem" }));

const ALGORITHM: readonly Attack[] = [
  ...each("alg", "algorithm", {
    values: [
      "Rs256",
      "rS256",
      " RS256",
      "RS 256",
      "RS256\n",
      "RS256\u0000",
      "RS256\u200b",
      "\uff32\uff33256",
      "RS-256",
      "RSA256",
      "SHA256withRSA",
      "RS0",
      "RS2560",
      "none,RS256",
      "EDDSA",
      "Ed448",
      "ES256K-R",
      "HS256/64",
      "ECDH-ES",
      "PBES2-HS256+A128KW",
      "__proto__",
      "constructor",
      "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
    ],
    forge: (alg) => withHeader({ alg }),
  }),
  ...each<unknown>("alg as", "malformed", {
    values: [true, { RS256: 1 }, [["RS256"]]],
    forge: (alg) => withHeader({ alg }),
  }),
  ...SECRETS.map(([name, secret]): Attack => [`HS256 with ${name}`, "algorithm", confused("HS256", secret)]),
];

const KEY: readonly Attack[] = [
  ...each("an attacker's key with kid", "key", {
    values: [
      "rsa ",
      " rsa",
      "RSA",
      "rsa\u0000",
      "rsa\nec",
      "rsa,ec",
      "\uff52\uff53\uff41",
      "%72sa",
      "rsa/../rsa",
      "*",
      "0",
      "null",
      "constructor",
      "toString",
      "hasOwnProperty",
      "file:///etc/passwd",
      "data:application/json,{}",
      "${jndi:ldap://127.0.0.1/x}",
      "{{7*7}}",
      "k".repeat(256),
    ],
    forge: (kid) => withHeader({ kid }, "stranger"),
  }),
  ...each<unknown>("kid as", "malformed", {
    values: [null, true, { kid: "rsa" }, "k".repeat(257)],
    forge: (kid) => withHeader({ kid }),
  }),
  ...each<readonly [string, string]>("an attacker's key and URL", "signature", {
    values: [
      ["jku", "#"],
      ["jku", "?x=.well-known/jwks.json"],
      ["jku", "/../jwks.json"],
      ["x5u", "/cert.pem"],
      ["x5u", "#fragment"],
    ],
    forge:
      ([name, rest]) =>
      (cast) =>
        withHeader({ [name]: `${cast.trap}${rest}` }, "stranger")(cast),
  }),
  ["a jku as an array", "signature", (cast) => withHeader({ jku: [cast.trap] }, "stranger")(cast)],
  ["a jku next to an embedded key", "key", (cast) => foreignHeader(cast, { jku: cast.trap })],
  [
    "an embedded private key",
    "key",
    (cast) => foreignHeader(cast, { jwk: cast.stranger.privateKey.export({ format: "jwk" }) }),
  ],
  ["an embedded secret", "key", (cast) => foreignHeader(cast, { jwk: { kty: "oct", k: "AAAA" } })],
  ["an embedded key set", "key", (cast) => foreignHeader(cast, { jwks: { keys: [cast.stranger.jwk] } })],
  [
    "a thumbprint of an attacker's certificate",
    "signature",
    withHeader({ "x5t#S256": "A".repeat(43) }, "stranger"),
  ],
];

const foreignHeader = (cast: Cast, change: Readonly<Record<string, unknown>>) =>
  withHeader({ kid: "mine", jwk: cast.stranger.jwk, ...change }, "stranger")(cast);

/** Order of the group of P-256. */
const ORDER = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";

const signature = (r: string, s: string) => Buffer.from(r.padStart(64, "0") + s.padStart(64, "0"), "hex");

const EC_SIGNATURES: readonly (readonly [string, Buffer])[] = [
  ["r 0 and s 1", signature("0", "1")],
  ["r 1 and s 0", signature("1", "0")],
  ["r 1 and s 1", signature("1", "1")],
  ["the order of the group", signature(ORDER, ORDER)],
  ["only ones", Buffer.alloc(64, 0xff)],
  ["63 bytes", Buffer.alloc(63, 1)],
  ["65 bytes", Buffer.alloc(65, 1)],
  ["96 bytes", Buffer.alloc(96, 1)],
];

const RSA_SIGNATURES: readonly (readonly [string, Buffer])[] = [
  ["zeros", Buffer.alloc(256)],
  ["the number 1", Buffer.concat([Buffer.alloc(255), Buffer.of(1)])],
  ["only ones", Buffer.alloc(256, 0xff)],
  ["1 byte", Buffer.of(1)],
  ["512 bytes", Buffer.alloc(512, 1)],
];

/** Creates a token with a signature of the issuer's key over something else. */
const signed =
  (sign: (input: string, cast: Cast) => Buffer, header: object = HEADER) =>
  (cast: Cast) => {
    const input = `${part(header)}.${part(goodClaims(cast.issuer))}`;
    return `${input}.${part(sign(input, cast))}`;
  };

const rsaSign = (hash: string, data: string, { rsa }: Cast) =>
  signBytes(hash, Buffer.from(data), rsa.privateKey);

const SIGNATURE: readonly Attack[] = [
  ...EC_SIGNATURES.map(([name, bytes]): Attack => [
    `an ES256 signature of ${name}`,
    "signature",
    signed(() => bytes, { alg: "ES256", kid: "ec" }),
  ]),
  ...RSA_SIGNATURES.map(([name, bytes]): Attack => [
    `an RS256 signature of ${name}`,
    "signature",
    signed(() => bytes),
  ]),
  ["an EdDSA signature of zeros", "signature", signed(() => Buffer.alloc(64), { alg: "EdDSA", kid: "ed" })],
  [
    "an EdDSA signature of 32 bytes",
    "signature",
    signed(() => Buffer.alloc(32, 1), { alg: "EdDSA", kid: "ed" }),
  ],
  [
    "an ES256 signature as DER",
    "signature",
    signed((input, { ec }) => signBytes("sha256", Buffer.from(input), ec.privateKey), {
      alg: "ES256",
      kid: "ec",
    }),
  ],
  ["a signature with SHA-512", "signature", signed((input, cast) => rsaSign("sha512", input, cast))],
  ["a signature with SHA-1", "signature", signed((input, cast) => rsaSign("sha1", input, cast))],
  [
    "a PSS signature under RS256",
    "signature",
    signed((input, { rsa }) =>
      signBytes("sha256", Buffer.from(input), {
        key: rsa.privateKey,
        padding: constants.RSA_PKCS1_PSS_PADDING,
      }),
    ),
  ],
  [
    "a signature of the payload only",
    "signature",
    signed((input, cast) => rsaSign("sha256", input.split(".")[1] ?? "", cast)),
  ],
  [
    "a signature of the header only",
    "signature",
    signed((input, cast) => rsaSign("sha256", input.split(".")[0] ?? "", cast)),
  ],
  [
    "a signature of a longer text",
    "signature",
    signed((input, cast) => rsaSign("sha256", `${input}.`, cast)),
  ],
  ["a signature of nothing", "signature", signed((_, cast) => rsaSign("sha256", "", cast))],
];

const TYPE: readonly Attack[] = [
  ...each<unknown>("typ", "type", {
    values: [
      "id+jwt",
      "rt+jwt",
      "kb+jwt",
      "vc+sd-jwt",
      "token-introspection+jwt",
      "oauth-authz-req+jwt",
      "entity-statement+jwt",
      "JOSE",
      "JOSE+JSON",
      "at+jwt;x=1",
      "application/application/at+jwt",
      "jwt\n",
      "\uff2a\uff37\uff34",
      null,
      true,
      { "at+jwt": 1 },
    ],
    forge: (typ) => withHeader({ typ }),
  }),
  ...each<unknown>("cty", "type", {
    values: ["jwt", "application/json", "", null, 0],
    forge: (cty) => withHeader({ cty }),
  }),
  ...each<unknown>("crit", "critical", {
    values: [["kid"], ["alg"], "exp", null, {}, [1], ["__proto__"]],
    forge: (crit) => withHeader({ crit }),
  }),
  ...each<unknown>("b64", "critical", { values: [true, null, "false"], forge: (b64) => withHeader({ b64 }) }),
];

/** More attacks on everything but the claims. */
export const TOKEN_VARIANTS: readonly Attack[] = [...FORM, ...ALGORITHM, ...KEY, ...SIGNATURE, ...TYPE];
