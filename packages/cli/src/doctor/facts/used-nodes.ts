/**
 * @fileoverview Separates the schemas that have an effect from those in definitions to which nothing refers.
 * @module cli/doctor/facts/used-nodes
 */
import { isJsonObject } from "@tenon/internal/json";
import { parseFragment } from "@tenon/internal/schema/json-pointer";
import { placeOf } from "./place.js";
import { DEFINITIONS, type SchemaNode } from "./schema-nodes.js";

/** Schemas of a definition, in reading order. */
export interface SplitNodes {
  readonly used: readonly SchemaNode[];
  /** Schemas in definitions to which no used schema refers. */
  readonly unused: readonly SchemaNode[];
}

/** Splits the schemas inside `root`, the place of the first one. */
export function splitNodes(nodes: readonly SchemaNode[], root: string): SplitNodes {
  const byDefinition = new Map<string | undefined, SchemaNode[]>();
  for (const node of nodes) {
    const group = byDefinition.get(node.definition);
    if (group === undefined) byDefinition.set(node.definition, [node]);
    else group.push(node);
  }
  const used = new Set<string | undefined>([undefined]);
  // A set can grow while it is iterated, and each element is visited once.
  for (const definition of used) {
    for (const target of (byDefinition.get(definition) ?? []).flatMap((node) => targetsOf(node, root))) {
      if (target === ANY) return { used: nodes, unused: [] };
      if (byDefinition.has(target)) used.add(target);
    }
  }
  return {
    used: nodes.filter(({ definition }) => used.has(definition)),
    unused: nodes.filter(({ definition }) => !used.has(definition)),
  };
}

/** Target of references by identifier or anchor, which can be in any definition. */
const ANY = "";

/** Returns the places of the definitions that a schema refers to. */
function targetsOf({ schema }: SchemaNode, root: string): readonly string[] {
  if (!isJsonObject(schema)) return [];
  return ["$ref", "$dynamicRef", "$recursiveRef"].flatMap((keyword) => {
    const text = schema[keyword];
    if (typeof text !== "string") return [];
    const fragment = text.includes("#") ? text.slice(text.indexOf("#") + 1) : undefined;
    if (fragment === "") return [];
    if (fragment?.startsWith("/") !== true) return [ANY];
    const [word = "", name] = parseFragment(fragment) ?? [];
    return DEFINITIONS.includes(word) && name !== undefined ? [placeOf(root, word, name)] : [];
  });
}
