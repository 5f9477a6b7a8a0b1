/**
 * @fileoverview Copies or freezes plain data, so that definitions cannot change after they are built.
 * @module internal/deep-freeze
 */

/** Freezes JSON-like data in place, including nested values. Use it only for values that no other code holds. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member as unknown);
  return value;
}

/** Returns a deeply frozen copy of JSON-like data. The original is not changed. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map((item: unknown) => frozenCopy(item))
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, frozenCopy(item as unknown)]));
  return Object.freeze(copy) as T; // Safe: the copy has the same shape as `value`
}
