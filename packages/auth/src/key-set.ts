/**
 * @fileoverview An issuer's public keys, fetched when they are needed and no oftener than a cooldown allows, however
 * many tokens name keys that do not exist.
 * @module auth/key-set
 */
import type { CryptoKey, JSONWebKeySet, JWK } from "jose";
import { createLocalJWKSet } from "jose/jwks/local";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { TokenHeader } from "./tokens/compact-token.js";

/** A key, or why there is none: the issuer has no such key, or its keys could not be had. */
export type KeyOutcome = CryptoKey | "unknown" | "unavailable";

/** Finds the key that a token names. */
export type FindKey = (header: TokenHeader) => Promise<KeyOutcome>;

/** Options of a key set. */
export interface KeySetOptions {
  /** Fetches the issuer's key set. */
  readonly fetchKeys: () => Promise<JsonObject | undefined>;
  readonly now: () => number;
  /** The least time between two fetches. */
  readonly cooldownMs: number;
  /** How old keys may be before they are fetched again. */
  readonly maxAgeMs: number;
  /** How old keys may be while the issuer does not answer. */
  readonly maxStaleMs: number;
  /** Hears of a fetch that failed. */
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
      return "unknown"; // none, several that fit alike, or one that is broken
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

/** A clock that was set back must not stop anything from being fetched. */
function isWithin(elapsed: number, limit: number): boolean {
  return elapsed >= 0 && elapsed < limit;
}

const MAX_KEYS = 100;

/** Returns the public keys of a set. @throws if the document is not a key set */
function parseKeySet(document: JsonObject | undefined): JSONWebKeySet {
  const keys = document?.["keys"];
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw new Error("the answer is not a key set");
  return { keys: keys.filter(isPublicKey) };
}

/** A secret, or a private key, that somebody published is known to everybody: it proves nothing. */
function isPublicKey(key: unknown): key is JWK {
  return isJsonObject(key) && typeof key["kty"] === "string" && key["kty"] !== "oct" && !("d" in key);
}
