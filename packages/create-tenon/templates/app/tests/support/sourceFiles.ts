/**
 * @fileoverview Reads and parses the project's TypeScript files for the mandate's checks.
 * @module tests/support/sourceFiles
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Comment, parseSync, type Program } from "oxc-parser";

/** A parsed TypeScript file. */
export interface SourceFile {
  /** Path relative to the project, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
}

/** A broken rule. */
export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** Any syntax tree node that has a position. */
export interface Positioned {
  readonly start: number;
}

/** Reads and parses all TypeScript files below a project folder. */
export function readSources(project: string, folder: string): readonly SourceFile[] {
  if (!existsSync(join(project, folder))) return [];
  return readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))
    .toSorted()
    .map((path) => parse(path, readFileSync(join(project, path), "utf8")));
}

/** Lists the names of the folders in a project folder. */
export function listFolders(project: string, folder: string): readonly string[] {
  if (!existsSync(join(project, folder))) return [];
  return readdirSync(join(project, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

/** Creates a violation at a position in a file. */
export function violationAt(file: SourceFile, position: number, message: string): Violation {
  return { path: file.path, line: file.text.slice(0, position).split("\n").length, message };
}

function parse(path: string, text: string): SourceFile {
  const { program, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`Could not parse ${path}: ${error.message}`);
  return { path, text, program, comments };
}
