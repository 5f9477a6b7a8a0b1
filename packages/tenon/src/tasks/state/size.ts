/**
 * @fileoverview Sizes that count toward the memory limits of tasks.
 * @module tenon/tasks/state/size
 */
import { encodeUtf8 } from "@tenon/internal/utf8";

/** Approximate memory in bytes of a record without arguments, journal, result, and error. */
export const BASE_BYTES = 2_048;

/** Returns the length of a text in UTF-8. */
export function textBytes(text: string): number {
  return encodeUtf8(text).length;
}

/** Returns the length of a value's JSON text in UTF-8. */
export function jsonBytes(value: unknown): number {
  return textBytes(JSON.stringify(value));
}
