/**
 * @fileoverview Copies and freezes plain data, so that definitions cannot change after they are built.
 * @module internal/deep-freeze
 */

/** Returns a deeply frozen copy of JSON-like data. The original is not changed. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map((item: unknown) => frozenCopy(item))
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, frozenCopy(item as unknown)]));
  return Object.freeze(copy) as T; // same shape as `value`, member by member
}
