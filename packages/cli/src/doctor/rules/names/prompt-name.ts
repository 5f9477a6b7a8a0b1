/**
 * @fileoverview Rule `prompt-name`: the name of a prompt contains spaces.
 * @module cli/doctor/rules/names/prompt-name
 */
import { show } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports prompt names with white space, which cannot be used as commands. */
export const promptName: Rule = {
  id: "prompt-name",
  severity: "warning",
  title: "Space in a prompt name",
  *check({ prompts }) {
    for (const { name, place } of prompts) {
      if (name !== "" && !/\s/.test(name)) continue;
      const got = name === "" ? "no name" : show(name);
      yield {
        place,
        message: `A prompt name must not contain spaces; got ${got}. Clients that offer prompts as commands cannot run it.`,
        fix: "Use hyphens or underscores in the name, and put the readable form in `title`.",
      };
    }
  },
};
