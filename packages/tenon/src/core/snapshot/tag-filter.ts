/**
 * @fileoverview Filters tools by their tags.
 * @module core/tag-filter
 */

/** Filter for tools by tag. An empty list matches every tool. */
export interface TagFilter {
  /** Tags that a tool must all have. */
  readonly tags?: readonly string[];
  /** Tags of which a tool must have at least one. */
  readonly anyTag?: readonly string[];
  /** Tags that a tool must not have. */
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
