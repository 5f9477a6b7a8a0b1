/**
 * @fileoverview Rule `instructions-long`: the instructions of a server are too long.
 * @module cli/doctor/rules/texts/instructions-long
 */
import type { Rule } from "../../rule.js";

/** Reports instructions that Claude Code cuts off. */
export const instructionsLong: Rule = {
  id: "instructions-long",
  severity: "warning",
  title: "Instructions over 2,048 characters",
  *check({ instructions = "" }) {
    if (instructions.length <= MAX_INSTRUCTIONS) return;
    yield {
      place: "instructions",
      message: `The instructions have ${instructions.length} characters (limit: ${MAX_INSTRUCTIONS}). Claude Code cuts off the rest.`,
      fix: "Put the most important rules first, and move details to the descriptions of the tools.",
    };
  },
};

/** Longest instructions that Claude Code passes on. */
const MAX_INSTRUCTIONS = 2_048;
