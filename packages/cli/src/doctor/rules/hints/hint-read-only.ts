/**
 * @fileoverview Rule `hint-read-only`: a tool that changes something has the hint for read-only.
 * @module cli/doctor/rules/hints/hint-read-only
 */
import { placeOf, show } from "../../facts/place.js";
import type { Rule } from "../../rule.js";
import { findVerb } from "./verbs.js";

/** Reports tools with `readOnlyHint: true` whose name says that they change or delete something. */
export const hintReadOnly: Rule = {
  id: "hint-read-only",
  severity: "warning",
  title: "Read-only hint on a tool that changes something",
  *check({ tools }) {
    for (const { name, annotations, place } of tools) {
      const found = annotations["readOnlyHint"] === true ? findVerb(name) : undefined;
      if (found === undefined || found.effect === "reads") continue;
      yield {
        place: placeOf(place, "annotations", "readOnlyHint"),
        message: `The name contains ${show(found.verb)}, but the tool has \`readOnlyHint: true\`. Clients run read-only tools without asking the user.`,
        fix: "Set `readOnlyHint: false`, or rename the tool if it only reads.",
      };
    }
  },
};
