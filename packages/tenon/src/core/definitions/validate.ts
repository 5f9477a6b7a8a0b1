/**
 * @fileoverview The light argument check of tools that are declared as data: presence of fields, nothing else.
 * Types, patterns and ranges are left alone on purpose.
 * @module core/validate
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** The rules that were read from a schema when it was loaded. */
export interface SchemaMeta {
  readonly required: readonly string[];
  /** Sets of fields; one of the sets must be there as a whole. */
  readonly oneOf: readonly (readonly string[])[];
  /** Fields that bring others with them. */
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
}

/** Reads the rules of a schema. */
export function parseSchemaMeta(schema: JsonObject): SchemaMeta {
  const { oneOf, dependencies } = schema;
  return {
    required: stringsOf(schema["required"]),
    oneOf: Array.isArray(oneOf) ? oneOf.filter(isRequiredSet).map((set) => stringsOf(set["required"])) : [],
    dependencies: new Map(
      Object.entries(isJsonObject(dependencies) ? dependencies : {}).map(([field, others]) => [
        field,
        stringsOf(others),
      ]),
    ),
  };
}

/** Checks arguments in a fixed order and gives the first problem in words, or nothing. */
export function validateArguments(meta: SchemaMeta, args: JsonObject): string | undefined {
  const has = (field: string) => Object.hasOwn(args, field);
  const missing = meta.required.find((field) => !has(field));
  if (missing !== undefined) return `missing required field "${missing}"`;
  if (meta.oneOf.length > 0 && !meta.oneOf.some((set) => set.every(has))) {
    return "arguments must satisfy oneOf requirements";
  }
  for (const [field, others] of meta.dependencies) {
    const absent = has(field) ? others.find((other) => !has(other)) : undefined;
    if (absent !== undefined) return `field "${field}" requires "${absent}" to also be present`;
  }
  return undefined;
}

/** The schema without the rules above, for a full validator to check the rest. */
export function withoutSchemaMeta(schema: JsonObject): JsonObject {
  const { oneOf, dependencies: _, ...rest } = schema;
  return Array.isArray(oneOf) && !oneOf.every(isRequiredSet) ? { ...rest, oneOf } : rest;
}

function isRequiredSet(value: unknown): value is JsonObject {
  return isJsonObject(value) && Array.isArray(value["required"]) && Object.keys(value).length === 1;
}

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
