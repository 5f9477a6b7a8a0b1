/**
 * @fileoverview Describes errors in the user's code with their place and the source code around it.
 * @module cli/dev/log/problems
 */
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { oneLine, stripControls } from "@tenon/internal/text";
import { toPath } from "../../load/user-error.js";
import type { ThrownFacts } from "../messages/messages.js";
import type { Problem } from "./events.js";

/** The user's files, and the folder that their paths are shown relative to. */
export interface Sources {
  readonly cwd: string;
  /** Absolute paths. */
  readonly files: ReadonlySet<string>;
}

/** Error of the bundler, as esbuild reports it. */
export interface BuildError {
  readonly text: string;
  readonly location: {
    readonly file: string;
    readonly line: number;
    /** Offset in the line, in bytes. */
    readonly column: number;
    /** Length in bytes. */
    readonly length: number;
    readonly lineText: string;
  } | null;
  readonly notes: readonly { readonly text: string }[];
}

/** Describes an error of the bundler. */
export function fromBuildError({ text, location, notes }: BuildError, cwd: string): Problem {
  const [hint] = notes.map((note) => oneLine(note.text, MAX_MESSAGE));
  const message = oneLine(text, MAX_MESSAGE);
  if (location === null) return { message, hint };
  const { file, line, lineText } = location;
  const column = charactersIn(lineText, location.column);
  const length = charactersIn(lineText, location.column + location.length) - column;
  const place = { line, column: column + 1, length };
  const path = resolve(cwd, file);
  return { message, ...toShownPlace(path, place, cwd), hint };
}

/** Describes a thrown error and its causes. */
export function fromThrown(thrown: ThrownFacts, sources: Sources): readonly Problem[] {
  const problem = toProblem(thrown, sources);
  return thrown.cause === undefined ? [problem] : [problem, ...fromThrown(thrown.cause, sources)];
}

/** Summarizes a problem in one line, for a client. */
export function summarize({ message, file, line, column }: Problem): string {
  return file === undefined ? message : `${message} (${file}:${line}:${column})`;
}

const MAX_MESSAGE = 1_000;
const MAX_PLACES = 5;
const MAX_SOURCE = 4_000_000;

function toProblem(thrown: ThrownFacts, { cwd, files }: Sources): Problem {
  const { name, stack = "" } = thrown;
  const isNamed = name !== undefined && name !== "Error" && name !== "CliError";
  const message = `${isNamed ? `${oneLine(name, 60)}: ` : ""}${oneLine(thrown.message, MAX_MESSAGE)}`;
  const hint = describeFix(thrown);
  const [place, ...callers] = findPlaces(stack, files);
  if (place === undefined) return { message, hint };
  const places = callers
    .slice(0, MAX_PLACES)
    .map(({ file, line, column }) => `${relative(cwd, file)}:${line}:${column}`);
  return { message, ...toShownPlace(place.file, place, cwd), stack: places, hint };
}

type ShownPlace = Pick<Problem, "file" | "line" | "column" | "frame">;

function toShownPlace(path: string, { line, column, length = 1 }: SourcePlace, cwd: string): ShownPlace {
  const source = readSource(path);
  const frame = source === undefined ? [] : renderFrame(source, { line, column, length });
  return { file: relative(cwd, path), line, column, frame };
}

function readSource(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8");
    return text.length > MAX_SOURCE ? undefined : text;
  } catch {
    return undefined; // deleted meanwhile
  }
}

/** Converts an offset in bytes to an offset in characters. */
function charactersIn(line: string, bytes: number): number {
  return new TextDecoder().decode(encodeUtf8(line).subarray(0, bytes)).length;
}

function describeFix({ code, message }: ThrownFacts): string | undefined {
  const [, name] = /^Cannot find package '([^']+)'/.exec(message) ?? [];
  if (code !== "ERR_MODULE_NOT_FOUND" || name === undefined) return undefined;
  return `Install the package: npm install ${oneLine(name, 100)}`;
}

/** Place in a source file. Lines and columns start at 1. */
interface SourcePlace {
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

/** Place in a file. */
interface StackPlace extends Omit<SourcePlace, "length"> {
  readonly file: string;
}

/**
 * Returns the places of a stack trace that are in the user's files, innermost first.
 *
 * @param files absolute paths of the user's files
 */
export function findPlaces(stack: string, files: ReadonlySet<string>): readonly StackPlace[] {
  return stack
    .slice(0, MAX_STACK)
    .split("\n")
    .flatMap((text) => {
      const [, path = "", line, column] = FRAME.exec(text) ?? [];
      const file = toPath(path);
      if (file === undefined || !files.has(file)) return [];
      return [{ file, line: Number(line), column: Number(column) }];
    });
}

const MAX_STACK = 20_000;
/** Line of a stack trace: `at name (path:1:2)`, `at path:1:2`, or `at async path:1:2`. */
const FRAME = /^\s{1,20}at (?:.{0,1000}\(|async )?([^()]+):(\d{1,9}):(\d{1,9})\)?$/;
