/**
 * @fileoverview Rule `ref-local`: the input schema of a tool uses references.
 * @module cli/doctor/rules/references/ref-local
 */
import type { Rule } from "../../rule.js";
import { listReferring } from "./find-references.js";

/** Reports references in input schemas, which some clients do not resolve. One finding per tool. */
export const refLocal: Rule = {
  id: "ref-local",
  severity: "warning",
  title: "Reference in an input schema",
  *check({ tools }) {
    for (const { references } of tools.flatMap(listReferring).filter(({ side }) => side === "input")) {
      const [first] = references.filter(({ target }) => target !== undefined);
      if (first === undefined) continue;
      yield {
        place: first.place,
        message:
          "The input schema uses `$ref`. Some clients remove the definitions or do not resolve the reference, so models send wrong arguments.",
        fix: 'Write the definition in place of the reference. In Zod, use `z.toJSONSchema(schema, { reused: "inline" })`.',
      };
    }
  },
};
