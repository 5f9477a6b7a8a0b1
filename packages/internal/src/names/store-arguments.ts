/**
 * @fileoverview Argument checks that all stores share. A value that only some backends reject, such as a lifetime of NaN
 * or a key of one megabyte, fails in every store.
 * @module internal/names/store-arguments
 */
import { printable } from "../text.js";

/** Maximum length of a key, an ID, or the name of a stream or channel, in UTF-16 code units. */
const MAX_NAME_LENGTH = 1024;

/**
 * Checks and returns a key, an ID, or the name of a stream or channel.
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
