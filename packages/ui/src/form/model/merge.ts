/**
 * @fileoverview Merges two schemas that apply to the same value. The result describes a form. It does not replace
 * validation: keywords that a form cannot show are kept from one of the schemas.
 * @module ui/form/model/merge
 */
import { canonicalJson, isJsonObject, type JsonObject } from "@tenon/internal/json";
import { combine, readNumber, readObject, readStrings, readTypes } from "./schema.js";

/** Merges two schemas. Returns `undefined` if no value can satisfy both. Annotations of the second one win. */
export function mergeSchemas(first: JsonObject, second: JsonObject): JsonObject | undefined {
  const merged: Record<string, unknown> = { ...first, ...second };
  for (const mergeKeyword of [mergeTypes, mergeValues]) {
    if (!mergeKeyword(merged, first, second)) return undefined;
  }
  for (const keyword of [...LOWER_BOUNDS, ...UPPER_BOUNDS]) {
    const pick = LOWER_BOUNDS.includes(keyword) ? Math.max : Math.min;
    const bound = combine(pick, readNumber(first, keyword), readNumber(second, keyword));
    if (bound !== undefined) merged[keyword] = bound;
  }
  const required = [...readStrings(first, "required"), ...readStrings(second, "required")];
  if (required.length > 0) merged["required"] = [...new Set(required)];
  if (isJsonObject(first["properties"]) && isJsonObject(second["properties"])) {
    merged["properties"] = mergeProperties(readObject(first, "properties"), readObject(second, "properties"));
  }
  for (const keyword of ["items", "additionalProperties"]) {
    if (isJsonObject(first[keyword]) && isJsonObject(second[keyword])) {
      merged[keyword] = both(first[keyword], second[keyword]);
    }
  }
  return merged;
}

const LOWER_BOUNDS = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const UPPER_BOUNDS = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

/** Merges `type`. An integer is also a number. Returns false if the schemas have no type in common. */
function mergeTypes(merged: Record<string, unknown>, first: JsonObject, second: JsonObject): boolean {
  const [a, b] = [readTypes(first), readTypes(second)];
  if (a.length === 0 || b.length === 0) return true;
  const common = a.filter((type) => b.includes(type));
  const isInteger =
    (a.includes("integer") && b.includes("number")) || (a.includes("number") && b.includes("integer"));
  const types = isInteger && !common.includes("integer") ? [...common, "integer"] : common;
  merged["type"] = types.length === 1 ? types[0] : types;
  return types.length > 0;
}

/** Merges `const` and `enum`. Returns false if the schemas have no value in common. */
function mergeValues(merged: Record<string, unknown>, first: JsonObject, second: JsonObject): boolean {
  if (Object.hasOwn(first, "const") && Object.hasOwn(second, "const")) {
    return canonicalJson(first["const"]) === canonicalJson(second["const"]);
  }
  const [a, b] = [first["enum"], second["enum"]];
  if (!Array.isArray(a) || !Array.isArray(b)) return true;
  const allowed = new Set(b.map(canonicalJson));
  const common = a.filter((value) => allowed.has(canonicalJson(value)));
  merged["enum"] = common;
  return common.length > 0;
}

function mergeProperties(first: JsonObject, second: JsonObject): JsonObject {
  const shared = Object.keys(first)
    .filter((name) => Object.hasOwn(second, name))
    .map((name) => [name, both(first[name], second[name])] as const);
  return { ...first, ...second, ...Object.fromEntries(shared) };
}

/** Returns a schema for values that satisfy both. It is merged when the form shows it. */
function both(first: unknown, second: unknown): JsonObject {
  return { allOf: [first, second] };
}
