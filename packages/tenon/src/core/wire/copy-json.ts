/**
 * @fileoverview Copies plain data without text in between, for messages that stay in one process.
 * @module tenon/core/wire/copy-json
 */
import type { JsonObject } from "@tenon/internal/json";

/** Maximum nesting depth, number of values, and total length of strings and keys. */
const MAX_DEPTH = 16;
const MAX_VALUES = 512;
const MAX_CHARACTERS = 16_384;

/** Remaining size of a copy. */
interface Budget {
  values: number;
  characters: number;
}

/**
 * Copies small plain data. The copy equals what a peer would get if the value was sent as JSON: it does not contain
 * undefined members, and numbers that JSON cannot represent are null.
 *
 * Returns `undefined` for anything else, such as class instances, `toJSON` methods, keys that could pollute a
 * prototype, circular or large data. The caller then has to serialize the value, which also checks the message limits.
 */
export function copyJson(value: JsonObject): Record<string, unknown> | undefined {
  // With an enumerable member on this prototype, the loops below would see members that are not the object's own.
  for (const _ in Object.prototype) return undefined;
  const copy = copyObject(value, { values: MAX_VALUES, characters: MAX_CHARACTERS }, MAX_DEPTH);
  return copy === UNSUITABLE ? undefined : (copy as Record<string, unknown>); // Safe: `copyObject` created it
}

/** Result for a value that has to be serialized. */
const UNSUITABLE = Symbol("unsuitable");

function copyValue(value: unknown, left: Budget, depth: number): unknown {
  if (--left.values < 0) return UNSUITABLE;
  switch (typeof value) {
    case "string":
      left.characters -= value.length;
      return left.characters < 0 ? UNSUITABLE : value;
    case "number":
      // JSON does not have a negative zero.
      return Number.isFinite(value) ? value + 0 : null;
    case "boolean":
      return value;
    case "object":
      if (value === null) return null;
      return Array.isArray(value) ? copyArray(value, left, depth) : copyObject(value, left, depth);
    default:
      return UNSUITABLE;
  }
}

function copyObject(value: object, left: Budget, depth: number): unknown {
  if (depth === 0 || Object.getPrototypeOf(value) !== Object.prototype || "toJSON" in value)
    return UNSUITABLE;
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    if (key === "__proto__" || key === "constructor") return UNSUITABLE;
    const member = (value as JsonObject)[key];
    if (member === undefined) continue;
    left.characters -= key.length;
    if (left.characters < 0) return UNSUITABLE;
    const copied = copyValue(member, left, depth - 1);
    if (copied === UNSUITABLE) return UNSUITABLE;
    copy[key] = copied;
  }
  return copy;
}

function copyArray(value: readonly unknown[], left: Budget, depth: number): unknown {
  const isPlain = Object.getPrototypeOf(value) === Array.prototype && !("toJSON" in value);
  if (depth === 0 || !isPlain || value.length > left.values) return UNSUITABLE;
  const copy: unknown[] = [];
  for (const item of value) {
    const copied = copyValue(item, left, depth - 1);
    if (copied === UNSUITABLE) return UNSUITABLE;
    copy.push(copied);
  }
  return copy;
}
