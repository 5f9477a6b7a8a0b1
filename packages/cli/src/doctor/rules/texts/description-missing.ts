/**
 * @fileoverview Rule `description-missing`: a tool or a prompt has no description.
 * @module cli/doctor/rules/texts/description-missing
 */
import { placeOf } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports tools and prompts without a description. */
export const descriptionMissing: Rule = {
  id: "description-missing",
  severity: "warning",
  title: "Missing description",
  *check({ tools, prompts }) {
    for (const { description, place } of tools) {
      if (!isBlank(description)) continue;
      yield {
        place: placeOf(place, "description"),
        message:
          "The tool has no description. Models decide by the description when to call a tool, and some clients reject the tool.",
        fix: "Describe what the tool does, and when to use it.",
      };
    }
    for (const { description, place } of prompts) {
      if (!isBlank(description)) continue;
      yield {
        place: placeOf(place, "description"),
        message: "The prompt has no description, so users see only its name.",
        fix: "Describe what the prompt is for.",
      };
    }
  },
};

function isBlank(description: string | undefined): boolean {
  return description === undefined || description.trim() === "";
}
