/**
 * @fileoverview Describes a problem of a value in one sentence, for the field of a form.
 * @module cli/page/schema/describe-problem
 */
import type { TValidationError } from "typebox/error";
import { oneLine } from "@tenon/internal/text";

const MAX_MESSAGE = 300;

/** Message for a value that is missing. */
export const MISSING = "A value is required.";

/** Message for a value that must be left out. */
export const NOT_ALLOWED = "This property is not allowed.";

/** Message for a value whose problem is not known. */
export const NO_MATCH = "Does not match the schema.";

/** Describes a problem. */
export function describeProblem(error: TValidationError): string {
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
