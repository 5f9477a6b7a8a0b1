/**
 * @fileoverview Reads keywords of untrusted schemas. A keyword with a value of the wrong type counts as absent.
 * @module ui/form/model/schema
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** Types of JSON Schema. */
export const SCHEMA_TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"] as const;

/** Type of JSON Schema. */
export type SchemaType = (typeof SCHEMA_TYPES)[number];

/** Returns a keyword's value if it is a string. */
export function readString(schema: JsonObject, keyword: string): string | undefined {
  const value = schema[keyword];
  return typeof value === "string" ? value : undefined;
}

/** Returns a keyword's value if it is a finite number. */
export function readNumber(schema: JsonObject, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Combines the numbers that are known. Returns `undefined` if there are none. */
export function combine(
  pick: (...numbers: readonly number[]) => number,
  ...values: readonly (number | undefined)[]
): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : pick(...known);
}

/** Returns a keyword's value if it is an array, or an empty array. */
export function readArray(schema: JsonObject, keyword: string): readonly unknown[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value : [];
}

/** Returns the strings of a keyword's value, or an empty array. */
export function readStrings(schema: JsonObject, keyword: string): readonly string[] {
  return readArray(schema, keyword).filter((value) => typeof value === "string");
}

/** Returns a keyword's value if it is an object, or an empty object. */
export function readObject(schema: JsonObject, keyword: string): JsonObject {
  const value = schema[keyword];
  return isJsonObject(value) ? value : {};
}

/** Returns the types that a schema allows, or an empty array if it does not restrict them with `type`. */
export function readTypes(schema: JsonObject): readonly SchemaType[] {
  const { type } = schema;
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  return SCHEMA_TYPES.filter((name) => names.includes(name));
}

/** Returns the types that a schema allows, by its `type` or by keywords that belong to one type. */
export function inferTypes(schema: JsonObject): readonly SchemaType[] {
  const types = readTypes(schema);
  if (types.length > 0) return types;
  if (OBJECT_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword))) return ["object"];
  return ARRAY_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword)) ? ["array"] : [];
}

/** Returns true if the arrays and objects of a value nest deeper than a limit. Does not use the stack. */
export function nestsDeeper(value: unknown, limit: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= limit; depth++) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}

const OBJECT_KEYWORDS = ["properties", "additionalProperties", "patternProperties", "propertyNames"] as const;
const ARRAY_KEYWORDS = ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"] as const;
