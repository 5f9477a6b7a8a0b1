/**
 * @fileoverview Formats text for a terminal: aligns columns, wraps lines, and adds colors if supported.
 * @module internal/command-line/text
 */
import type { Readable, Writable } from "node:stream";

/** Layout of `formatColumns`. */
export interface ColumnLayout {
  /** Width of the terminal in columns. */
  readonly width: number;
  /** Number of spaces before each row. */
  readonly indent: number;
}

/** Formats rows in aligned columns. Wraps the last column to fit the width, or moves it to a new line if it would be narrow. */
export function formatColumns(
  rows: readonly (readonly string[])[],
  { width, indent }: ColumnLayout,
): readonly string[] {
  const count = Math.max(0, ...rows.map((cells) => cells.length));
  const sizes = Array.from({ length: count }, (_, column) =>
    Math.min(MAX_COLUMN, Math.max(0, ...rows.map((cells) => (cells[column] ?? "").length))),
  );
  return rows.flatMap((cells) => {
    const before = cells.slice(0, -1).map((cell, column) => cell.padEnd(sizes[column] ?? 0));
    const lead = " ".repeat(indent) + before.map((cell) => `${cell}  `).join("");
    const last = cells.at(-1) ?? "";
    if (last === "") return [lead.trimEnd()];
    const isNarrow = before.length > 0 && width - lead.length < MIN_LAST_COLUMN;
    const hang = " ".repeat(isNarrow ? indent + 4 : lead.length);
    const lines = wrapText(last, Math.max(MIN_LAST_COLUMN, width - hang.length));
    const wrapped = lines.map((line) => (line === "" ? "" : hang + line));
    return isNarrow ? [lead.trimEnd(), ...wrapped] : [lead + (lines[0] ?? ""), ...wrapped.slice(1)];
  });
}

/** Widest aligned column, and the narrowest last column that stays on the same line, in characters. */
const MAX_COLUMN = 40;
const MIN_LAST_COLUMN = 24;

/** Breaks text into lines of at most `width` characters. Keeps its line breaks. Longer words are not broken. */
export function wrapText(text: string, width: number): readonly string[] {
  return text.split("\n").flatMap((paragraph) => {
    const start = /^ */.exec(paragraph)?.[0] ?? "";
    const lines: string[] = [];
    let line = start;
    for (const word of paragraph.trim().split(/\s+/)) {
      const isFirst = line === start;
      if (!isFirst && line.length + 1 + word.length > width) {
        lines.push(line);
        line = start + word;
      } else line += isFirst ? word : ` ${word}`;
    }
    return [...lines, line.trimEnd()];
  });
}

/** Returns the width of a stream's terminal in columns. For a file, returns 10,000, so that lines are not cut. */
export function widthOf(stream: Writable): number {
  const { columns = 0 } = stream as { readonly columns?: number };
  return columns > 0 ? columns : 10_000;
}

/** Returns true if a stream is a terminal. */
export function isTerminal(stream: Readable | Writable): boolean {
  return (stream as { readonly isTTY?: boolean }).isTTY === true;
}

/** Returns true if a stream supports colors: it is a terminal, `NO_COLOR` is not set, and `TERM` is not `dumb`. */
export function hasColors(stream: Writable, env: Readonly<Record<string, string | undefined>>): boolean {
  return isTerminal(stream) && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

/** Returns a function that makes text bold on streams that support colors. */
export function bold(stream: Writable, env: Readonly<Record<string, string | undefined>>) {
  return hasColors(stream, env) ? (text: string) => `\u001b[1m${text}\u001b[22m` : (text: string) => text;
}

/** Formats a number of things, such as `1 tool` or `1,200 tools`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
