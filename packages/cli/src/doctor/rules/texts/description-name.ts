/**
 * @fileoverview Rule `description-name`: the description of a tool only repeats its name.
 * @module cli/doctor/rules/texts/description-name
 */
import { placeOf } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports descriptions that contain only the words of the name or of the title. */
export const descriptionName: Rule = {
  id: "description-name",
  severity: "warning",
  title: "Description repeats the name",
  *check({ tools }) {
    for (const { name, description = "", raw, place } of tools) {
      const words = letters(description);
      if (words === "" || (words !== letters(name) && words !== letters(raw["title"]))) continue;
      yield {
        place: placeOf(place, "description"),
        message: "The description repeats the name, so it does not help a model to choose the tool.",
        fix: "Describe what the tool does, what it returns, and when to use it.",
      };
    }
  },
};

/** Returns the letters and digits of a text in lower case. */
function letters(text: unknown): string {
  return typeof text === "string" ? text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "") : "";
}
