/**
 * @fileoverview Checks that two declarations of a field are compatible, because clients see one merged declaration.
 * @module tenon/grouped/strategies/field-conflict
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { resolveReference } from "./references.js";

/**
 * Describes how a later declaration's type differs from the first. Returns `undefined` if they are compatible. Different
 * enum values are compatible, because they are merged.
 */
export function findFieldConflict(
  first: JsonObject,
  later: JsonObject,
  definitions: JsonObject,
): string | undefined {
  const seen = new Set<unknown>();
  const compare = (before: JsonObject, after: JsonObject): string | undefined => {
    const difference = findDifference(before, after, definitions);
    if (difference !== undefined || seen.has(before)) return difference;
    seen.add(before);
    const [items, otherItems] = [before["items"], after["items"]];
    if (!isJsonObject(items) || !isJsonObject(otherItems)) return undefined;
    const inside = compare(resolveReference(items, definitions), resolveReference(otherItems, definitions));
    return inside === undefined ? undefined : `items: ${inside}`;
  };
  return compare(resolveReference(first, definitions), resolveReference(later, definitions));
}

function findDifference(before: JsonObject, after: JsonObject, definitions: JsonObject): string | undefined {
  const type = typeOf(before, definitions);
  const otherType = typeOf(after, definitions);
  // A declaration that allows any type is compatible with every other declaration.
  if (type === undefined || otherType === undefined) return undefined;
  if (type !== otherType) return `it has type "${otherType}", but an earlier action declares type "${type}"`;
  const values = valuesOf(before);
  const otherValues = valuesOf(after);
  if (values === undefined && otherValues !== undefined)
    return `it has the enum values ${otherValues}, but an earlier action declares type "${type}" without an enum`;
  if (values !== undefined && otherValues === undefined)
    return `it has type "${type}" without an enum, but an earlier action declares the enum values ${values}`;
  return undefined;
}

/** Returns the JSON types that a schema allows, such as `null|string`. An integer counts as a number. */
function typeOf(schema: JsonObject, definitions: JsonObject, depth = 0): string | undefined {
  const { type, enum: values, anyOf, oneOf } = schema;
  if (typeof type === "string") return toTypeName([type]);
  if (Array.isArray(type)) return toTypeName(type as string[]);
  if (Array.isArray(values)) return toTypeName(values.map(jsonTypeOf));
  if ("const" in schema) return toTypeName([jsonTypeOf(schema["const"])]);
  const branches = anyOf ?? oneOf;
  // The depth limit stops at unions that contain themselves. Real schemas do not nest this deeply.
  if (!Array.isArray(branches) || depth > 8) return undefined;
  const types = branches.map((branch: unknown) =>
    isJsonObject(branch) ? typeOf(resolveReference(branch, definitions), definitions, depth + 1) : undefined,
  );
  return types.includes(undefined) ? undefined : toTypeName(types.flatMap((name) => name?.split("|") ?? []));
}

function toTypeName(types: readonly string[]): string {
  const names = types.map((type) => (type === "integer" ? "number" : type));
  return [...new Set(names)].sort().join("|");
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Returns a schema's enum values as sorted text, or `undefined` if it has none. */
function valuesOf(schema: JsonObject): string | undefined {
  const { enum: values } = schema;
  const listed = Array.isArray(values) ? values : "const" in schema ? [schema["const"]] : undefined;
  if (listed === undefined) return undefined;
  const texts = listed.map((value) => JSON.stringify(value));
  return `[${[...new Set(texts)].sort().join(", ")}]`;
}
