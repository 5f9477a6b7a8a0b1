/**
 * @fileoverview Explains to a model why arguments do not match a JSON Schema.
 * @module agent/tools/explain-errors
 */
import type { TLocalizedValidationError } from "typebox/error";
import { isJsonObject } from "@tenon/internal/json";
import { parsePointer, valueAt } from "@tenon/internal/schema/json-pointer";
import type { ParamIssue } from "../shared/errors.js";
import { showArgument } from "./plain-text.js";

/** Converts the errors of the validator to issues. `root` is the value that was checked. */
export function explainErrors(
  errors: readonly TLocalizedValidationError[],
  root: unknown,
): readonly ParamIssue[] {
  let issues: readonly Located[] = [];
  // The error of a keyword follows the errors of the schemas inside it.
  for (const error of errors) {
    const { schemaPath, instancePath, keyword } = error;
    const path = parsePointer(instancePath);
    const inside = `${schemaPath}/${keyword}/`;
    const isChoice = keyword === "anyOf" || keyword === "oneOf";
    const found = isChoice
      ? explainChoice(
          error,
          path,
          issues.filter((issue) => issue.schemaPath.startsWith(inside)),
        )
      : explain(error, path, schemaPath.endsWith("/propertyNames") ? path.at(-1) : valueAt(root, path));
    issues = [
      ...(isChoice ? issues.filter((issue) => !issue.schemaPath.startsWith(inside)) : issues),
      ...found.map((issue) => ({ ...issue, schemaPath })),
    ];
  }
  const explained = issues.map(({ path, message }) => ({ path, message }));
  return explained.length > 0 || errors.length === 0
    ? explained
    : [{ path: [], message: "Does not match the schema" }];
}

/** Issue and the place in the schema that it comes from. */
interface Located extends ParamIssue {
  readonly schemaPath: string;
}

/** Returns the issues of the only branch that accepts the kind of value, or a summary if there are several. */
function explainChoice(
  error: TLocalizedValidationError,
  path: readonly string[],
  issues: readonly Located[],
): readonly ParamIssue[] {
  if (error.keyword === "oneOf" && error.params.passingSchemas.length > 1) {
    return [{ path, message: "Matches more than one of the allowed schemas" }];
  }
  const depth = error.schemaPath.split("/").length + 1;
  const branchOf = ({ schemaPath }: Located) => schemaPath.split("/")[depth];
  const branches = [...new Set(issues.map(branchOf))].map((name) =>
    issues.filter((issue) => branchOf(issue) === name),
  );
  const deep = branches.filter((branch) => branch.every((issue) => issue.path.length > path.length));
  const [only, ...others] = branches.length === 1 ? branches : deep;
  if (only !== undefined && others.length === 0) return only;
  const messages = new Set(branches.flatMap(([first]) => first?.message ?? []));
  return [
    { path, message: [...messages].slice(0, 3).join(", or ") || "Matches none of the allowed schemas" },
  ];
}

function explain(
  error: TLocalizedValidationError,
  path: readonly string[],
  value: unknown,
): readonly ParamIssue[] {
  switch (error.keyword) {
    case "additionalProperties":
    case "propertyNames":
    case "if":
      return []; // the errors inside it were reported
    case "required":
      return listMissing(error.params.requiredProperties, path, value);
    case "dependentRequired":
    case "dependencies":
      return listMissing(error.params.dependencies, path, value);
    case "unevaluatedProperties":
      return error.params.unevaluatedProperties.map((name) => ({
        path: [...path, String(name)],
        message: UNKNOWN,
      }));
    default:
      return [{ path, message: describe(error, value) }];
  }
}

const UNKNOWN = "Unknown parameter";

function listMissing(
  names: readonly string[],
  path: readonly string[],
  value: unknown,
): readonly ParamIssue[] {
  return names
    .filter((name) => !isJsonObject(value) || !Object.hasOwn(value, name) || value[name] === undefined)
    .map((name) => ({ path: [...path, name], message: "Required parameter is missing" }));
}

function describe(error: TLocalizedValidationError, value: unknown): string {
  const got = `; got ${showArgument(value)}`;
  const { keyword, params } = error;
  switch (keyword) {
    case "type":
      return `Expected ${[params.type].flat().map(nameOfType).join(" or ")}${got}`;
    case "enum": {
      const more = params.allowedValues.length > MAX_SHOWN ? ", …" : "";
      return `Expected one of ${params.allowedValues.slice(0, MAX_SHOWN).map(showArgument).join(", ")}${more}${got}`;
    }
    case "const":
      return `Expected ${showArgument(params.allowedValue)}${got}`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `Expected ${COMPARISONS[params.comparison]} ${params.limit}${got}`;
    case "multipleOf":
      return `Expected a multiple of ${params.multipleOf}${got}`;
    case "minLength":
    case "minItems":
    case "minProperties":
      return `Expected at least ${params.limit} ${countOf(value)}`;
    case "maxLength":
    case "maxItems":
    case "maxProperties":
      return `Expected at most ${params.limit} ${countOf(value)}`;
    case "pattern":
      return `Expected text that matches the pattern ${showArgument(String(params.pattern))}`;
    case "uniqueItems":
      return "Expected elements that are all different";
    case "contains":
      return "Lacks an element that the schema requires";
    case "boolean":
      return error.schemaPath.endsWith("/additionalProperties") ? UNKNOWN : NOT_ALLOWED;
    case "not":
      return NOT_ALLOWED;
    default:
      return error.message;
  }
}

const MAX_SHOWN = 20;
const NOT_ALLOWED = "This value is not allowed";
const COMPARISONS = { ">=": "at least", "<=": "at most", ">": "more than", "<": "less than" };

function nameOfType(type: string): string {
  return TYPE_WORDS[type] ?? "a value of a different type";
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  null: "null",
};

/** Returns the unit of a value's size, and the size. */
function countOf(value: unknown): string {
  if (typeof value === "string") return `characters; got ${Array.from(value).length}`;
  return Array.isArray(value)
    ? `elements; got ${value.length}`
    : `members; got ${Object.keys(Object(value) as object).length}`;
}
