/**
 * @fileoverview Cache of verified tokens, so that a token's signature is not checked on every request. Stores
 * digests, never tokens.
 * @module auth/verified-tokens
 */
import { toBase64Url } from "@tenon/internal/base64";
import type { Ports } from "@tenon/internal/ports";
import { encodeUtf8 } from "@tenon/internal/utf8";

/** Values of verified tokens, such as their callers, by token digest. */
export interface VerifiedTokens<Value> {
  /** Returns a token's cache key: its SHA-256 digest. */
  keyOf(token: string): Promise<string>;
  /** Returns the cached value, or `undefined` if the token is unknown or no longer valid. */
  get(key: string): Value | undefined;
  /** Caches a value until `until` (milliseconds since the epoch) or for `keepMs`, whichever ends first. */
  put(key: string, value: Value, until: number): void;
}

/** Maximum number of tokens. The least recently used one is evicted first. */
const MAX_TOKENS = 1_000;

interface Entry<Value> {
  readonly value: Value;
  readonly from: number;
  readonly until: number;
}

/** Creates an empty cache that keeps each token for at most `keepMs` milliseconds. */
export function createVerifiedTokens<Value>(ports: Ports, keepMs: number): VerifiedTokens<Value> {
  const entries = new Map<string, Entry<Value>>();
  return {
    async keyOf(token) {
      return toBase64Url(new Uint8Array(await ports.subtle.digest("SHA-256", encodeUtf8(token))));
    },
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      const now = ports.now();
      if (now < entry.from || now >= entry.until) return undefined;
      entries.set(key, entry); // inserted again at the end, as the most recently used
      return entry.value;
    },
    put(key, value, until) {
      const from = ports.now();
      entries.set(key, { value, from, until: Math.min(until, from + keepMs) });
      const [oldest] = entries.keys();
      if (entries.size > MAX_TOKENS && oldest !== undefined) entries.delete(oldest);
    },
  };
}
