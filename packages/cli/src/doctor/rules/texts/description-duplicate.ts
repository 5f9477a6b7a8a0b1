/**
 * @fileoverview Rule `description-duplicate`: several tools have the same description.
 * @module cli/doctor/rules/texts/description-duplicate
 */
import type { ToolFact } from "../../facts/facts.js";
import { listNames, placeOf } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports descriptions that several tools share. One finding per description. */
export const descriptionDuplicate: Rule = {
  id: "description-duplicate",
  severity: "warning",
  title: "Several tools with the same description",
  *check({ tools }) {
    const groups = new Map<string, ToolFact[]>();
    for (const tool of tools) {
      const text = (tool.description ?? "").trim();
      if (text !== "") groups.set(text, [...(groups.get(text) ?? []), tool]);
    }
    for (const group of groups.values()) {
      const [first, second] = group;
      if (first === undefined || second === undefined || second.name === first.name) continue;
      yield {
        place: placeOf(second.place, "description"),
        message: `The tools ${listNames(group.map(({ name }) => name))} have the same description, so a model cannot choose between them.`,
        fix: "Describe how the tools differ, or merge them into one tool.",
      };
    }
  },
};
