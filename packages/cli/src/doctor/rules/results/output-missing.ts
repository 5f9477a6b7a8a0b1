/**
 * @fileoverview Rule `output-missing`: a tool with an output schema does not return structured content.
 * @module cli/doctor/rules/results/output-missing
 */
import { placeOf } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports results without the structured content that the tool declares. */
export const outputMissing: Rule = {
  id: "output-missing",
  severity: "error",
  title: "Declared structured content is missing",
  needs: "calls",
  *check({ calls = [] }) {
    for (const { result, tool, place } of calls) {
      if (tool?.output === undefined || result["isError"] === true) continue;
      if (result["structuredContent"] !== undefined) continue;
      yield {
        place: placeOf(place, "structuredContent"),
        message:
          "The tool declares an output schema, but its result has no structured content. Clients with the official SDK reject the result.",
        fix: "Return `structuredContent` that matches the output schema, or remove the output schema.",
      };
    }
  },
};
