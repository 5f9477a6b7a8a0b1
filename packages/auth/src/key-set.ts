/**
 * @fileoverview An issuer's public keys, fetched on demand. A cooldown limits how often they are fetched, even if many
 * tokens name unknown keys. Tokens with known keys do not wait for an issuer that does not respond.
 * @module auth/key-set
 */
import type { CryptoKey, JSONWebKeySet, JWK } from "jose";
import { createLocalJWKSet } from "jose/jwks/local";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { messageOf } from "@tenon/internal/thrown";
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
  /** Time in milliseconds after `maxAgeMs` in which requests use known keys and do not wait for the new ones. */
  readonly graceMs: number;
  /** Maximum age in milliseconds of keys that stay in use while fetching fails. */
  readonly maxStaleMs: number;
  /** Called when a fetch fails. The message contains no text from the issuer. */
  readonly onFailure: (message: string) => void;
}

/**
 * Creates a key lookup for one issuer. Keys are first fetched when the first token arrives. A token with a known key
 * waits for a fetch only if the keys are older than `maxAgeMs + graceMs` and the last fetch succeeded.
 */
export function createKeySet(options: KeySetOptions): FindKey {
  const { now, maxAgeMs, graceMs, maxStaleMs } = options;
  let keys: ReturnType<typeof createLocalJWKSet> | undefined;
  let fetchedAt = 0;
  const refresher = createRefresher(options, (found) => {
    keys = createLocalJWKSet(found);
    fetchedAt = now();
  });
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
    const age = now() - fetchedAt;
    const key = await find(header);
    if (typeof key === "object") {
      if (isWithin(age, maxAgeMs)) return key;
      if (isWithin(age, maxAgeMs + graceMs) || refresher.hasFailed()) {
        refresher.run(keys !== undefined).catch(() => undefined); // only `onFailure` can throw
        return key;
      }
    }
    await refresher.run(keys !== undefined);
    return find(header);
  };
}

interface Refresher {
  /** Joins the fetch in flight, or starts one if enough time has passed since the last attempt. */
  readonly run: (hasKeys: boolean) => Promise<void>;
  /** Returns true if the last fetch failed. */
  readonly hasFailed: () => boolean;
}

/** Maximum time in milliseconds between two attempts while known keys are in use. Each failure doubles the time. */
const MAX_BACKOFF_MS = 60_000;
/** Age in milliseconds at which a fetch counts as lost. Some runtimes end the work of a request that has completed. */
const LOST_MS = 60_000;

function createRefresher(options: KeySetOptions, onKeys: (keys: JSONWebKeySet) => void): Refresher {
  const { now, cooldownMs } = options;
  let triedAt: number | undefined;
  let failures = 0;
  let inFlight: { readonly since: number; readonly done: Promise<void> } | undefined;

  const load = async (): Promise<void> => {
    try {
      onKeys(parseKeySet(await options.fetchKeys()));
      failures = 0;
    } catch (error) {
      failures += 1;
      options.onFailure(messageOf(error) ?? "The keys could not be fetched.");
    } finally {
      triedAt = now();
    }
  };
  return {
    hasFailed: () => failures > 0,
    async run(hasKeys) {
      if (inFlight !== undefined && isWithin(now() - inFlight.since, LOST_MS)) return inFlight.done;
      const backoffMs = hasKeys ? Math.min(cooldownMs * 2 ** Math.max(0, failures - 1), MAX_BACKOFF_MS) : 0;
      const pauseMs = Math.max(cooldownMs, backoffMs);
      if (triedAt !== undefined && isWithin(now() - triedAt, pauseMs)) return;
      const started = {
        since: now(),
        done: load().finally(() => {
          if (inFlight === started) inFlight = undefined;
        }),
      };
      inFlight = started;
      await started.done;
    },
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
