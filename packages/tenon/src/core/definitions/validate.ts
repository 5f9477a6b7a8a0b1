/**
 * @fileoverview Checks that the arguments of declared tools contain the required fields. Types, patterns, and ranges
 * are deliberately not checked.
 * @module tenon/core/definitions/validate
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** Rules about which fields must be present, parsed from a JSON Schema. */
export interface SchemaMeta {
  readonly required: readonly string[];
  /** Alternative sets of fields. All fields of at least one set must be present. Empty if there is nothing to check. */
  readonly oneOf: readonly (readonly string[])[];
  /** Fields that each field requires when it is present. */
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
}

/**
 * Parses `required`, `oneOf`, and `dependencies`. Other keywords are ignored. A `oneOf` branch counts by its `required`
 * list. A branch without one counts as satisfied, so `oneOf` is then not checked.
 */
export function parseSchemaMeta(schema: JsonObject): SchemaMeta {
  const { oneOf, dependencies } = schema;
  return {
    required: stringsOf(schema["required"]),
    oneOf:
      Array.isArray(oneOf) && oneOf.every(hasRequired) ? oneOf.map((set) => stringsOf(set["required"])) : [],
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

function hasRequired(value: unknown): value is JsonObject {
  return isJsonObject(value) && Array.isArray(value["required"]);
}

/** Returns true for a branch that `validateArguments` checks completely: a `required` list and annotations. */
function isRequiredSet(value: unknown): boolean {
  return hasRequired(value) && Object.keys(value).every((key) => SET_KEYWORDS.includes(key));
}

const SET_KEYWORDS = ["required", "title", "description", "$comment"];

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
