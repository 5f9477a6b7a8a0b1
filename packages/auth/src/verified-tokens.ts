/**
 * @fileoverview Tokens that were found good a moment ago, so that a client that sends one with every request has its
 * signature checked once. Digests are kept, never tokens.
 * @module auth/verified-tokens
 */
import type { Auth } from "tenon";
import { toBase64Url } from "@tenon/internal/base64";
import type { Ports } from "@tenon/internal/ports";
import { encodeUtf8 } from "@tenon/internal/utf8";

/** What is known of tokens, for a while. */
export interface VerifiedTokens {
  /** The name that a token is kept under. */
  keyOf(token: string): Promise<string>;
  /** Who the bearer is, where that was found out and still holds. */
  get(key: string): Auth | undefined;
  /** Keeps it until then, in milliseconds, and no longer than the set allows. */
  put(key: string, auth: Auth, until: number): void;
}

/** Most tokens that are kept; those used least recently make room. */
const MAX_TOKENS = 1_000;

interface Entry {
  readonly auth: Auth;
  readonly from: number;
  readonly until: number;
}

/** Makes an empty set, whose members stay for `keepMs` at most. */
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
      entries.set(key, entry); // now the one that was used last
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
