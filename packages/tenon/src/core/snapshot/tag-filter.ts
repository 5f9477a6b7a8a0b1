/**
 * @fileoverview Filters tools by tag.
 * @module tenon/core/snapshot/tag-filter
 */
import type { Plan } from "../definitions/plan.js";
import type { Snapshot } from "./snapshot.js";

/** Tag filter for tools. A tool must satisfy all three conditions. Empty lists match every tool. */
export interface TagFilter {
  /** The tool must have all of these tags. */
  readonly tags?: readonly string[];
  /** The tool must have at least one of these tags. */
  readonly anyTag?: readonly string[];
  /** The tool must not have any of these tags. */
  readonly exclude?: readonly string[];
}

/** Returns true if a tool with these tags passes the filter. */
export function isShown(
  tags: readonly string[],
  { tags: all = [], anyTag = [], exclude = [] }: TagFilter,
): boolean {
  return (
    all.every((tag) => tags.includes(tag)) &&
    (anyTag.length === 0 || anyTag.some((tag) => tags.includes(tag))) &&
    !exclude.some((tag) => tags.includes(tag))
  );
}

/** Returns the plan of a snapshot with the tools that pass the filter. */
export function filterPlan({ plan, tools }: Snapshot, filter: TagFilter): Plan {
  return { ...plan, tools: plan.tools.filter(({ name }) => isShown(tools.get(name)?.tags ?? [], filter)) };
}
