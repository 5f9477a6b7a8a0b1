/**
 * @fileoverview Checks the arguments of declared tools for the presence of fields. Types, patterns and ranges are
 * deliberately not checked.
 * @module core/validate
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** Presence rules of a schema. */
export interface SchemaMeta {
  readonly required: readonly string[];
  /** Sets of fields. At least one set must be present completely. */
  readonly oneOf: readonly (readonly string[])[];
  /** Fields that require other fields. */
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
}

/** Parses the presence rules of a schema. */
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

/** Checks arguments in a fixed order. Returns the first problem, or `undefined` if there is none. */
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

/** Returns the schema without its presence rules, for a full validator. */
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
