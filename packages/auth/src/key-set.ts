/**
 * @fileoverview An issuer's public keys, fetched when they are needed and no oftener than a cooldown allows, however
 * many tokens name keys that do not exist.
 * @module auth/key-set
 */
import type { CryptoKey, JSONWebKeySet, JWK } from "jose";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { TokenHeader } from "./tokens/compact-token.js";
import type { Jose } from "./load-jose.js";

/** A key, or why there is none: the issuer has no such key, or its keys could not be had. */
export type KeyOutcome = CryptoKey | "unknown" | "unavailable";

/** Finds the key that a token names. */
export type FindKey = (header: TokenHeader) => Promise<KeyOutcome>;

/** What a set of keys is made from. */
export interface KeySetOptions {
  readonly jose: Jose;
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

/** Makes a look-up on the keys of one issuer. Nothing is fetched until the first token comes. */
export function createKeySet(options: KeySetOptions): FindKey {
  const { jose, now, cooldownMs, maxAgeMs, maxStaleMs } = options;
  let keys: ReturnType<Jose["createLocalJWKSet"]> | undefined;
  let fetchedAt = 0;
  let triedAt: number | undefined;
  let pending: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    try {
      keys = jose.createLocalJWKSet(checkKeySet(await options.fetchKeys()));
      fetchedAt = now();
    } catch {
      options.onFailure();
    } finally {
      triedAt = now();
      pending = undefined;
    }
  };
  /** Waits for the fetch under way, or starts one unless the last was a moment ago, whatever came of it. */
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

/** The public keys of a set. @throws where it is no key set */
function checkKeySet(document: JsonObject | undefined): JSONWebKeySet {
  const keys = document?.["keys"];
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw new Error("the answer is not a key set");
  return { keys: keys.filter(isPublicKey) };
}

/** A secret, or a private key, that somebody published is known to everybody: it proves nothing. */
function isPublicKey(key: unknown): key is JWK {
  return isJsonObject(key) && typeof key["kty"] === "string" && key["kty"] !== "oct" && !("d" in key);
}
