/**
 * @fileoverview Rule `vendor-keywords`: the input schema of a tool uses keywords that the Gemini API does not know.
 * @module cli/doctor/rules/vendors/vendor-keywords
 */
import type { Rule } from "../../rule.js";

/** Reports JSON Schema keywords that Gemini's function declarations do not have. One finding per tool. */
export const vendorKeywords: Rule = {
  id: "vendor-keywords",
  severity: "warning",
  title: "Keyword that the Gemini API rejects",
  *check({ tools }) {
    for (const { inputNodes } of tools) {
      const found = inputNodes.flatMap(({ schema, place }) =>
        typeof schema === "boolean"
          ? []
          : KEYWORDS.filter((keyword) => schema[keyword] !== undefined).map((keyword) => ({
              keyword,
              place,
            })),
      );
      const [first] = found;
      if (first === undefined) continue;
      const names = [...new Set(found.map(({ keyword }) => `\`${keyword}\``))].join(", ");
      yield {
        place: first.place,
        message: `The input schema uses ${names}. Clients that pass the schema to the Gemini API as \`parameters\` get an error for every request.`,
        fix: "State the constraint in the description, and check it in the handler. Use `enum` with one value instead of `const`.",
      };
    }
  },
};

/** Keywords in public reports of rejected requests. */
const KEYWORDS = [
  "const",
  "not",
  "if",
  "then",
  "else",
  "patternProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "prefixItems",
  "contains",
  "unevaluatedProperties",
  "unevaluatedItems",
  "exclusiveMinimum",
  "exclusiveMaximum",
];
