/**
 * @fileoverview Rule `name-characters`: the name of a tool is missing or contains characters that model APIs reject.
 * @module cli/doctor/rules/names/name-characters
 */
import { show } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports tool names with other characters than letters, digits, underscores, and hyphens. */
export const nameCharacters: Rule = {
  id: "name-characters",
  severity: "error",
  title: "Character in a tool name that model APIs reject",
  *check({ tools }) {
    for (const { name, place } of tools) {
      if (/^[a-zA-Z0-9_-]+$/.test(name)) continue;
      const got = name === "" ? "no name" : show(name);
      yield {
        place,
        message: `A tool name must consist of letters, digits, underscores, and hyphens; got ${got}. Model APIs reject every request with such a tool.`,
        fix: "Rename the tool, such as `user_create` instead of `user.create`.",
      };
    }
  },
};
