/**
 * @fileoverview Joins CSS class names.
 * @module ui/support/class-names
 */

/** Joins class names, or other tokens such as IDs, with spaces. Skips parts that are `undefined`, `false`, or empty. */
export function classNames(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== false && part !== "").join(" ");
}
