/**
 * @fileoverview Shows the lines of source code around a place.
 * @module cli/dev/log/source-frame
 */
import { stripControls } from "@tenon/internal/text";

/** Place in a source file. Lines and columns start at 1. */
export interface SourcePlace {
  readonly line: number;
  readonly column: number;
  /** Number of characters to mark. */
  readonly length?: number;
}

/**
 * Renders the lines around a place, with a mark below it. Returns an empty array if the file does not have the line.
 *
 * @example
 *     10 | const port = 1;
 *   > 11 | throw new Error("x");
 *        |       ^
 */
export function renderFrame(source: string, { line, column, length = 1 }: SourcePlace): readonly string[] {
  const lines = source.split(/\r\n|\r|\n/);
  const target = lines[line - 1];
  if (target === undefined) return [];
  const first = Math.max(1, line - CONTEXT);
  const last = Math.min(lines.length, line + CONTEXT);
  const width = String(last).length;
  const before = toColumns(target.slice(0, column - 1)).length;
  // A place far to the right is moved into view.
  const hidden = before < MAX_COLUMNS ? 0 : before - MAX_COLUMNS / 2;
  return lines.slice(first - 1, last).flatMap((text, index) => {
    const number = first + index;
    const shown = toColumns(text).slice(hidden, hidden + MAX_COLUMNS);
    const code = `${number === line ? ">" : " "} ${String(number).padStart(width)} | ${shown}`.trimEnd();
    if (number !== line) return [code];
    const marked = Math.max(1, Math.min(length, target.length - column + 1));
    const mark = `${" ".repeat(before - hidden)}${"^".repeat(marked)}`.slice(0, MAX_COLUMNS);
    return [code, `  ${" ".repeat(width)} | ${mark}`];
  });
}

/** Number of lines before and after the place. */
const CONTEXT = 2;
/** Maximum length of a line of code. */
const MAX_COLUMNS = 120;

/** Replaces tabs, so that the mark is below its place. */
function toColumns(text: string): string {
  return stripControls(text).replaceAll("\t", "  ");
}
