/**
 * @fileoverview Validates a value against a JSON Schema that a server has sent. Such a schema can be wrong or hostile, so
 * its size and the time are limited, and an error of the validator is an outcome.
 * @module cli/page/schema/find-problems
 */
import { Check, Errors } from "typebox/schema";
import { exceedsDepth, isJsonObject, type JsonObject } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/text";
import type { Problem } from "../protocol.js";
import { runLimited } from "@tenon/internal/limits/run-limited";
import type { TValidationError } from "typebox/error";

/** Outcome of a validation. */
export type SchemaOutcome =
  | { readonly ok: true; readonly problems: readonly Problem[] }
  /** The schema cannot be used. */
  | { readonly ok: false; readonly reason: string };

/** Limits of schemas, in characters of JSON and in levels. */
const MAX_SCHEMA = 1_000_000;
const MAX_DEPTH = 100;
const MAX_PROBLEMS = 100;
/** Time limit in milliseconds. A pattern of a server can take years. */
const MAX_MS = 1_000;

/** Finds the problems of a value. Never throws. */
export function findProblems(schema: JsonObject, value: unknown): SchemaOutcome {
  const text = JSON.stringify(schema);
  if (text.length > MAX_SCHEMA)
    return { ok: false, reason: `The schema is too long (limit: ${MAX_SCHEMA} characters).` };
  if (exceedsDepth(text, MAX_DEPTH))
    return { ok: false, reason: `The schema is nested too deeply (limit: ${MAX_DEPTH}).` };
  try {
    const limited = runLimited(() => validate(schema, value), MAX_MS);
    if (limited.ok) return { ok: true, problems: limited.value };
    return { ok: false, reason: `The validation takes too long (limit: ${MAX_MS} ms).` };
  } catch (error) {
    const reason = error instanceof Error ? oneLine(error.message, 200) : "unknown error";
    return { ok: false, reason: `The schema cannot be used: ${reason}` };
  }
}

function validate(schema: JsonObject, value: unknown): readonly Problem[] {
  if (Check(schema, value)) return [];
  const problems = toProblems(schema, value);
  return problems.length > 0 ? problems : [{ path: [], message: NO_MATCH }];
}

function toProblems(schema: JsonObject, value: unknown): readonly Problem[] {
  const [, errors] = Errors(schema, value);
  const problems = errors.flatMap((one): readonly Problem[] => {
    const keys = one.instancePath.split("/").slice(1).map(unescapePointer);
    const at = (more: readonly string[], message: string) =>
      more.map((name) => ({ path: toPath(value, [...keys, name]), message }));
    switch (one.keyword) {
      case "required":
        return at(one.params.requiredProperties, MISSING);
      case "unevaluatedProperties":
        return at(one.params.unevaluatedProperties.map(String), NOT_ALLOWED);
      case "boolean":
        return [{ path: toPath(value, keys), message: NOT_ALLOWED }];
      case "additionalProperties":
        return []; // already reported as `boolean` for each property
      default:
        return [{ path: toPath(value, keys), message: describeProblem(one) }];
    }
  });
  const unique = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return [...unique.values()].slice(0, MAX_PROBLEMS);
}

/** Converts keys to a path. The keys of arrays are numbers. */
function toPath(value: unknown, keys: readonly string[]): readonly (string | number)[] {
  let at = value;
  return keys.map((key) => {
    const isIndex = Array.isArray(at);
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    return isIndex ? Number(key) : key;
  });
}

function unescapePointer(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

const MAX_MESSAGE = 300;

/** Message for a value that is missing. */
const MISSING = "A value is required.";

/** Message for a value that must be left out. */
const NOT_ALLOWED = "This property is not allowed.";

/** Message for a value whose problem is not known. */
const NO_MATCH = "Does not match the schema.";

/** Describes a problem. */
function describeProblem(error: TValidationError): string {
  return oneLine(describe(error), MAX_MESSAGE);
}

function describe(error: TValidationError): string {
  switch (error.keyword) {
    case "type":
      return `Must be ${toNouns(error.params.type)}.`;
    case "enum":
      return `Must be one of ${error.params.allowedValues.map(show).join(", ")}.`;
    case "const":
      return `Must be ${show(error.params.allowedValue)}.`;
    case "format":
      return `Must have the format ${error.params.format}.`;
    case "pattern":
      return `Must match the pattern ${String(error.params.pattern)}.`;
    case "minimum":
      return `Must be at least ${error.params.limit}.`;
    case "maximum":
      return `Must be at most ${error.params.limit}.`;
    case "exclusiveMinimum":
      return `Must be greater than ${error.params.limit}.`;
    case "exclusiveMaximum":
      return `Must be less than ${error.params.limit}.`;
    case "multipleOf":
      return `Must be a multiple of ${error.params.multipleOf}.`;
    default:
      return describeSize(error) ?? describeStructure(error);
  }
}

function describeSize(error: TValidationError): string | undefined {
  switch (error.keyword) {
    case "minLength":
      return `Must have at least ${count(error.params.limit, "character")}.`;
    case "maxLength":
      return `Must have at most ${count(error.params.limit, "character")}.`;
    case "minItems":
      return `Must have at least ${count(error.params.limit, "item")}.`;
    case "maxItems":
      return `Must have at most ${count(error.params.limit, "item")}.`;
    case "minProperties":
      return `Must have at least ${count(error.params.limit, "property", "properties")}.`;
    case "maxProperties":
      return `Must have at most ${count(error.params.limit, "property", "properties")}.`;
    default:
      return undefined;
  }
}

function describeStructure(error: TValidationError): string {
  switch (error.keyword) {
    case "uniqueItems":
      return "All items must be different.";
    case "unevaluatedItems":
      return "Has items that are not allowed.";
    case "contains":
      return "Does not contain the required items.";
    case "propertyNames":
      return "Has a property whose name is not allowed.";
    case "anyOf":
      return "Matches none of the allowed forms.";
    case "oneOf":
      return error.params.passingSchemas.length === 0
        ? "Matches none of the allowed forms."
        : "Matches more than one of the forms, of which only one is allowed.";
    case "dependencies":
    case "dependentRequired":
      return `Requires ${error.params.dependencies.join(", ")} if ${error.params.property} is present.`;
    case "not":
      return "Has a form that is not allowed.";
    default:
      return NO_MATCH;
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  integer: "an integer",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string",
};

function toNouns(type: string | readonly string[]): string {
  const types = typeof type === "string" ? [type] : type;
  return types.map((one) => (Object.hasOwn(NOUNS, one) ? NOUNS[one] : one)).join(" or ");
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "undefined";
}

function count(limit: number, noun: string, plural = `${noun}s`): string {
  return `${limit} ${limit === 1 ? noun : plural}`;
}
