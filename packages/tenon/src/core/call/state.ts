/**
 * @fileoverview Encrypts the state of a call that continues in a later round. The client that stores the state is not
 * trusted, so the state is encrypted, authenticated, bound to the principal and the request, and limited in lifetime.
 * @module core/state
 */
import type { Bytes } from "@tenon/internal/bytes";
import { fromBase64Url, toBase64Url } from "@tenon/internal/base64";
import { canonicalJson, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";
import { decodeUtf8, encodeUtf8 } from "@tenon/internal/utf8";

/** Responses and results from earlier rounds. */
export interface CallState {
  /** The client's responses, by key. */
  readonly answers: JsonObject;
  /** Results of `call.once`, by key. Each result is wrapped in an object to preserve `undefined`. */
  readonly once: Readonly<Record<string, { readonly value?: unknown }>>;
}

/** Request that a state is bound to. It can be decrypted only for the same principal, method, name, and arguments. */
export interface StateBinding {
  readonly principal: string | undefined;
  readonly method: string;
  readonly name: string;
  readonly args: unknown;
}

/** Options for encrypting call state. */
export interface StateOptions {
  /**
   * Secrets of at least 32 bytes each. The first one encrypts, and all of them decrypt. All nodes must use the
   * same keys.
   * @default one random key per process
   */
  readonly keys?: readonly (string | Uint8Array)[];
  /**
   * Lifetime of an encrypted state in milliseconds, which is the time that a client has to respond.
   * @default 600000
   */
  readonly ttlMs?: number;
  /**
   * Maximum length of an encrypted state in characters. Limits the decryption work that a client can cause.
   * @default 65536
   */
  readonly maxLength?: number;
}

/** Encrypts and decrypts call state. */
export interface Sealer {
  /** Encrypts a state. Rejects if the result exceeds `maxLength`. */
  seal(state: CallState, binding: StateBinding): Promise<string>;
  /** Decrypts a state. Resolves with `undefined` if it was altered, has expired, or belongs to a different request. */
  open(sealed: string, binding: StateBinding): Promise<CallState | undefined>;
}

/** State of a call in its first round. */
export const EMPTY_STATE: CallState = { answers: {}, once: {} };

/** Creates a sealer. Keys are derived on first use. @throws if a key is too short */
export function createSealer(ports: Ports, options: StateOptions = {}): Sealer {
  const { ttlMs = 600_000, maxLength = 65_536 } = options;
  const secrets = options.keys?.map(toSecret);
  if (secrets?.length === 0)
    throw new Error("`state.keys` must contain at least one key; got an empty array.");
  let ring: Promise<readonly SealKey[]> | undefined;
  const keyRing = () =>
    (ring ??= Promise.all((secrets ?? [ports.randomBytes(32)]).map((secret) => deriveKey(ports, secret))));

  return {
    async seal(state, binding) {
      const [key] = await keyRing();
      if (key === undefined)
        throw new Error("Could not encrypt the call state: no key is configured. Set `state.keys`.");
      const plain = encodeUtf8(JSON.stringify({ ...state, expires: ports.now() + ttlMs }));
      const iv = ports.randomBytes(IV_BYTES);
      const cipher = await ports.subtle.encrypt(algorithm(iv, binding), key.secret, plain);
      const sealed = new Uint8Array([VERSION, ...key.id, ...iv, ...new Uint8Array(cipher)]);
      const text = toBase64Url(sealed);
      if (text.length > maxLength) {
        throw new Error(
          `The call state is ${text.length} characters long (limit: ${maxLength}). ` +
            "Raise `state.maxLength` or return less from `call.once`.",
        );
      }
      return text;
    },

    async open(sealed, binding) {
      if (sealed.length > maxLength) return undefined;
      const bytes = fromBase64Url(sealed);
      if (bytes === undefined || bytes.length <= HEAD_BYTES || bytes[0] !== VERSION) return undefined;
      const id = bytes.subarray(1, 1 + ID_BYTES);
      const key = (await keyRing()).find((one) => one.id.every((byte, index) => byte === id[index]));
      if (key === undefined) return undefined;
      const iv = bytes.slice(1 + ID_BYTES, HEAD_BYTES);
      const plain = await ports.subtle
        .decrypt(algorithm(iv, binding), key.secret, bytes.slice(HEAD_BYTES))
        .catch(() => undefined);
      return plain === undefined ? undefined : readState(new Uint8Array(plain), ports.now());
    },
  };
}

interface SealKey {
  readonly id: Uint8Array;
  readonly secret: CryptoKey;
}

type CryptoKey = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>;

const VERSION = 1;
const ID_BYTES = 4;
const IV_BYTES = 12;
const HEAD_BYTES = 1 + ID_BYTES + IV_BYTES;
const MIN_SECRET_BYTES = 32;

function toSecret(key: string | Uint8Array): Bytes {
  const bytes = typeof key === "string" ? encodeUtf8(key) : new Uint8Array(key);
  if (bytes.length < MIN_SECRET_BYTES) {
    throw new Error(
      `Every key in \`state.keys\` must be at least ${MIN_SECRET_BYTES} bytes long; got ${bytes.length}.`,
    );
  }
  return bytes;
}

async function deriveKey({ subtle }: Ports, secret: Bytes): Promise<SealKey> {
  const base = await subtle.importKey("raw", secret, "HKDF", false, ["deriveKey", "deriveBits"]);
  const hkdf = (info: string) => ({
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(0),
    info: encodeUtf8(info),
  });
  const id = await subtle.deriveBits(hkdf("tenon state key id"), base, ID_BYTES * 8);
  const aes = { name: "AES-GCM", length: 256 };
  return {
    id: new Uint8Array(id),
    secret: await subtle.deriveKey(hkdf("tenon state key"), base, aes, false, ["encrypt", "decrypt"]),
  };
}

/** Returns the AES-GCM parameters. The binding is authenticated data, so decryption fails with a different binding. */
function algorithm(iv: Bytes, { principal, method, name, args }: StateBinding) {
  const additionalData = encodeUtf8(canonicalJson([principal ?? null, method, name, args ?? null]));
  return { name: "AES-GCM", iv, additionalData };
}

function readState(plain: Uint8Array, now: number): CallState | undefined {
  const state = readJson(decodeUtf8(plain) ?? "");
  if (!isJsonObject(state) || typeof state["expires"] !== "number" || state["expires"] <= now)
    return undefined;
  const { answers, once } = state;
  if (!isJsonObject(answers) || !isJsonObject(once)) return undefined;
  return { answers, once: once as CallState["once"] }; // Safe: `seal` wrote this shape
}
