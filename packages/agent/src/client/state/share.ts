/**
 * @fileoverview Structural sharing: a new state reuses the unchanged parts of the state before it.
 * @module agent/client/state/share
 */

/** Maximum depth that is compared. Deeper values count as different. */
const MAX_DEPTH = 32;

/** Returns `next`, or `before` if both have the same content. */
export function share<Value>(before: Value | undefined, next: Value): Value {
  return before !== undefined && isSame(before, next, MAX_DEPTH) ? before : next;
}

/** Returns the new list, in which unchanged items are shared, or the list before it if all items are the same. */
export function shareList<Item>(
  before: readonly Item[],
  next: readonly Item[],
  keyOf: (item: Item) => string,
): readonly Item[] {
  const known = new Map(before.map((item) => [keyOf(item), item]));
  const shared = next.map((item) => share(known.get(keyOf(item)), item));
  const isUnchanged =
    shared.length === before.length && shared.every((item, index) => item === before[index]);
  return isUnchanged ? before : shared;
}

/** Returns an object with changed fields, or the same object if no field changes. */
export function withFields<Value extends object>(value: Value, changes: Partial<Value>): Value {
  const names = Object.keys(changes) as (keyof Value)[]; // Safe: the keys of `changes` are keys of `value`
  return names.every((name) => changes[name] === value[name]) ? value : { ...value, ...changes };
}

function isSame(a: unknown, b: unknown, depth: number): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || depth === 0) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const entries = Object.entries(a);
  return (
    entries.length === Object.keys(b).length &&
    entries.every(
      ([name, value]) =>
        Object.hasOwn(b, name) && isSame(value, (b as Record<string, unknown>)[name], depth - 1),
    )
  );
}
