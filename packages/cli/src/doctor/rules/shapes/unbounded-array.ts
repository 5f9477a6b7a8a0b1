/**
 * @fileoverview Rule `unbounded-array`: array arguments may have any number of elements.
 * @module cli/doctor/rules/shapes/unbounded-array
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { countOthers } from "../../facts/place.js";
import { typesOf } from "../../facts/schema-nodes.js";
import type { Rule } from "../../rule.js";

/** Reports tools with array arguments that have no `maxItems`. One finding per tool. */
export const unboundedArray: Rule = {
  id: "unbounded-array",
  severity: "info",
  title: "Array without a maximum length",
  *check({ tools }) {
    for (const { inputNodes } of tools) {
      const found = inputNodes.filter(
        ({ schema, keyword }) => !PARTIAL.includes(keyword) && isUnbounded(schema),
      );
      const [first] = found;
      if (first === undefined) continue;
      const others =
        found.length === 1
          ? ""
          : ` The same is true for ${countOthers(found.length - 1, "array")} of this tool.`;
      yield {
        place: first.place,
        message: `The array has no \`maxItems\`, so one call can carry any number of elements.${others}`,
        fix: 'Declare the largest number of elements that the handler accepts, such as `"maxItems": 100`.',
      };
    }
  },
};

function isUnbounded(schema: JsonObject | boolean): boolean {
  if (typeof schema === "boolean" || !typesOf(schema).includes("array")) return false;
  const isTuple = schema["prefixItems"] !== undefined && schema["items"] === false;
  // Different elements from a list of values cannot be more than the values.
  const isSelection =
    schema["uniqueItems"] === true && isJsonObject(schema["items"]) && schema["items"]["enum"] !== undefined;
  return schema["maxItems"] === undefined && schema["enum"] === undefined && !isTuple && !isSelection;
}

/** Keywords whose schemas may leave the maximum to another schema. */
const PARTIAL = ["allOf", "not", "if", "then", "else"];
