/**
 * @fileoverview Rule `root-combinator`: the arguments of a tool are alternatives at the top level of its schema.
 * @module cli/doctor/rules/shapes/root-combinator
 */
import { placeOf } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports top-level `oneOf`, `anyOf`, and `allOf`, for which some model APIs reject the whole request. */
export const rootCombinator: Rule = {
  id: "root-combinator",
  severity: "error",
  title: "Top-level oneOf, anyOf, or allOf",
  *check({ tools }) {
    for (const { input, place } of tools) {
      const keyword = COMBINATORS.find((one) => input?.[one] !== undefined);
      if (keyword === undefined) continue;
      yield {
        place: placeOf(place, "inputSchema", keyword),
        message: `The input schema has \`${keyword}\` at the top level. Claude's API rejects every request with such a tool.`,
        fix: "Declare one object with the properties of all alternatives, and check their combination in the handler.",
      };
    }
  },
};

const COMBINATORS = ["oneOf", "anyOf", "allOf"];
