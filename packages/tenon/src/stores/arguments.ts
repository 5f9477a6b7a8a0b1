/**
 * @fileoverview Expiry times and sizes of records in the in-memory stores.
 * @module tenon/stores/arguments
 */
import { parseWhole } from "@tenon/internal/names/store-arguments";
import { encodeUtf8 } from "@tenon/internal/utf8";

/** Returns the time `ttlMs` milliseconds after `now`, or infinity without `ttlMs`. */
export function expiryOf(now: number, ttlMs: number | undefined): number {
  return ttlMs === undefined ? Number.POSITIVE_INFINITY : now + parseWhole("ttlMs", ttlMs);
}

/** Returns a text's length in UTF-8 bytes. */
export function utf8Length(text: string): number {
  return encodeUtf8(text).length;
}

/**
 * Returns the number of bytes that a record counts against a memory limit: its texts plus a fixed overhead, so that
 * empty texts count too.
 */
export function weigh(...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + utf8Length(text), RECORD_OVERHEAD);
}

/** Approximate memory overhead of a record in addition to its texts, in bytes. */
const RECORD_OVERHEAD = 100;
