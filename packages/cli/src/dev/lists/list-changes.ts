/**
 * @fileoverview Compares the lists of two versions of a server.
 * @module cli/dev/lists/list-changes
 */
import type { JsonObject } from "@tenon/internal/json";
import { LIST_NAMES, type ListFacts, LISTS } from "../../client/list-feature.js";
import type { ServerLists } from "../messages/messages.js";

/** Kind of list in a `list_changed` notification. Resources and templates share one. */
export type ChangeKind = ListFacts["capability"];

/** Difference between two versions of one definition. */
export interface DefinitionChange {
  readonly sign: "+" | "~" | "-";
  /** Noun of the definition, such as `tool`. */
  readonly noun: string;
  readonly name: string;
}

/** Differences between the lists of two versions. */
export interface ListChanges {
  /** Lists whose content or order differs. */
  readonly kinds: readonly ChangeKind[];
  readonly definitions: readonly DefinitionChange[];
}

/** Compares the lists of two versions. */
export function compareLists(before: ServerLists, after: ServerLists): ListChanges {
  const kinds = new Set<ChangeKind>();
  const definitions: DefinitionChange[] = [];
  for (const list of LIST_NAMES) {
    const [old = [], next = []] = [before[list], after[list]];
    if (JSON.stringify(old) === JSON.stringify(next)) continue;
    kinds.add(LISTS[list].capability);
    definitions.push(...compareDefinitions(old, next, LISTS[list]));
  }
  return { kinds: [...kinds], definitions };
}

function compareDefinitions(
  old: readonly JsonObject[],
  next: readonly JsonObject[],
  { noun, key }: ListFacts,
): readonly DefinitionChange[] {
  const texts = (list: readonly JsonObject[]) =>
    new Map(list.map((definition) => [String(definition[key]), JSON.stringify(definition)]));
  const [before, after] = [texts(old), texts(next)];
  const added = [...after.keys()].filter((name) => !before.has(name));
  const changed = [...after].filter(([name, text]) => before.has(name) && before.get(name) !== text);
  const removed = [...before.keys()].filter((name) => !after.has(name));
  return [
    ...added.map((name) => ({ sign: "+", noun, name }) as const),
    ...changed.map(([name]) => ({ sign: "~", noun, name }) as const),
    ...removed.map((name) => ({ sign: "-", noun, name }) as const),
  ];
}
