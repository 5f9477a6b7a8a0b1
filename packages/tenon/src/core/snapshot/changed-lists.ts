/**
 * @fileoverview Finds the lists that an update has changed.
 * @module tenon/core/snapshot/changed-lists
 */
import { hasSameItems, type Plan } from "../definitions/plan.js";

/** Returns the lists that differ between two plans. */
export function changedLists(before: Plan, after: Plan): readonly ("tools" | "resources" | "prompts")[] {
  const differs = (key: "tools" | "resources" | "templates" | "prompts") =>
    !hasSameItems(before[key], after[key]);
  return [
    ...(differs("tools") ? (["tools"] as const) : []),
    ...(differs("resources") || differs("templates") ? (["resources"] as const) : []),
    ...(differs("prompts") ? (["prompts"] as const) : []),
  ];
}
