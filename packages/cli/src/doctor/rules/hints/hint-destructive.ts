/**
 * @fileoverview Rule `hint-destructive`: a tool that deletes something has the hint for not destructive.
 * @module cli/doctor/rules/hints/hint-destructive
 */
import { placeOf, show } from "../../facts/place.js";
import type { Rule } from "../../rule.js";
import { findVerb } from "./verbs.js";

/** Reports tools with `destructiveHint: false` whose name says that they delete something. */
export const hintDestructive: Rule = {
  id: "hint-destructive",
  severity: "warning",
  title: "Tool that deletes is not marked as destructive",
  *check({ tools }) {
    for (const { name, annotations, place } of tools) {
      if (annotations["destructiveHint"] !== false || annotations["readOnlyHint"] === true) continue;
      const found = findVerb(name);
      if (found?.effect !== "deletes") continue;
      yield {
        place: placeOf(place, "annotations", "destructiveHint"),
        message: `The name contains ${show(found.verb)}, but the tool has \`destructiveHint: false\`, which means that it only adds.`,
        fix: "Set `destructiveHint: true`, so that clients ask the user first.",
      };
    }
  },
};
