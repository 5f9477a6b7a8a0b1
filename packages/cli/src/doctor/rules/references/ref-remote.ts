/**
 * @fileoverview Rule `ref-remote`: a reference in a schema refers to another document.
 * @module cli/doctor/rules/references/ref-remote
 */
import { show } from "../../facts/place.js";
import type { Rule } from "../../rule.js";
import { listReferring } from "./find-references.js";

/** Reports references to other documents, which clients do not fetch. */
export const refRemote: Rule = {
  id: "ref-remote",
  severity: "error",
  title: "Reference to another document",
  *check({ tools }) {
    for (const { text, place, isRemote } of tools.flatMap(listReferring).flatMap((one) => one.references)) {
      if (!isRemote) continue;
      yield {
        place,
        message: `The schema refers to ${show(text)}, outside the definition. Clients do not fetch it, and cannot compile the schema.`,
        fix: "Copy the definition to `$defs` of this schema, and refer to it with `#/$defs/…`.",
      };
    }
  },
};
