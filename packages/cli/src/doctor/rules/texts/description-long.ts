/**
 * @fileoverview Rule `description-long`: the description of a tool is too long.
 * @module cli/doctor/rules/texts/description-long
 */
import { placeOf } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports descriptions that OpenAI's API rejects or Claude Code cuts off. */
export const descriptionLong: Rule = {
  id: "description-long",
  severity: "warning",
  title: "Description over 1,024 characters",
  *check({ tools }) {
    for (const { description = "", place } of tools) {
      if (description.length <= MAX_OPENAI) continue;
      const cut =
        description.length > MAX_CLAUDE_CODE
          ? ` Claude Code cuts it off after ${MAX_CLAUDE_CODE} characters.`
          : "";
      yield {
        place: placeOf(place, "description"),
        message: `The description has ${description.length} characters (limit: ${MAX_OPENAI}). OpenAI's Chat Completions API rejects it.${cut}`,
        fix: "Keep what a model needs to choose the tool, and move the rest to the parameters, a resource, or a prompt.",
      };
    }
  },
};

/** Longest description in OpenAI's Chat Completions API, and longest one that Claude Code passes on. */
const MAX_OPENAI = 1_024;
const MAX_CLAUDE_CODE = 2_048;
