/**
 * @fileoverview Rule `required-undefined`: a required argument is not declared.
 * @module cli/doctor/rules/shapes/required-undefined
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { listNames, placeOf } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports names in `required` that are not in `properties`, which the Gemini API rejects. */
export const requiredUndefined: Rule = {
  id: "required-undefined",
  severity: "warning",
  title: "Required property is not declared",
  *check({ tools }) {
    for (const { schema, place, isPart } of tools.flatMap(({ inputNodes }) => inputNodes)) {
      if (typeof schema === "boolean" || isPart || isComposed(schema)) continue;
      const missing = missingNames(schema);
      if (missing.length === 0) continue;
      yield {
        place: placeOf(place, "required"),
        message: `\`required\` names ${listNames(missing)}, which \`properties\` does not declare. The Gemini API rejects the schema.`,
        fix: "Declare the property, or remove its name from `required`.",
      };
    }
  },
};

/** Returns true if the properties may be declared in another schema. */
function isComposed(schema: JsonObject): boolean {
  return ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "patternProperties"].some(
    (keyword) => schema[keyword] !== undefined,
  );
}

function missingNames(schema: JsonObject): readonly string[] {
  const { required, properties } = schema;
  if (!Array.isArray(required)) return [];
  const declared = isJsonObject(properties) ? properties : {};
  return (required as unknown[]).filter(
    (name): name is string => typeof name === "string" && !Object.hasOwn(declared, name),
  );
}
