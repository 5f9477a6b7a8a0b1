/**
 * @fileoverview Rule `name-duplicate`: two tools, or two prompts, have the same name.
 * @module cli/doctor/rules/names/name-duplicate
 */
import type { EntryFact } from "../../facts/facts.js";
import { show } from "../../facts/place.js";
import type { Problem, Rule } from "../../rule.js";

/** Reports names that occur twice in a list. */
export const nameDuplicate: Rule = {
  id: "name-duplicate",
  severity: "error",
  title: "Name used twice",
  *check({ tools, prompts }) {
    yield* findDuplicates(tools, "tool");
    yield* findDuplicates(prompts, "prompt");
  },
};

function* findDuplicates(entries: readonly EntryFact[], noun: string): Iterable<Problem> {
  const used = new Set<string>();
  for (const { name, place } of entries) {
    if (name !== "" && used.has(name)) {
      yield {
        place,
        message: `The name ${show(name)} belongs to another ${noun} too. Model APIs reject the list, or one ${noun} hides the other.`,
        fix: `Rename one ${noun}, or remove it from the list.`,
      };
    }
    used.add(name);
  }
}
