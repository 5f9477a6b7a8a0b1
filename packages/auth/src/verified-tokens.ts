/**
 * @fileoverview Cache of verified tokens, so that the signature of a token sent with every request is not checked each
 * time. The cache stores digests, never tokens.
 * @module auth/verified-tokens
 */
import type { Auth } from "tenon";
import { toBase64Url } from "@tenon/internal/base64";
import type { Ports } from "@tenon/internal/ports";
import { encodeUtf8 } from "@tenon/internal/utf8";

/** Cache of verified tokens. */
export interface VerifiedTokens {
  /** Returns the cache key of a token. */
  keyOf(token: string): Promise<string>;
  /** Returns the caller of a cached token that is still valid. */
  get(key: string): Auth | undefined;
  /** Caches a caller until the given time in milliseconds, or until the cache's own limit if that is earlier. */
  put(key: string, auth: Auth, until: number): void;
}

/** Maximum number of tokens. The least recently used are evicted first. */
const MAX_TOKENS = 1_000;

interface Entry {
  readonly auth: Auth;
  readonly from: number;
  readonly until: number;
}

/** Creates an empty cache that keeps tokens for at most `keepMs`. */
export function createVerifiedTokens(ports: Ports, keepMs: number): VerifiedTokens {
  const entries = new Map<string, Entry>();
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
      entries.set(key, entry); // moves it to the end: most recently used
      return entry.auth;
    },
    put(key, auth, until) {
      const from = ports.now();
      entries.set(key, { auth, from, until: Math.min(until, from + keepMs) });
      const [oldest] = entries.keys();
      if (entries.size > MAX_TOKENS && oldest !== undefined) entries.delete(oldest);
    },
  };
}
