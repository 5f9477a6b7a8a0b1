/**
 * @fileoverview Collects each group's actions.
 * @module tenon/grouped/strategies/groups
 */
import type { ActionFacts } from "../actions/action.js";
import { joinSentences } from "./sentence.js";

/** Returns the actions by group, in order of first use. An action without a group forms its own group. */
export function groupActions(actions: readonly ActionFacts[]): ReadonlyMap<string, readonly ActionFacts[]> {
  const groups = new Map<string, ActionFacts[]>();
  for (const action of actions) {
    const group = action.groupName ?? action.key;
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [action]);
    else members.push(action);
  }
  return groups;
}

/**
 * Returns a group's description, or an empty string. A group that was added more than once may have more than one
 * description.
 */
export function groupPurpose(members: readonly ActionFacts[]): string {
  const purposes = new Set(members.map(({ groupDescription = "" }) => groupDescription.trim()));
  return [...purposes]
    .filter((text) => text !== "")
    .reduce((first, second) => joinSentences(first, second), "");
}
