/**
 * @fileoverview Rule `ref-unresolved`: a reference in a schema refers to a definition that does not exist.
 * @module cli/doctor/rules/references/ref-unresolved
 */
import { show } from "../../facts/place.js";
import type { Rule } from "../../rule.js";
import { listReferring } from "./find-references.js";

/** Reports references without a target, for which clients reject the whole list of tools. */
export const refUnresolved: Rule = {
  id: "ref-unresolved",
  severity: "error",
  title: "Reference without a target",
  *check({ tools }) {
    for (const { text, place, isRemote, target } of tools
      .flatMap(listReferring)
      .flatMap((one) => one.references)) {
      if (isRemote || target !== undefined) continue;
      yield {
        place,
        message: `The schema does not contain ${show(text)}. Clients reject the whole list of tools.`,
        fix: "Add the definition to `$defs` of the same schema, or write it in place of the reference.",
      };
    }
  },
};
