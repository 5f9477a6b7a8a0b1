/**
 * @fileoverview Rules for references in schemas.
 * @module cli/doctor/rules/references/rules
 */
import { rulesFor } from "../../item-rule.js";
import { show } from "../../facts/place.js";
import type { Rule } from "../../rule.js";
import { listReferring, type Reference, referencesInside } from "./find-references.js";
import type { JsonObject } from "@tenon/internal/json";

/** Defines a rule for every schema with references. */
const referringRule = /* @__PURE__ */ rulesFor(({ tools }) => tools.flatMap(listReferring));

/** Defines a rule for every reference. */
const referenceRule = /* @__PURE__ */ rulesFor(({ tools }) =>
  tools.flatMap(listReferring).flatMap(({ references }) => references),
);

/** Rules for references in schemas, in the order of the documentation. */
export const REFERENCE_RULES: readonly Rule[] = [
  // Reports references without a target, for which clients reject the whole list of tools.
  referenceRule({
    id: "ref-unresolved",
    severity: "error",
    title: "Reference without a target",
    find: ({ isRemote, target }) => !isRemote && target === undefined,
    message: ({ text }) =>
      `The schema does not contain ${show(text)}. Clients reject the whole list of tools.`,
    fix: "Add the definition to `$defs` of the same schema, or write it in place of the reference.",
  }),
  // Reports references to other documents, which clients do not fetch.
  referenceRule({
    id: "ref-remote",
    severity: "error",
    title: "Reference to another document",
    find: ({ isRemote }) => isRemote,
    message: ({ text }) =>
      `The schema refers to ${show(text)}, outside the definition. Clients do not fetch it, and cannot compile the schema.`,
    fix: "Copy the definition to `$defs` of this schema, and refer to it with `#/$defs/…`.",
  }),
  // Reports recursive schemas, which some clients and model APIs cannot process. One finding per schema.
  referringRule({
    id: "ref-recursive",
    severity: "warning",
    title: "Recursive schema",
    find: ({ root, references }) => findRecursive(root, references),
    place: (_, found) => found.place,
    message: (_, found) =>
      `${show(found.text)} contains itself. Clients that expand references fail, and some model APIs reject recursion.`,
    fix: "Limit the depth: write out the levels that you need, or accept the nested part as JSON text.",
  }),
  // Reports references in input schemas, which some clients do not resolve. One finding per tool.
  referringRule({
    id: "ref-local",
    severity: "warning",
    title: "Reference in an input schema",
    find: ({ side, references }) => side === "input" && references.find(({ target }) => target !== undefined),
    place: (_, first) => first.place,
    message:
      "The input schema uses `$ref`. Some clients remove the definitions or do not resolve the reference, so models send wrong arguments.",
    fix: 'Write the definition in place of the reference. In Zod, use `z.toJSONSchema(schema, { reused: "inline" })`.',
  }),
];

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
