/**
 * @fileoverview Finds the target of a reference within a JSON Schema.
 * @module agent/tools/find-target
 */
import type { JsonObject } from "@tenon/internal/json";
import { parseFragment, valueAt } from "@tenon/internal/schema/json-pointer";

/** Returns the target of a local reference such as `#/$defs/id`. References to other documents are not followed. */
export function findTarget(root: JsonObject, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/") || reference.length > MAX_LENGTH) return undefined;
  const keys = parseFragment(reference.slice(1));
  return keys && valueAt(root, keys);
}

const MAX_LENGTH = 1_000;
