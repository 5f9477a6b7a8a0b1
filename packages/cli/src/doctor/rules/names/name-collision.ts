/**
 * @fileoverview Rule `name-collision`: the names of two tools become equal in clients that convert names.
 * @module cli/doctor/rules/names/name-collision
 */
import { show } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports names that differ only in case and punctuation. */
export const nameCollision: Rule = {
  id: "name-collision",
  severity: "warning",
  title: "Names that differ only in case or punctuation",
  *check({ tools }) {
    const known = new Map<string, string>();
    for (const { name, place } of tools) {
      const key = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "_");
      const other = known.get(key);
      if (other === undefined) known.set(key, name);
      else if (other !== name) {
        yield {
          place,
          message: `The name ${show(name)} differs from ${show(other)} only in case or punctuation. Clients that convert names cannot tell them apart.`,
          fix: "Rename one of the tools.",
        };
      }
    }
  },
};
