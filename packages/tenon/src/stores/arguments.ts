/**
 * @fileoverview The arguments that all adapters take, held to the same rules, so that a value which one engine
 * would bear and another would not (a lifetime of NaN, a key of a megabyte) fails everywhere.
 * @module stores/arguments
 */
import { encodeUtf8 } from "@tenon/internal/utf8";

/** Longest key, stream, channel, queue or id, in UTF-16 units. */
const MAX_NAME_LENGTH = 1024;

/**
 * Gives back the name of a key, stream, channel or queue, or an id.
 * @throws RangeError where it is empty or too long
 */
export function parseName(name: string): string {
  if (name.length > 0 && name.length <= MAX_NAME_LENGTH) return name;
  throw new RangeError(`A name in a store has 1 to ${MAX_NAME_LENGTH} characters, not ${name.length}`);
}

/**
 * Gives back a count or a time; `what` names the argument.
 * @throws RangeError for anything but a whole number from `least` up
 */
export function parseWhole(what: string, value: number, least = 1): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new RangeError(`${what} must be a whole number of at least ${least}, not ${value}`);
}

/** The moment `ttlMs` from now, or never. */
export function expiryOf(now: number, ttlMs: number | undefined): number {
  return ttlMs === undefined ? Number.POSITIVE_INFINITY : now + parseWhole("ttlMs", ttlMs);
}

/** Bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  return encodeUtf8(text).length;
}

/** What a record of such texts counts against a bound on memory: many empty ones are not free. */
export function weigh(...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + utf8Length(text), RECORD_OVERHEAD);
}

/** About what an engine keeps beside the texts of a record. */
const RECORD_OVERHEAD = 100;
