/**
 * @fileoverview Whether two declarations of one field can be served as one: a client sees only the first.
 * @module grouped/strategies/field-conflict
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { resolveReference } from "./references.js";

/** Says in what the later declaration of a field differs in type from the first, if it does. */
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
  // A declaration that allows anything goes with every other.
  if (type === undefined || otherType === undefined) return undefined;
  if (type !== otherType) return `type "${otherType}" differs from "${type}" declared before`;
  const values = valuesOf(before);
  const otherValues = valuesOf(after);
  if (values === otherValues) return undefined;
  if (values === undefined) return `enum values ${otherValues} differ from any "${type}" declared before`;
  if (otherValues === undefined) return `any "${type}" differs from enum values ${values} declared before`;
  return `enum values ${otherValues} differ from ${values} declared before`;
}

/** The JSON types that a schema allows, such as `null|string`; an integer counts as a number. */
function typeOf(schema: JsonObject, definitions: JsonObject, depth = 0): string | undefined {
  const { type, enum: values, anyOf, oneOf } = schema;
  if (typeof type === "string") return toTypeName([type]);
  if (Array.isArray(type)) return toTypeName(type as string[]);
  if (Array.isArray(values)) return toTypeName(values.map(jsonTypeOf));
  if ("const" in schema) return toTypeName([jsonTypeOf(schema["const"])]);
  const branches = anyOf ?? oneOf;
  // A union that contains itself has no end; nothing sensible nests this deep.
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

/** The values that a schema lists, as comparable text in which their order does not count. */
function valuesOf(schema: JsonObject): string | undefined {
  const { enum: values } = schema;
  const listed = Array.isArray(values) ? values : "const" in schema ? [schema["const"]] : undefined;
  if (listed === undefined) return undefined;
  const texts = listed.map((value) => JSON.stringify(value));
  return `[${[...new Set(texts)].sort().join(", ")}]`;
}
