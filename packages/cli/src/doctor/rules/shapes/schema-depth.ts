/**
 * @fileoverview Rule `schema-depth`: the arguments of a tool are nested too deeply.
 * @module cli/doctor/rules/shapes/schema-depth
 */
import type { Rule } from "../../rule.js";

/** Reports input schemas that are nested deeper than some model APIs allow. */
export const schemaDepth: Rule = {
  id: "schema-depth",
  severity: "warning",
  title: "Deeply nested input schema",
  *check({ tools }) {
    for (const { inputNodes } of tools) {
      const deep = inputNodes.find(({ depth }) => depth >= MAX_DEPTH);
      if (deep === undefined) continue;
      const deepest = inputNodes.reduce((most, { depth }) => Math.max(most, depth), 0);
      yield {
        place: deep.place,
        message: `The input schema is nested ${deepest} levels deep. Some model APIs reject ${MAX_DEPTH} levels and more.`,
        fix: "Flatten the arguments, or accept the nested part as JSON text.",
      };
    }
  },
};

/** First number of levels below the top that is rejected. */
const MAX_DEPTH = 10;
