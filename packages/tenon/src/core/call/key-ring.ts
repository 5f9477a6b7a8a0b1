/**
 * @fileoverview Keys that encrypt data which leaves the process: the state of calls, and records in a store. The first
 * key encrypts, and all keys decrypt, so keys can be replaced without downtime.
 * @module tenon/core/call/key-ring
 */
import { fromBase64Url, toBase64Url } from "@tenon/internal/base64";
import type { Bytes } from "@tenon/internal/bytes";
import type { Ports } from "@tenon/internal/ports";
import { encodeUtf8 } from "@tenon/internal/utf8";
import type { SecretSource } from "../wire/cluster-link.js";
import { type AesGcm, createAesGcm } from "./aes-gcm.js";

/** Encrypts and authenticates bytes. */
export class KeyRing {
  readonly #ports: Ports;
  readonly #secrets: readonly Bytes[] | undefined;
  #source: SecretSource | undefined;
  #keys: Promise<readonly SealKey[]> | undefined;

  /** @throws if a secret is too short */
  constructor(ports: Ports, secrets?: readonly (string | Uint8Array)[]) {
    this.#ports = ports;
    this.#secrets = secrets?.map((secret) => toSecret(secret, "`state.keys`"));
    if (this.#secrets?.length === 0)
      throw new Error("`state.keys` must contain at least one key; got an empty array.");
  }

  /** True if the keys were set with `state.keys`. Otherwise, they are random or come from a store. */
  get hasOwnSecrets(): boolean {
    return this.#secrets !== undefined;
  }

  /** Sets the source of secrets for a ring without its own. The first source is used. */
  useSource(source: SecretSource): void {
    if (this.#secrets !== undefined || this.#source !== undefined) return;
    this.#source = source;
    this.#keys = undefined;
  }

  /** Encrypts bytes. The same `binding` is required to decrypt them. */
  async seal(plain: Bytes, binding: Bytes): Promise<string> {
    const [key] = await this.#ring();
    if (key === undefined) throw new Error("Could not encrypt: no key is configured. Set `state.keys`.");
    const iv = this.#ports.randomBytes(IV_BYTES);
    const cipher = await key.cipher.encrypt(plain, { iv, binding });
    const sealed = new Uint8Array(HEAD_BYTES + cipher.length);
    sealed[0] = VERSION;
    sealed.set(key.id, 1);
    sealed.set(iv, 1 + ID_BYTES);
    sealed.set(cipher, HEAD_BYTES);
    return toBase64Url(sealed);
  }

  /** Decrypts bytes. Resolves with `undefined` if they were altered, or if the key or the binding is different. */
  async open(sealed: string, binding: Bytes): Promise<Uint8Array | undefined> {
    const bytes = fromBase64Url(sealed);
    if (bytes === undefined || bytes.length <= HEAD_BYTES || bytes[0] !== VERSION) return undefined;
    const id = bytes.subarray(1, 1 + ID_BYTES);
    const key = (await this.#ring()).find((one) => one.id.every((byte, index) => byte === id[index]));
    if (key === undefined) return undefined;
    const iv = bytes.slice(1 + ID_BYTES, HEAD_BYTES);
    return key.cipher.decrypt(bytes.slice(HEAD_BYTES), { iv, binding });
  }

  /** Derives the keys on first use, and again after a failure of the source. */
  #ring(): Promise<readonly SealKey[]> {
    return (this.#keys ??= this.#derive().catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    }));
  }

  async #derive(): Promise<readonly SealKey[]> {
    const shared = await this.#source?.();
    const secrets = this.#secrets ??
      shared?.map((secret) => toSecret(secret, "the store")) ?? [this.#ports.randomBytes(MIN_SECRET_BYTES)];
    return Promise.all(secrets.map((secret) => deriveKey(this.#ports, secret)));
  }
}

interface SealKey {
  readonly id: Uint8Array;
  readonly cipher: AesGcm;
}

const VERSION = 1;
const ID_BYTES = 4;
const IV_BYTES = 12;
const HEAD_BYTES = 1 + ID_BYTES + IV_BYTES;
const KEY_BYTES = 32;
const MIN_SECRET_BYTES = 32;

function toSecret(key: string | Uint8Array, place: string): Bytes {
  const bytes = typeof key === "string" ? encodeUtf8(key) : new Uint8Array(key);
  if (bytes.length >= MIN_SECRET_BYTES) return bytes;
  throw new Error(
    `Every key in ${place} must be at least ${MIN_SECRET_BYTES} bytes long; got ${bytes.length}.`,
  );
}

async function deriveKey(ports: Ports, secret: Bytes): Promise<SealKey> {
  const { subtle } = ports;
  const base = await subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const derive = async (info: string, length: number) => {
    const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: encodeUtf8(info) };
    return new Uint8Array(await subtle.deriveBits(hkdf, base, length * 8));
  };
  return {
    id: await derive("tenon state key id", ID_BYTES),
    cipher: await createAesGcm(ports, await derive("tenon state key", KEY_BYTES)),
  };
}
