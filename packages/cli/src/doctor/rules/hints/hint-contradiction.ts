/**
 * @fileoverview Rule `hint-contradiction`: the hints of a tool contradict each other.
 * @module cli/doctor/rules/hints/hint-contradiction
 */
import { placeOf } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports tools with the hints for both read-only and destructive. */
export const hintContradiction: Rule = {
  id: "hint-contradiction",
  severity: "warning",
  title: "Contradictory hints",
  *check({ tools }) {
    for (const { annotations, place } of tools) {
      if (annotations["readOnlyHint"] !== true || annotations["destructiveHint"] !== true) continue;
      yield {
        place: placeOf(place, "annotations"),
        message:
          "The tool has `readOnlyHint: true` and `destructiveHint: true`. Clients show it as destructive, or run it without asking.",
        fix: "Set `destructiveHint: false` if the tool only reads. Otherwise, set `readOnlyHint: false`.",
      };
    }
  },
};
