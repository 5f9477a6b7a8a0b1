/**
 * @fileoverview Rule `pattern-lookaround`: a pattern of an argument looks ahead or behind.
 * @module cli/doctor/rules/vendors/pattern-lookaround
 */
import { placeOf } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports patterns with lookahead or lookbehind, for which OpenAI's API and llama.cpp reject the whole request. */
export const patternLookaround: Rule = {
  id: "pattern-lookaround",
  severity: "error",
  title: "Lookahead or lookbehind in a pattern",
  *check({ tools }) {
    for (const { schema, place } of tools.flatMap(({ inputNodes }) => inputNodes)) {
      const pattern = typeof schema === "boolean" ? undefined : schema["pattern"];
      if (typeof pattern !== "string" || !hasLookaround(pattern)) continue;
      yield {
        place: placeOf(place, "pattern"),
        message:
          "The pattern uses lookahead or lookbehind. OpenAI's API and llama.cpp reject every request with such a tool.",
        fix: "Use a simpler pattern, and check the rest in the handler. Zod adds such a pattern for `z.email()`: use `z.string()`.",
      };
    }
  },
};

/** Returns true if a regular expression contains `(?=`, `(?!`, `(?<=`, or `(?<!` outside a character class. */
export function hasLookaround(pattern: string): boolean {
  let isInClass = false;
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index];
    if (character === "\\") index++;
    else if (isInClass) isInClass = character !== "]";
    else if (character === "[") isInClass = true;
    else if (character === "(" && /^\(\?<?[=!]/.test(pattern.slice(index, index + 4))) return true;
  }
  return false;
}
