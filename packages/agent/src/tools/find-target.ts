/**
 * @fileoverview Finds the target of a reference within a JSON Schema.
 * @module agent/tools/find-target
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** Returns the target of a local reference such as `#/$defs/id`. References to other documents are not followed. */
export function findTarget(root: JsonObject, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/") || reference.length > MAX_LENGTH) return undefined;
  let target: unknown = root;
  for (const segment of reference.slice(2).split("/")) {
    const key = decode(segment);
    if (key === undefined) return undefined;
    if (Array.isArray(target))
      target = /^\d{1,6}$/.test(key) ? (target as readonly unknown[])[Number(key)] : undefined;
    else target = isJsonObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  return target;
}

const MAX_LENGTH = 1_000;

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}
