/**
 * @fileoverview Text for a terminal: foreign text made harmless, tables, and colours where they are wanted.
 * @module internal/command-line/text
 */
import type { Writable } from "node:stream";

/**
 * Foreign text without control characters: stops servers from steering the terminal that shows their words. Line breaks
 * and tabs stay.
 */
export function harmless(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "");
}

/** The same on one line, cut where it is too long. */
export function oneLine(text: string, limit = 200): string {
  const line = harmless(text).replace(/\s+/g, " ").trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** Rows of two columns, the second cut to the width of the terminal. */
export function twoColumns(
  rows: readonly (readonly [string, string])[],
  width: number,
  paint: (text: string) => string = (text) => text,
): readonly string[] {
  const first = Math.min(40, Math.max(0, ...rows.map(([left]) => left.length)));
  const room = Math.max(20, width - first - 4);
  return rows.map(([left, right]) =>
    right === ""
      ? `  ${paint(left)}`
      : `  ${paint(left)}${" ".repeat(Math.max(0, first - left.length))}  ${oneLine(right, room)}`,
  );
}

/** How wide a stream's terminal is; a file has no width, and gets lines in full. */
export function widthOf(stream: Writable): number {
  const { columns = 0 } = stream as { readonly columns?: number };
  return columns > 0 ? columns : 10_000;
}

/** Whether a stream shows colours: it is a terminal, and nobody has said no. */
export function hasColours(stream: Writable, env: Readonly<Record<string, string | undefined>>): boolean {
  const { isTTY } = stream as { readonly isTTY?: boolean };
  return isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

/** Makes text bold on streams that can. */
export function bold(stream: Writable, env: Readonly<Record<string, string | undefined>>) {
  return hasColours(stream, env) ? (text: string) => `\u001b[1m${text}\u001b[22m` : (text: string) => text;
}
