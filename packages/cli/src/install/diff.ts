/**
 * @fileoverview Shows the change of a configuration file without its secrets.
 * @module cli/install/diff
 */
import { stripControls } from "@tenon/internal/text";
import { createTextRedactor } from "@tenon/internal/security/redact-text";

/** Redacted texts of a file before and after a change. */
export interface Change {
  readonly path: string;
  /** `undefined` if the file does not exist. */
  readonly before: string | undefined;
  readonly after: string;
}

/**
 * Renders the lines that a change removes and adds, in the unified format. Other lines are not shown, because a
 * configuration file may contain secrets anywhere.
 */
export function renderDiff({ path, before, after }: Change): string {
  const [old, now] = [toLines(before ?? ""), toLines(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  if (removed.length === 0 && added.length === 0) return "";
  const shown = createTextRedactor({ limit: MAX_LINE });
  return [
    `--- ${before === undefined ? "/dev/null" : path}`,
    `+++ ${path}`,
    `@@ -${rangeOf(start, removed)} +${rangeOf(start, added)} @@`,
    ...removed.map((line) => `-${stripControls(shown(line))}`),
    ...added.map((line) => `+${stripControls(shown(line))}`),
    "",
  ].join("\n");
}

/** Maximum length of a shown line. */
const MAX_LINE = 400;

function toLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** Formats a range: the first line, counted from 1, and the number of lines. An empty range names the line before it. */
function rangeOf(start: number, lines: readonly string[]): string {
  return `${lines.length === 0 ? start : start + 1},${lines.length}`;
}
