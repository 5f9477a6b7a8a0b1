/**
 * @fileoverview JSON Pointers (RFC 6901), such as `/items/0`.
 * @module internal/schema/json-pointer
 */
import type { JsonObject } from "../json.js";

/** Returns the keys in a pointer. The empty pointer has none. */
export function parsePointer(pointer: string): readonly string[] {
  return pointer.split("/").slice(1).map(unescapeKey);
}

/** Returns the keys in a pointer that is the fragment of a URI, or `undefined` if its encoding is not valid. */
export function parseFragment(fragment: string): readonly string[] | undefined {
  try {
    const keys = fragment.split("/").slice(1);
    return keys.map((key) => unescapeKey(decodeURIComponent(key)));
  } catch {
    return undefined;
  }
}

/** Returns the value that keys lead to, or `undefined`. Inherited members and the length of an array are ignored. */
export function valueAt(root: unknown, keys: readonly string[]): unknown {
  let value = root;
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && key === "length") return undefined;
    value = (value as JsonObject)[key]; // Safe: an own member of an object or array
  }
  return value;
}

function unescapeKey(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}
