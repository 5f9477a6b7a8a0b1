/**
 * @fileoverview Describes errors in the user's code with their place and the source code around it.
 * @module cli/dev/log/problems
 */
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { oneLine } from "@tenon/internal/text";
import type { ThrownFacts } from "../messages/messages.js";
import type { Problem } from "./events.js";
import { renderFrame, type SourcePlace } from "./source-frame.js";
import { findPlaces } from "./stack-places.js";

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
