/**
 * @fileoverview Rule `array-items`: an array argument does not declare its elements.
 * @module cli/doctor/rules/shapes/array-items
 */
import { typesOf } from "../../facts/schema-nodes.js";
import type { Rule } from "../../rule.js";

/** Reports arrays without `items`, which VS Code and OpenAI reject. */
export const arrayItems: Rule = {
  id: "array-items",
  severity: "error",
  title: "Array without items",
  *check({ tools }) {
    for (const { schema, place } of tools.flatMap(({ inputNodes }) => inputNodes)) {
      if (typeof schema === "boolean" || !typesOf(schema).includes("array")) continue;
      if (schema["items"] !== undefined) continue;
      yield {
        place,
        message:
          "The array has no `items`. VS Code rejects the tool, and OpenAI's API rejects every request with it.",
        fix: 'Declare the elements, such as `"items": { "type": "string" }`. In Zod, use `z.array(z.string())`.',
      };
    }
  },
};
