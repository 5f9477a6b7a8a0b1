/**
 * @fileoverview Finds pairs of places with identical lines of code.
 * @module tools/metrics/identical-lines
 */
import type { CodeLine } from "./code.js";

/** File with its lines of code. */
export interface CodeFile {
  readonly path: string;
  readonly lines: readonly CodeLine[];
}

/** Place in a file. */
export interface Place {
  readonly path: string;
  /** First line, from 1. */
  readonly first: number;
  /** Last line. */
  readonly last: number;
}

/** Two places with the same lines of code. */
export type IdenticalPair = readonly [one: Place, other: Place];

/** Number of identical lines from which a pair is reported. */
const MIN_LINES = 6;

/**
 * Finds all pairs of places with at least six identical lines of code in a row, each as long as possible. Comments,
 * blank lines, imports, and lines that contain only punctuation are ignored.
 */
export function findIdenticalLines(files: readonly CodeFile[]): readonly IdenticalPair[] {
  const counted = files.map(({ path, lines }) => ({
    path,
    lines: lines.filter(({ text, isImport }) => !isImport && /\w/.test(text)),
  }));
  const windows = new Map<string, Position[]>();
  for (const file of counted) {
    for (let at = 0; at + MIN_LINES <= file.lines.length; at++) {
      const key = file.lines
        .slice(at, at + MIN_LINES)
        .map(({ text }) => text)
        .join("\n");
      const before = windows.get(key);
      if (before === undefined) windows.set(key, [{ file, at }]);
      else before.push({ file, at });
    }
  }
  return [...windows.values()].flatMap((places) =>
    places.flatMap((one, index) => places.slice(index + 1).flatMap((other) => toPair(one, other))),
  );
}

interface Position {
  readonly file: CodeFile;
  /** Index of a line in the file. */
  readonly at: number;
}

/** Returns a pair, unless a longer one contains it or both places overlap. */
function toPair(one: Position, other: Position): readonly IdenticalPair[] {
  const isEqual = (offset: number) => {
    const [a, b] = [one.file.lines[one.at + offset], other.file.lines[other.at + offset]];
    return a !== undefined && b !== undefined && a.text === b.text;
  };
  if (isEqual(-1)) return [];
  let length = MIN_LINES;
  while (isEqual(length)) length++;
  if (one.file === other.file && one.at + length > other.at) return [];
  return [[toPlace(one, length), toPlace(other, length)]];
}

function toPlace({ file, at }: Position, length: number): Place {
  const [first, last] = [file.lines[at], file.lines[at + length - 1]];
  return { path: file.path, first: first?.line ?? 0, last: last?.line ?? 0 };
}
