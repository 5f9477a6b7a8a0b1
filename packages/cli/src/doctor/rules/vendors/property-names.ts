/**
 * @fileoverview Rule `property-names`: the name of an argument has characters or a length that Claude's API rejects.
 * @module cli/doctor/rules/vendors/property-names
 */
import { placeOf, show } from "../../facts/place.js";
import { propertiesOf } from "../../facts/schema-nodes.js";
import type { Rule } from "../../rule.js";

/** Reports names of top-level properties that Claude's API rejects. */
export const propertyNames: Rule = {
  id: "property-names",
  severity: "error",
  title: "Property name that Claude's API rejects",
  *check({ tools }) {
    for (const { input, place } of tools) {
      for (const [name] of propertiesOf(input)) {
        if (/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) continue;
        yield {
          place: placeOf(place, "inputSchema", "properties", name),
          message: `The property name ${show(name)} must consist of 1 to 64 letters, digits, and the characters _ . -. Claude's API rejects every request with such a tool.`,
          fix: "Rename the property, and map it to the original name in the handler.",
        };
      }
    }
  },
};
