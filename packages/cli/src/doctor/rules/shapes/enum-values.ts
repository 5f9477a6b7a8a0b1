/**
 * @fileoverview Rule `enum-values`: the values of an enum are not accepted by every model API.
 * @module cli/doctor/rules/shapes/enum-values
 */
import { kindOf } from "@tenon/internal/kind-of";
import { placeOf } from "../../facts/place.js";
import { typesOf } from "../../facts/schema-nodes.js";
import { inputRule } from "../../item-rule.js";
import type { Rule } from "../../rule.js";

/** Reports enums without values, with empty or non-string values, and with values of another type than declared. */
export const enumValues: Rule = inputRule({
  id: "enum-values",
  severity: "warning",
  title: "Enum value that model APIs reject",
  find: ({ schema }) =>
    Array.isArray(schema["enum"]) ? findProblem(schema["enum"], typesOf(schema)) : undefined,
  place: ({ place }) => placeOf(place, "enum"),
  message: (_, message) => message,
  fix: "Use non-empty strings as values, and leave out the property to select nothing.",
});

function findProblem(values: readonly unknown[], types: readonly unknown[]): string | undefined {
  if (values.length === 0)
    return "The enum has no values, so no argument is valid. The Gemini API rejects it.";
  if (values.includes("")) return "The enum contains an empty string, which the Gemini API rejects.";
  const wrong =
    types.length === 0 ? undefined : values.find((value) => !types.some((type) => hasType(value, type)));
  if (wrong !== undefined)
    return `The enum contains ${kindOf(wrong)}, which the declared \`type\` does not allow.`;
  const other = values.find((value) => typeof value !== "string" && value !== null);
  return other === undefined
    ? undefined
    : `The enum contains ${kindOf(other)}. In \`parameters\`, the Gemini API accepts only strings as values.`;
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      return true; // `invalid-keyword` reports unknown types
  }
}
