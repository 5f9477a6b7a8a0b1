/**
 * @fileoverview Rule `pattern-invalid`: a pattern is not a regular expression.
 * @module cli/doctor/rules/vendors/pattern-invalid
 */
import { placeOf } from "../../facts/place.js";
import type { SchemaNode } from "../../facts/schema-nodes.js";
import type { Problem, Rule, Severity } from "../../rule.js";

/** Reports patterns that JavaScript cannot compile. Clients that validate with them fail. */
export const patternInvalid: Rule = {
  id: "pattern-invalid",
  severity: "error",
  title: "Invalid pattern",
  *check({ tools }) {
    for (const { inputNodes, outputNodes } of tools) {
      yield* checkPatterns(inputNodes, "warning");
      // The official SDK compiles output schemas as soon as it has read the list.
      yield* checkPatterns(outputNodes, "error");
    }
  },
};

/** @param severity severity of patterns that are valid only without the flag `u` */
function* checkPatterns(nodes: readonly SchemaNode[], severity: Severity): Iterable<Problem> {
  for (const { schema, place } of nodes) {
    const pattern = typeof schema === "boolean" ? undefined : schema["pattern"];
    if (typeof pattern !== "string" || pattern.length > MAX_LENGTH || compiles(pattern, "u")) continue;
    const isValidOnce = compiles(pattern, "");
    yield {
      place: placeOf(place, "pattern"),
      severity: isValidOnce ? severity : "error",
      message: isValidOnce
        ? "The pattern is not valid with the flag `u` of JavaScript, with which validators compile it. Clients that validate fail."
        : "The pattern is not a valid regular expression in JavaScript. Clients that compile the schema fail.",
      fix: "Remove escapes that are not needed, such as `\\:`, and features of other languages, such as `(?i)` and `(?P<name>`.",
    };
  }
}

/** Maximum length of a pattern that is compiled, in characters. */
const MAX_LENGTH = 10_000;

function compiles(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}
