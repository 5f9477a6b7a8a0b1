/**
 * @fileoverview Rule `output-type`: the output schema of a tool does not describe an object.
 * @module cli/doctor/rules/shapes/output-type
 */
import { kindOf } from "@tenon/internal/kind-of";
import { placeOf } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports output schemas without `type: "object"` in the revisions that require it. */
export const outputType: Rule = {
  id: "output-type",
  severity: "error",
  title: "Output schema is not an object schema",
  *check({ tools, allowsAnyOutput }) {
    if (allowsAnyOutput) return;
    for (const { raw, output, place } of tools) {
      const { outputSchema } = raw;
      if (outputSchema === undefined || output?.["type"] === "object") continue;
      const got = output === undefined ? kindOf(outputSchema) : "a schema with another type or none";
      yield {
        place: placeOf(place, "outputSchema"),
        message: `\`outputSchema\` must be an object schema; got ${got}. Clients with the official SDK reject the whole list.`,
        fix: 'Add `"type": "object"`, and return other values in a property such as `result`.',
      };
    }
  },
};
