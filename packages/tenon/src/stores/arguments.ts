/**
 * @fileoverview Validates the arguments of all store adapters by the same rules, so that a value that only some
 * engines reject (a lifetime of NaN, a key of one megabyte) fails everywhere.
 * @module stores/arguments
 */
import { encodeUtf8 } from "@tenon/internal/utf8";

/** Maximum length of a key, stream, channel, queue or id, in UTF-16 code units. */
const MAX_NAME_LENGTH = 1024;

/**
 * Returns the name of a key, stream, channel or queue, or an id.
 * @throws RangeError if it is empty or too long
 */
export function parseName(name: string): string {
  if (name.length > 0 && name.length <= MAX_NAME_LENGTH) return name;
  throw new RangeError(
    `A store name or id must have 1 to ${MAX_NAME_LENGTH} characters; got ${name.length}.`,
  );
}

/**
 * Returns a count or a duration. `what` is the name of the argument.
 * @throws RangeError if `value` is not an integer of at least `least`
 */
export function parseWhole(what: string, value: number, least = 1): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new RangeError(`\`${what}\` must be an integer of at least ${least}; got ${value}.`);
}

/** Returns the expiry time `ttlMs` from now, or infinity without `ttlMs`. */
export function expiryOf(now: number, ttlMs: number | undefined): number {
  return ttlMs === undefined ? Number.POSITIVE_INFINITY : now + parseWhole("ttlMs", ttlMs);
}

/** Returns the length of a text in UTF-8 bytes. */
export function utf8Length(text: string): number {
  return encodeUtf8(text).length;
}

/**
 * Returns the bytes that a record counts against a memory limit. Empty texts count too, with the overhead of the
 * record.
 */
export function weigh(...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + utf8Length(text), RECORD_OVERHEAD);
}

/** Approximate overhead of a record beside its texts, in bytes. */
const RECORD_OVERHEAD = 100;
