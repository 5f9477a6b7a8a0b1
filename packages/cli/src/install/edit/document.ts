/**
 * @fileoverview Interface of a configuration file's text, and the helpers that JSON and YAML share. A change replaces
 * only the text of one entry, so that comments, order, and indentation stay as they are.
 * @module cli/install/edit/document
 */
import type { JsonObject } from "@tenon/internal/json";

/** Text of a configuration file, with one object that contains an entry for each server. */
export interface ConfigDocument {
  /** Names of the entries. */
  readonly names: readonly string[];
  /** Returns an entry's value, or `undefined` if there is no such entry. */
  read(name: string): unknown;
  /** Returns the text with an entry added or replaced. */
  set(name: string, value: JsonObject): string;
  /** Returns the text without an entry. */
  remove(name: string): string;
  /** Returns the text for display: values of environment variables and headers are replaced. */
  redacted(): string;
}

/** Line and column, counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Text that cannot be read or changed, with the reason and the place. */
export class ConfigProblem extends Error {
  override readonly name = "ConfigProblem";
  readonly place: TextPlace | undefined;

  constructor(reason: string, place?: TextPlace) {
    super(reason);
    this.place = place;
  }
}

/** Replacement of a range of the text. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies replacements that do not overlap. Insertions at the same offset keep their order. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let [result, at] = ["", 0];
  for (const splice of splices.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}

/** Returns the line and column of an offset. */
export function placeOf(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - lineStart(text, offset) + 1 };
}

/** Returns the offset at which the line of `offset` starts. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

/** Returns the line break that a text uses. */
export function lineBreakOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

/** Members whose values may be secrets. */
export const SECRET_MEMBERS: readonly string[] = ["env", "envs", "headers"];

/** Reason for a file that an edit would damage. */
export const UNCHANGEABLE =
  "Its layout is unusual, and it cannot be changed safely. Add or remove the entry by hand";
