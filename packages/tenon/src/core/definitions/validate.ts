/**
 * @fileoverview Checks that the arguments of declared tools contain the required fields. Types, patterns, and ranges
 * are deliberately not checked.
 * @module core/validate
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** Rules about which fields must be present, parsed from a JSON Schema. */
export interface SchemaMeta {
  readonly required: readonly string[];
  /** Alternative sets of fields. All fields of at least one set must be present. */
  readonly oneOf: readonly (readonly string[])[];
  /** Fields that each field requires when it is present. */
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
}

/** Parses `required`, `oneOf`, and `dependencies`. Other keywords are ignored. */
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

/** Checks `required`, `oneOf`, and `dependencies`, in this order. Returns the first problem, if any. */
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

/** Returns the schema without the `oneOf` and `dependencies` rules that `validateArguments` checks. */
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
