/**
 * @fileoverview Tokens as any hand could make them: every header, payload and signature, right or wrong.
 * @module tests/auth/tokens
 */
import {
  constants,
  createHmac,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign as signBytes,
} from "node:crypto";

/** A key pair and how it is published. */
export interface Signer {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: JsonWebKey & Readonly<Record<string, unknown>>;
}

/** Makes a key pair for an algorithm. */
export function createSigner(alg: string, kid: string, bits = 2_048): Signer {
  const { privateKey, publicKey } = alg.startsWith("ES")
    ? generateKeyPairSync("ec", { namedCurve: "P-256" })
    : alg === "EdDSA"
      ? generateKeyPairSync("ed25519")
      : generateKeyPairSync("rsa", { modulusLength: bits });
  return { kid, alg, privateKey, publicKey, jwk: { ...publicKey.export({ format: "jwk" }), kid } };
}

/** A part of a token: bytes as they are, text as it is, anything else as JSON. */
export function part(value: unknown): string {
  const bytes =
    value instanceof Uint8Array ? value : typeof value === "string" ? value : JSON.stringify(value);
  return Buffer.from(bytes as string).toString("base64url");
}

/** A token with a true signature by a key pair, whatever its header says. */
export function signToken(header: unknown, payload: unknown, { alg, privateKey }: Signer): string {
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${signatureOf(input, alg, privateKey).toString("base64url")}`;
}

/** A token with a true SHA-256 signature by a secret. */
export function hmacToken(header: unknown, payload: unknown, secret: string | Uint8Array): string {
  return hmacTokenWith(header, payload, { secret, hash: "sha256" });
}

/** A token with a true signature by a secret and any hash. */
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
