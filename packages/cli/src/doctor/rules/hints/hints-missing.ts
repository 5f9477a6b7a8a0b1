/**
 * @fileoverview Rule `hints-missing`: tools do not say if they only read.
 * @module cli/doctor/rules/hints/hints-missing
 */
import { listNames } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports tools without hints. One finding per server. */
export const hintsMissing: Rule = {
  id: "hints-missing",
  severity: "info",
  title: "Tools without hints",
  *check({ tools, allowsAnnotations }) {
    if (!allowsAnnotations) return;
    const without = tools.filter(
      ({ annotations }) =>
        typeof annotations["readOnlyHint"] !== "boolean" &&
        typeof annotations["destructiveHint"] !== "boolean",
    );
    if (without.length === 0) return;
    const names = listNames(without.map(({ name }) => name));
    yield {
      place: "tools",
      message: `${without.length} of ${tools.length} tools ${without.length === 1 ? "has" : "have"} neither \`readOnlyHint\` nor \`destructiveHint\`: ${names}. Without hints, a tool counts as destructive, and many clients ask before every call.`,
      fix: "Set `annotations.readOnlyHint: true` for tools that only read, and `destructiveHint` for the others.",
    };
  },
};
