/**
 * @fileoverview Rule `untyped-property`: an argument accepts any value.
 * @module cli/doctor/rules/shapes/untyped-property
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Rule } from "../../rule.js";

/** Reports properties and elements without a type, which some clients reject or drop. */
export const untypedProperty: Rule = {
  id: "untyped-property",
  severity: "warning",
  title: "Property without a type",
  *check({ tools }) {
    for (const { schema, place, keyword, isPart } of tools.flatMap(({ inputNodes }) => inputNodes)) {
      if (isPart || (keyword !== "properties" && keyword !== "items")) continue;
      if (schema === false || isRestricted(schema)) continue;
      yield {
        place,
        message:
          "The schema does not declare a type. Some clients drop such a tool, and models guess what to send.",
        fix: "Declare the type. If different types are possible, list them in `anyOf`.",
      };
    }
  },
};

function isRestricted(schema: JsonObject | boolean): boolean {
  return typeof schema !== "boolean" && RESTRICTING.some((keyword) => schema[keyword] !== undefined);
}

/** Keywords that determine or imply a type. */
const RESTRICTING = [
  "type",
  "$ref",
  "$dynamicRef",
  "enum",
  "const",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "if",
  "properties",
  "items",
  "prefixItems",
];
