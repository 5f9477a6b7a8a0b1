/**
 * @fileoverview Rule `root-type`: the input schema of a tool is missing or does not describe an object.
 * @module cli/doctor/rules/shapes/root-type
 */
import { kindOf } from "@tenon/internal/kind-of";
import { placeOf } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports input schemas without `type: "object"`, which clients drop or reject. */
export const rootType: Rule = {
  id: "root-type",
  severity: "error",
  title: "Input schema is not an object schema",
  *check({ tools }) {
    for (const { raw, input, place } of tools) {
      if (input?.["type"] === "object") continue;
      const got = input === undefined ? kindOf(raw["inputSchema"]) : "a schema with another type or none";
      yield {
        place: placeOf(place, "inputSchema"),
        message: `\`inputSchema\` must be an object schema; got ${got}. Clients drop the tool or the whole list.`,
        fix: 'Add `"type": "object"`. For a tool without arguments, use `{ "type": "object", "properties": {} }`.',
      };
    }
  },
};
