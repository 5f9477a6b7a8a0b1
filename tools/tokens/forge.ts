/**
 * @fileoverview Keys of an issuer and an attacker, and functions that forge tokens with them.
 * @module tools/tokens/forge
 */
import type { TokenProblem } from "../../packages/auth/src/tokens/problems.js";
import { goodClaims } from "./issuer.js";
import { createSigner, hmacTokenWith, part, type Signer, signToken } from "./tokens.js";

/** The issuer's keys, including some that no issuer should publish, and an attacker's key. */
export interface Cast {
  readonly issuer: string;
  /** URL of the attacker's server, which must never receive a request. */
  readonly trap: string;
  readonly rsa: Signer;
  readonly ec: Signer;
  readonly ed: Signer;
  readonly weak: Signer;
  readonly encryption: Signer;
  readonly leaked: Signer;
  readonly twins: readonly [Signer, Signer];
  readonly stranger: Signer;
}

/** Secret that the issuer publishes by mistake. */
export const SECRET = "published-secret-of-at-least-32-bytes!";

/** Creates all keys. */
export function createCast(issuer: string, trap: string): Cast {
  return {
    issuer,
    trap,
    rsa: createSigner("RS256", "rsa"),
    ec: createSigner("ES256", "ec"),
    ed: createSigner("EdDSA", "ed"),
    weak: createSigner("RS256", "weak", 1_024),
    encryption: createSigner("RS256", "encryption"),
    leaked: createSigner("RS256", "leaked"),
    twins: [createSigner("RS256", "twin"), createSigner("RS256", "twin")],
    stranger: createSigner("RS256", "rsa"),
  };
}

/** Returns the key set that the issuer publishes. */
export function publishedKeys(cast: Cast): readonly unknown[] {
  const { rsa, ec, ed, weak, encryption, leaked, twins } = cast;
  return [
    { ...rsa.jwk, alg: "RS256", use: "sig" },
    ec.jwk,
    ed.jwk,
    weak.jwk,
    { ...encryption.jwk, use: "enc" },
    { ...leaked.privateKey.export({ format: "jwk" }), kid: "leaked" },
    ...twins.map(({ jwk }) => jwk),
    { kty: "oct", kid: "oct", k: part(SECRET) },
    { kty: "RSA", kid: "broken", n: "AQAB", e: 7 },
    null,
    "a key",
  ];
}

/** A token that must be rejected, with the expected reason. */
export type Attack = readonly [name: string, problem: TokenProblem, forge: (cast: Cast) => string];

/** Header of a valid token. */
export const HEADER = { alg: "RS256", kid: "rsa", typ: "at+jwt" };

/** Forges a token with a different header, signed by the issuer's key. */
export const withHeader =
  (change: Readonly<Record<string, unknown>>, by: keyof Cast = "rsa") =>
  (cast: Cast): string =>
    signToken({ ...HEADER, ...change }, goodClaims(cast.issuer), cast[by] as Signer); // callers pass names of signers

/** Forges a token with different claims, signed by the issuer's key. */
export const withClaims =
  (change: (cast: Cast) => Readonly<Record<string, unknown>>) =>
  (cast: Cast): string =>
    signToken(HEADER, goodClaims(cast.issuer, change(cast)), cast.rsa);

/** Forges a token with fixed claims replaced. */
export const claims = (change: Readonly<Record<string, unknown>>) => withClaims(() => change);

/** Forges a token with a different payload, signed by the issuer's key. */
export const withPayload = (payload: (text: string) => unknown) => (cast: Cast) =>
  signToken(HEADER, payload(JSON.stringify(goodClaims(cast.issuer))), cast.rsa);

/** Changes a valid token after it was signed. */
export const altered =
  (change: (head: string, body: string, signature: string) => string) => (cast: Cast) => {
    const [head = "", body = "", signature = ""] = withHeader({})(cast).split(".");
    return change(head, body, signature);
  };

/** Replaces a valid token's header. */
export const withHeaderText = (text: string | Uint8Array) => (cast: Cast) =>
  signToken(text, goodClaims(cast.issuer), cast.rsa);

/** Forges a token that uses the issuer's public key as a shared secret. */
export const confused =
  (alg: string, secret: (cast: Cast) => string | Buffer, hash = "sha256") =>
  (cast: Cast) =>
    hmacTokenWith({ ...HEADER, alg }, goodClaims(cast.issuer), { secret: secret(cast), hash });

/** Forges a token without a valid signature. */
export const unsigned =
  (alg: unknown, signature = "c2ln") =>
  (cast: Cast) =>
    `${part({ ...HEADER, alg })}.${part(goodClaims(cast.issuer))}.${signature}`;

/** Returns the public RSA key as PEM text. */
export const pem = ({ rsa }: Cast) => rsa.publicKey.export({ type: "spki", format: "pem" });
/** Returns the public RSA key as DER. */
export const der = ({ rsa }: Cast) => rsa.publicKey.export({ type: "spki", format: "der" });

/** Returns a second spelling of the same bytes by setting an unused bit of the last character. */
export function bumped(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return text.slice(0, -1) + (alphabet[alphabet.indexOf(text.at(-1) ?? "") + 1] ?? "");
}
