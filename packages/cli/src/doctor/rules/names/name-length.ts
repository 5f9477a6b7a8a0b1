/**
 * @fileoverview Rule `name-length`: the name of a tool is too long.
 * @module cli/doctor/rules/names/name-length
 */
import type { Rule } from "../../rule.js";

/** Reports tool names over 64 characters, which OpenAI's API and Amazon Bedrock reject. */
export const nameLength: Rule = {
  id: "name-length",
  severity: "error",
  title: "Tool name over 64 characters",
  *check({ tools }) {
    for (const { name, place } of tools) {
      if (name.length <= MAX_NAME) continue;
      yield {
        place,
        message: `The name has ${name.length} characters (limit: ${MAX_NAME}). OpenAI's API and Amazon Bedrock reject every request with such a tool.`,
        fix: "Shorten the name. Clients add the name of the server, so 40 characters are a good maximum.",
      };
    }
  },
};

/** Maximum length of a function's name at OpenAI and Amazon Bedrock. */
export const MAX_NAME = 64;
