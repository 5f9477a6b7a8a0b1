/**
 * @fileoverview Rule `definition-size`: the definition of a tool takes too much of the model's context.
 * @module cli/doctor/rules/server/definition-size
 */
import type { Rule } from "../../rule.js";

/** Reports tools whose name, description, and input schema are large. */
export const definitionSize: Rule = {
  id: "definition-size",
  severity: "warning",
  title: "Large tool definition",
  *check({ tools }) {
    for (const { name, description, input, place } of tools) {
      const size = JSON.stringify({ name, description, input }).length;
      if (size <= MAX_CHARACTERS) continue;
      yield {
        place,
        message: `The definition has ${size} characters (limit: ${MAX_CHARACTERS}), about ${Math.round(size / 4)} tokens. Most clients send it with every request.`,
        fix: "Shorten the descriptions, leave out rare parameters, or split the tool.",
      };
    }
  },
};

/** About 2,000 tokens. Public reports call 800 to 1,000 tokens for one tool too many. */
const MAX_CHARACTERS = 8_000;
