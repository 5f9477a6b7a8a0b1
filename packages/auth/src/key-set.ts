/**
 * @fileoverview An issuer's public keys, fetched on demand. A cooldown limits how often they are fetched, even if many
 * tokens name unknown keys.
 * @module auth/key-set
 */
import type { CryptoKey, JSONWebKeySet, JWK } from "jose";
import { createLocalJWKSet } from "jose/jwks/local";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { TokenHeader } from "./tokens/compact-token.js";

/** The key, or the reason it is missing: the issuer does not publish it, or its keys could not be fetched. */
export type KeyOutcome = CryptoKey | "unknown" | "unavailable";

/** Finds the issuer's key that a token header selects. */
export type FindKey = (header: TokenHeader) => Promise<KeyOutcome>;

/** Options for `createKeySet`. */
export interface KeySetOptions {
  /** Fetches the issuer's key set. `undefined` counts as a failure. */
  readonly fetchKeys: () => Promise<JsonObject | undefined>;
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Minimum time between two fetches, in milliseconds. */
  readonly cooldownMs: number;
  /** Age in milliseconds after which keys are fetched again. */
  readonly maxAgeMs: number;
  /** Maximum age in milliseconds of keys that stay in use while fetching fails. */
  readonly maxStaleMs: number;
  /** Called when a fetch fails. */
  readonly onFailure: () => void;
}

/** Creates a key lookup for one issuer. Keys are first fetched when the first token arrives. */
export function createKeySet(options: KeySetOptions): FindKey {
  const { now, cooldownMs, maxAgeMs, maxStaleMs } = options;
  let keys: ReturnType<typeof createLocalJWKSet> | undefined;
  let fetchedAt = 0;
  let triedAt: number | undefined;
  let pending: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    try {
      keys = createLocalJWKSet(parseKeySet(await options.fetchKeys()));
      fetchedAt = now();
    } catch {
      options.onFailure();
    } finally {
      triedAt = now();
      pending = undefined;
    }
  };
  /** Joins the fetch in flight, or starts one if the cooldown since the last attempt has passed. */
  const refresh = async (): Promise<void> => {
    if (pending === undefined && triedAt !== undefined && isWithin(now() - triedAt, cooldownMs)) return;
    await (pending ??= load());
  };
  const find = async (header: TokenHeader): Promise<KeyOutcome> => {
    if (keys === undefined || now() - fetchedAt > maxStaleMs) return "unavailable";
    try {
      const { alg, kid } = header;
      return await keys(kid === undefined ? { alg } : { alg, kid });
    } catch {
      return "unknown"; // no key or more than one key matches, or the key is malformed
    }
  };

  return async (header) => {
    if (keys !== undefined && isWithin(now() - fetchedAt, maxAgeMs)) {
      const key = await find(header);
      if (key !== "unknown") return key;
    }
    await refresh();
    return find(header);
  };
}

/** Returns true if less than `limit` has elapsed. A negative value (the clock was set back) counts as expired. */
function isWithin(elapsed: number, limit: number): boolean {
  return elapsed >= 0 && elapsed < limit;
}

const MAX_KEYS = 100;

/** Returns a key set's public keys. @throws if the document is not a key set or has more than 100 keys */
function parseKeySet(document: JsonObject | undefined): JSONWebKeySet {
  const keys = document?.["keys"];
  if (!Array.isArray(keys) || keys.length > MAX_KEYS)
    throw new Error(`The response must be a JSON Web Key Set with at most ${MAX_KEYS} keys.`);
  return { keys: keys.filter(isPublicKey) };
}

/** Returns true if a key is public. Anyone can sign with a symmetric or private key that the issuer published. */
function isPublicKey(key: unknown): key is JWK {
  return isJsonObject(key) && typeof key["kty"] === "string" && key["kty"] !== "oct" && !("d" in key);
}
