/**
 * @fileoverview Validates a value against a JSON Schema that a server has sent. Such a schema can be wrong or hostile, so
 * its size and the time are limited, and an error of the validator is an outcome.
 * @module cli/page/schema/find-problems
 */
import { Check, Errors } from "typebox/schema";
import { exceedsDepth, type JsonObject } from "@tenon/internal/json";
import { parsePointer, valueAt } from "@tenon/internal/schema/json-pointer";
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
    const keys = parsePointer(one.instancePath);
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
        return [{ path: toPath(value, keys), message: describe(one) }];
    }
  });
  const unique = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return [...unique.values()].slice(0, MAX_PROBLEMS);
}

/** Converts keys to a path. The keys of arrays are numbers. */
function toPath(value: unknown, keys: readonly string[]): readonly (string | number)[] {
  return keys.map((key, index) => (Array.isArray(valueAt(value, keys.slice(0, index))) ? Number(key) : key));
}

const MAX_MESSAGE = 300;

/** Message for a value that is missing. */
const MISSING = "A value is required.";

/** Message for a value that must be left out. */
const NOT_ALLOWED = "This property is not allowed.";

/** Message for a value whose problem is not known. */
const NO_MATCH = "Does not match the schema.";

/** Describes a problem. */
function describe({ keyword, params }: TValidationError): string {
  // Safe: a row gets the parameters of its own keyword.
  const row = MESSAGES[keyword] as string | ((given: typeof params) => string) | undefined;
  return oneLine(typeof row === "function" ? row(params) : (row ?? NO_MATCH), MAX_MESSAGE);
}

type Keyword = TValidationError["keyword"];

type ParamsOf<Word extends Keyword> = Extract<TValidationError, { readonly keyword: Word }>["params"];

/** Messages by keyword. */
const MESSAGES: { readonly [Word in Keyword]?: string | ((params: ParamsOf<Word>) => string) } = {
  type: ({ type }) => `Must be ${toNouns(type)}.`,
  enum: ({ allowedValues }) => `Must be one of ${allowedValues.map(show).join(", ")}.`,
  const: ({ allowedValue }) => `Must be ${show(allowedValue)}.`,
  format: ({ format }) => `Must have the format ${format}.`,
  pattern: ({ pattern }) => `Must match the pattern ${String(pattern)}.`,
  minimum: ({ limit }) => `Must be at least ${limit}.`,
  maximum: ({ limit }) => `Must be at most ${limit}.`,
  exclusiveMinimum: ({ limit }) => `Must be greater than ${limit}.`,
  exclusiveMaximum: ({ limit }) => `Must be less than ${limit}.`,
  multipleOf: ({ multipleOf }) => `Must be a multiple of ${multipleOf}.`,
  minLength: ({ limit }) => `Must have at least ${count(limit, "character")}.`,
  maxLength: ({ limit }) => `Must have at most ${count(limit, "character")}.`,
  minItems: ({ limit }) => `Must have at least ${count(limit, "item")}.`,
  maxItems: ({ limit }) => `Must have at most ${count(limit, "item")}.`,
  minProperties: ({ limit }) => `Must have at least ${count(limit, "property", "properties")}.`,
  maxProperties: ({ limit }) => `Must have at most ${count(limit, "property", "properties")}.`,
  uniqueItems: "All items must be different.",
  unevaluatedItems: "Has items that are not allowed.",
  contains: "Does not contain the required items.",
  propertyNames: "Has a property whose name is not allowed.",
  anyOf: "Matches none of the allowed forms.",
  oneOf: ({ passingSchemas }) =>
    passingSchemas.length === 0
      ? "Matches none of the allowed forms."
      : "Matches more than one of the forms, of which only one is allowed.",
  dependencies: describeDependencies,
  dependentRequired: describeDependencies,
  not: "Has a form that is not allowed.",
};

function describeDependencies({ dependencies, property }: ParamsOf<"dependentRequired">): string {
  return `Requires ${dependencies.join(", ")} if ${property} is present.`;
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
  return [type]
    .flat()
    .map((one) => (Object.hasOwn(NOUNS, one) ? NOUNS[one] : one))
    .join(" or ");
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "undefined";
}

function count(limit: number, noun: string, plural = `${noun}s`): string {
  return `${limit} ${limit === 1 ? noun : plural}`;
}
