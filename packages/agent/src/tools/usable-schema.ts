/**
 * @fileoverview Adapts JSON Schemas of any dialect to the validator.
 * @module agent/tools/usable-schema
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { DATA_KEYWORDS, MAP_KEYWORDS } from "@tenon/internal/schema/keywords";
import { findTarget } from "./find-target.js";

/**
 * Copies a schema without formats, invalid patterns, and empty lists of alternatives, and with the exclusive limits of
 * draft 4 as numbers.
 *
 * @throws if a reference does not point into the schema
 */
export function toUsableSchema(schema: unknown, root: JsonObject): unknown {
  if (Array.isArray(schema)) return schema.map((one) => toUsableSchema(one, root));
  if (!isJsonObject(schema)) return schema;
  const { $ref } = schema;
  if (typeof $ref === "string" && findTarget(root, $ref) === undefined) {
    throw new Error("The schema has a reference that cannot be resolved");
  }
  const members = Object.entries(schema)
    .filter(([keyword, value]) => isUsable(keyword, value))
    .map(([keyword, value]) => [keyword, copyMember(keyword, value, root)] as const);
  return withExplainedCondition(withExclusiveLimits(Object.fromEntries(members)));
}

function copyMember(keyword: string, value: unknown, root: JsonObject): unknown {
  if (DATA_KEYWORDS.has(keyword)) return value;
  if (!MAP_KEYWORDS.has(keyword) || !isJsonObject(value)) return toUsableSchema(value, root);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toUsableSchema(one, root)]));
}

function isUsable(keyword: string, value: unknown): boolean {
  switch (keyword) {
    case "format": // an annotation, which servers check in different ways
      return false;
    case "pattern":
      return typeof value === "string" && isPattern(value);
    case "anyOf":
    case "oneOf":
      return Array.isArray(value) && value.length > 0;
    default:
      return true;
  }
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

/** Converts the flags of draft 4 to limits. */
function withExclusiveLimits(schema: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  return {
    ...schema,
    ...(exclusiveMinimum === true && { exclusiveMinimum: minimum }),
    ...(exclusiveMaximum === true && { exclusiveMaximum: maximum }),
  };
}

/** Rewrites `then` as the `else` of the opposite condition, because the validator explains only the errors in `else`. */
function withExplainedCondition({ then, ...schema }: JsonObject): JsonObject {
  if (then === undefined || schema["if"] === undefined) return schema;
  const rules: readonly unknown[] = Array.isArray(schema["allOf"]) ? schema["allOf"] : [];
  return { ...schema, allOf: [...rules, { if: { not: schema["if"] }, else: then }] };
}
