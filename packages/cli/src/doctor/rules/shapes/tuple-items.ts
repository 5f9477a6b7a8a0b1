/**
 * @fileoverview Rule `tuple-items`: an array argument declares a list of schemas as its elements.
 * @module cli/doctor/rules/shapes/tuple-items
 */
import { placeOf } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports `items` with a list of schemas, which is not valid in the dialect that MCP requires. */
export const tupleItems: Rule = {
  id: "tuple-items",
  severity: "error",
  title: "List of schemas in items",
  *check({ tools }) {
    for (const { schema, place } of tools.flatMap(({ inputNodes }) => inputNodes)) {
      if (typeof schema === "boolean" || !Array.isArray(schema["items"])) continue;
      yield {
        place: placeOf(place, "items"),
        message:
          "`items` is a list of schemas, which JSON Schema 2020-12 does not allow. Model APIs reject the schema.",
        fix: "Use an object with named properties instead of a tuple, or one schema for all elements.",
      };
    }
  },
};
