/**
 * @fileoverview Rule `type-union`: an argument has a list of types.
 * @module cli/doctor/rules/vendors/type-union
 */
import { countOthers } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports lists in `type`, which Gemini's function declarations do not allow. One finding per tool. */
export const typeUnion: Rule = {
  id: "type-union",
  severity: "warning",
  title: "List of types",
  *check({ tools }) {
    for (const { inputNodes } of tools) {
      const found = inputNodes.filter(
        ({ schema }) => typeof schema !== "boolean" && Array.isArray(schema["type"]),
      );
      const [first] = found;
      if (first === undefined) continue;
      const others =
        found.length === 1
          ? ""
          : ` The same is true for ${countOthers(found.length - 1, "schema")} of this tool.`;
      yield {
        place: first.place,
        message: `\`type\` is a list of types.${others} Clients that pass the schema to the Gemini API as \`parameters\` get an error for every request.`,
        fix: 'Use one type. For a value that may be missing, leave the property out of `required` instead of adding "null".',
      };
    }
  },
};
