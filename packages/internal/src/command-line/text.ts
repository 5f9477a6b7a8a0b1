/**
 * @fileoverview Formats text for a terminal: removes control characters, aligns columns, and adds colors if supported.
 * @module internal/command-line/text
 */
import type { Writable } from "node:stream";

/**
 * Removes control characters from untrusted text, except line breaks and tabs. Stops a server from controlling the
 * terminal that shows its text.
 */
export function stripControls(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "");
}

/** Removes control characters and line breaks, and shortens text that is longer than `limit`. */
export function oneLine(text: string, limit = 200): string {
  const line = stripControls(text).replace(/\s+/g, " ").trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** Formats rows in two columns. Cuts the second column to fit `width`. */
export function twoColumns(rows: readonly (readonly [string, string])[], width: number): readonly string[] {
  const first = Math.min(40, Math.max(0, ...rows.map(([left]) => left.length)));
  const room = Math.max(20, width - first - 4);
  return rows.map(([left, right]) =>
    right === ""
      ? `  ${left}`
      : `  ${left}${" ".repeat(Math.max(0, first - left.length))}  ${oneLine(right, room)}`,
  );
}

/** Returns the width of a stream's terminal in columns. For a file, returns 10,000, so that lines are not cut. */
export function widthOf(stream: Writable): number {
  const { columns = 0 } = stream as { readonly columns?: number };
  return columns > 0 ? columns : 10_000;
}

/** Checks that a stream supports colors: it is a terminal, and neither `NO_COLOR` nor `TERM=dumb` is set. */
export function hasColors(stream: Writable, env: Readonly<Record<string, string | undefined>>): boolean {
  const { isTTY } = stream as { readonly isTTY?: boolean };
  return isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

/** Returns a function that makes text bold on streams that support colors. */
export function bold(stream: Writable, env: Readonly<Record<string, string | undefined>>) {
  return hasColors(stream, env) ? (text: string) => `\u001b[1m${text}\u001b[22m` : (text: string) => text;
}
