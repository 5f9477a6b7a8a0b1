/**
 * @fileoverview Rule `hint-spelling`: a hint is misspelled, misplaced, or not a boolean.
 * @module cli/doctor/rules/hints/hint-spelling
 */
import type { JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { placeOf, show } from "../../facts/place.js";
import type { Problem, Rule } from "../../rule.js";

/** Reports hints that clients ignore. */
export const hintSpelling: Rule = {
  id: "hint-spelling",
  severity: "warning",
  title: "Hint that clients ignore",
  *check({ tools }) {
    for (const { raw, annotations, place } of tools) {
      yield* checkMembers(annotations, placeOf(place, "annotations"));
      for (const key of Object.keys(raw).filter((name) => hintFor(name) !== undefined)) {
        yield {
          place: placeOf(place, key),
          message: `${show(key)} is outside \`annotations\`, so clients ignore it.`,
          fix: `Move it to \`annotations.${hintFor(key) ?? key}\`.`,
        };
      }
    }
  },
};

function* checkMembers(annotations: JsonObject, place: string): Iterable<Problem> {
  for (const [key, value] of Object.entries(annotations)) {
    const hint = hintFor(key);
    if (hint === undefined) continue;
    if (hint !== key) {
      yield {
        place: placeOf(place, key),
        message: `Clients do not know the annotation ${show(key)}.`,
        fix: `Rename it to \`${hint}\`.`,
      };
    } else if (typeof value !== "boolean") {
      yield {
        place: placeOf(place, key),
        message: `\`${hint}\` must be a boolean; got ${kindOf(value)}.`,
        fix: "Use `true` or `false`, without quotation marks.",
      };
    }
  }
}

const HINTS: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["readonly", "readOnlyHint"],
  ["destructive", "destructiveHint"],
  ["idempotent", "idempotentHint"],
  ["openworld", "openWorldHint"],
]);

/** Returns the hint that a name means, such as `readOnlyHint` for `read_only`. */
function hintFor(name: string): string | undefined {
  return HINTS.get(
    name
      .toLowerCase()
      .replaceAll(/[^a-z]/g, "")
      .replace(/hint$/, ""),
  );
}
