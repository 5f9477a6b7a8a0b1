/**
 * @fileoverview Rule `ref-recursive`: a schema contains itself through its references.
 * @module cli/doctor/rules/references/ref-recursive
 */
import type { JsonObject } from "@tenon/internal/json";
import { show } from "../../facts/place.js";
import type { Rule } from "../../rule.js";
import { listReferring, type Reference, referencesInside } from "./find-references.js";

/** Reports recursive schemas, which some clients and model APIs cannot process. One finding per schema. */
export const refRecursive: Rule = {
  id: "ref-recursive",
  severity: "warning",
  title: "Recursive schema",
  *check({ tools }) {
    for (const { root, references } of tools.flatMap(listReferring)) {
      const found = findRecursive(root, references);
      if (found === undefined) continue;
      yield {
        place: found.place,
        message: `${show(found.text)} contains itself. Clients that expand references fail, and some model APIs reject recursion.`,
        fix: "Limit the depth: write out the levels that you need, or accept the nested part as JSON text.",
      };
    }
  },
};

/** Finds a reference whose target contains, directly or through other references, a reference to the same target. */
function findRecursive(root: JsonObject, references: readonly Reference[]): Reference | undefined {
  if (references.length > MAX_REFERENCES) return undefined;
  const next = new Map<unknown, readonly unknown[]>();
  for (const { target } of references) {
    if (target === undefined || next.has(target)) continue;
    next.set(
      target,
      referencesInside(target, root).map((inside) => inside.target),
    );
  }
  return references.find(({ target }) => target !== undefined && reachesItself(target, next));
}

const MAX_REFERENCES = 1_000;

function reachesItself(start: unknown, next: ReadonlyMap<unknown, readonly unknown[]>): boolean {
  const seen = new Set<unknown>();
  const open = [...(next.get(start) ?? [])];
  while (open.length > 0) {
    const at = open.pop();
    if (at === start) return true;
    if (at === undefined || seen.has(at)) continue;
    seen.add(at);
    open.push(...(next.get(at) ?? []));
  }
  return false;
}
