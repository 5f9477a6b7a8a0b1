/**
 * @fileoverview Argument checks that all store adapters share. A value that only some backends reject, such as a
 * lifetime of NaN or a key of one megabyte, fails in every adapter.
 * @module stores/arguments
 */
import { printable } from "@tenon/internal/text";
import { encodeUtf8 } from "@tenon/internal/utf8";

/** Maximum length of a key, an ID, or the name of a stream, channel, or queue, in UTF-16 code units. */
const MAX_NAME_LENGTH = 1024;

/**
 * Checks and returns a key, an ID, or the name of a stream, channel, or queue.
 * @throws {RangeError} if it is empty or too long
 */
export function parseName(name: string): string {
  if (name.length > 0 && name.length <= MAX_NAME_LENGTH) return name;
  throw new RangeError(
    `Store names and IDs must be 1 to ${MAX_NAME_LENGTH} characters long; got ${name.length}.`,
  );
}

/**
 * Checks and returns a count or a duration. `what` is the argument's name in the error message.
 * @throws {RangeError} if `value` is not an integer greater than or equal to `least`
 */
export function parseWhole(what: string, value: number, least = 1): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  const got = typeof value === "number" ? String(value) : `"${printable(String(value))}"`;
  throw new RangeError(`\`${what}\` must be an integer greater than or equal to ${least}; got ${got}.`);
}

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
