/**
 * @fileoverview Copies and freezes plain data, so that what was compiled at build cannot change under a request.
 * @module internal/deep-freeze
 */

/** A deeply frozen copy of JSON-like data; the original stays as it was. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map((item: unknown) => frozenCopy(item))
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, frozenCopy(item as unknown)]));
  return Object.freeze(copy) as T; // same shape as `value`, member by member
}
