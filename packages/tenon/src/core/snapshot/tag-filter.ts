/**
 * @fileoverview Choosing tools by their tags.
 * @module core/tag-filter
 */

/** Which tools are shown, by tag. An empty list is no condition. */
export interface TagFilter {
  /** Every one of these must be there. */
  readonly tags?: readonly string[];
  /** One of these must be there. */
  readonly anyTag?: readonly string[];
  /** None of these may be there. */
  readonly exclude?: readonly string[];
}

/** Whether a tool of these tags is shown. */
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
