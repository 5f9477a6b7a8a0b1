/**
 * @fileoverview Creates tokens with any header, payload, and signature, valid or not.
 * @module tools/tokens/tokens
 */
import { Buffer } from "node:buffer";
import {
  constants,
  createHmac,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign as signBytes,
} from "node:crypto";

/** A key pair and its public JWK. */
export interface Signer {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: JsonWebKey & Readonly<Record<string, unknown>>;
}

/** Creates a key pair for an algorithm. */
export function createSigner(alg: string, kid: string, bits = 2_048): Signer {
  const { privateKey, publicKey } = alg.startsWith("ES")
    ? generateKeyPairSync("ec", { namedCurve: "P-256" })
    : alg === "EdDSA"
      ? generateKeyPairSync("ed25519")
      : generateKeyPairSync("rsa", { modulusLength: bits });
  return { kid, alg, privateKey, publicKey, jwk: { ...publicKey.export({ format: "jwk" }), kid } };
}

/** Encodes a token part: bytes and strings unchanged, anything else as JSON. */
export function part(value: unknown): string {
  const bytes =
    value instanceof Uint8Array ? value : typeof value === "string" ? value : JSON.stringify(value);
  return Buffer.from(bytes as string).toString("base64url");
}

/** Creates a token with a valid signature from a key pair, regardless of its header. */
export function signToken(header: unknown, payload: unknown, { alg, privateKey }: Signer): string {
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${signatureOf(input, alg, privateKey).toString("base64url")}`;
}

/** Creates a token with a valid HMAC-SHA-256 signature. */
export function hmacToken(header: unknown, payload: unknown, secret: string | Uint8Array): string {
  return hmacTokenWith(header, payload, { secret, hash: "sha256" });
}

/** Creates a token with a valid HMAC signature and the given hash. */
export function hmacTokenWith(
  header: unknown,
  payload: unknown,
  { secret, hash }: { readonly secret: string | Uint8Array; readonly hash: string },
): string {
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${createHmac(hash, secret).update(input).digest("base64url")}`;
}

function signatureOf(input: string, alg: string, key: KeyObject): Buffer {
  const data = Buffer.from(input);
  if (alg === "EdDSA") return signBytes(null, data, key);
  if (alg.startsWith("ES")) return signBytes("sha256", data, { key, dsaEncoding: "ieee-p1363" });
  if (alg.startsWith("PS")) {
    return signBytes("sha256", data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
  }
  return signBytes("sha256", data, key);
}
