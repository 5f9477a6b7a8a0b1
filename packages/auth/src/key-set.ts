/**
 * @fileoverview Public keys of an issuer, fetched on demand. A cooldown limits the fetches, no matter how many tokens
 * name unknown keys.
 * @module auth/key-set
 */
import type { CryptoKey, JSONWebKeySet, JWK } from "jose";
import { createLocalJWKSet } from "jose/jwks/local";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { TokenHeader } from "./tokens/compact-token.js";

/** A key, or the reason there is none: the issuer has no such key, or its keys could not be fetched. */
export type KeyOutcome = CryptoKey | "unknown" | "unavailable";

/** Finds the key that a token names. */
export type FindKey = (header: TokenHeader) => Promise<KeyOutcome>;

/** Options of a key set. */
export interface KeySetOptions {
  /** Fetches the issuer's key set. */
  readonly fetchKeys: () => Promise<JsonObject | undefined>;
  readonly now: () => number;
  /** Minimum time between two fetches, in milliseconds. */
  readonly cooldownMs: number;
  /** Age in milliseconds after which keys are fetched again. */
  readonly maxAgeMs: number;
  /** Age in milliseconds up to which keys are still used while fetching fails. */
  readonly maxStaleMs: number;
  /** Called when a fetch fails. */
  readonly onFailure: () => void;
}

/** Creates a lookup on the keys of one issuer. Nothing is fetched until the first token arrives. */
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
  /** Waits for the fetch in flight. Without one, starts a fetch unless the last attempt was within the cooldown. */
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
      return "unknown"; // no key matches, several match, or the key is malformed
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

/** Checks that less than `limit` has elapsed. Negative values (the clock was set back) count as expired. */
function isWithin(elapsed: number, limit: number): boolean {
  return elapsed >= 0 && elapsed < limit;
}

const MAX_KEYS = 100;

/** Returns the public keys of a set. @throws if the document is not a key set */
function parseKeySet(document: JsonObject | undefined): JSONWebKeySet {
  const keys = document?.["keys"];
  if (!Array.isArray(keys) || keys.length > MAX_KEYS)
    throw new Error("Expected a JSON Web Key Set in the response body.");
  return { keys: keys.filter(isPublicKey) };
}

/** Checks that a key is public. A published secret or private key is known to everyone and proves nothing. */
function isPublicKey(key: unknown): key is JWK {
  return isJsonObject(key) && typeof key["kty"] === "string" && key["kty"] !== "oct" && !("d" in key);
}
