/**
 * @fileoverview Measures the packages: lines of code, public names, and places that are too long or identical.
 * @module tools/metrics/measure
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { readCode } from "./code.js";
import { findIdenticalLines, type IdenticalPair } from "./identical-lines.js";
import { createMirrorCheck } from "./mirrored-names.js";
import { findHomonyms, type PublicName, readEntryPoints, readPublicApi } from "./public-api.js";

/** Figures that have a limit. */
export interface Figures {
  /** Lines of code by package, without blank lines and comments. */
  readonly code: Readonly<Record<string, number>>;
  readonly entries: number;
  /** Public names, except for those that `@tenon/sdk` mirrors from the official SDK. */
  readonly values: number;
  readonly types: number;
  /** The same by entry point. */
  readonly names: Readonly<Record<string, NameCount>>;
  readonly homonyms: number;
  readonly identicalPairs: number;
  readonly longFunctions: number;
  readonly longFiles: number;
}

/** Number of names. */
export interface NameCount {
  readonly values: number;
  readonly types: number;
}

/** Figures, and the places behind them. */
export interface Measured {
  readonly figures: Figures;
  /** Number of names that `@tenon/sdk` mirrors from the official SDK. */
  readonly mirrored: number;
  /** Files that declare each name with more than one declaration. */
  readonly homonyms: ReadonlyMap<string, readonly string[]>;
  readonly identical: readonly IdenticalPair[];
  readonly longFunctions: readonly string[];
  readonly longFiles: readonly string[];
  readonly manyParameters: readonly string[];
  /** Folders with the most files, the largest first. */
  readonly folders: readonly string[];
}

const MAX_PARAMETERS = 3;
const MAX_FUNCTION_LINES = 60;
const MAX_FILE_LINES = 300;

/** Measures the packages below a root folder. @default this clone */
export function measurePackages(root = fileURLToPath(new URL("../..", import.meta.url))): Measured {
  const files = readFiles(root.replace(/\/$/, ""));
  const code: Record<string, number> = {};
  for (const { package: name, lines } of files) code[name] = (code[name] ?? 0) + lines.length;
  const all = readPublicApi(root);
  const isMirrored = createMirrorCheck();
  const api = all.filter((one) => !isMirrored(one));
  const entries = [...readEntryPoints(root).keys()].toSorted();
  const homonyms = findHomonyms(api);
  const identical = findIdenticalLines(files);
  const longFunctions = files.flatMap(({ path, functions }) =>
    functions
      .filter(({ lines }) => lines > MAX_FUNCTION_LINES)
      .map(({ line, lines }) => `${path}:${line} (${lines} lines)`),
  );
  const manyParameters = files.flatMap(({ path, functions }) =>
    functions
      .filter(({ parameters }) => parameters > MAX_PARAMETERS)
      .map(({ line, parameters }) => `${path}:${line} (${parameters} parameters)`),
  );
  const longFiles = files
    .filter(({ length }) => length > MAX_FILE_LINES)
    .map(({ path, length }) => `${path} (${length} lines)`);
  const figures = {
    code,
    entries: entries.length,
    ...count(api),
    names: Object.fromEntries(
      entries.map((name) => [name, count(api.filter(({ entry }) => entry === name))]),
    ),
    homonyms: homonyms.size,
    identicalPairs: identical.length,
    longFunctions: longFunctions.length,
    longFiles: longFiles.length,
  };
  const folders = largestFolders(files.map(({ path }) => path));
  const mirrored = all.length - api.length;
  return { figures, mirrored, homonyms, identical, longFunctions, longFiles, manyParameters, folders };
}

function count(names: readonly PublicName[]): NameCount {
  const values = names.filter(({ kind }) => kind === "value").length;
  return { values, types: names.length - values };
}

const SHOWN_FOLDERS = 5;

function largestFolders(paths: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, SHOWN_FOLDERS)
    .map(([folder, count]) => `${folder} (${count} files)`);
}

/** Reads the files below `src` and `page` of each package. */
function readFiles(root: string) {
  return readdirSync(`${root}/packages`)
    .toSorted()
    .flatMap((name) =>
      ["src", "page"].flatMap((part) => {
        const folder = `packages/${name}/${part}`;
        return listFiles(`${root}/${folder}`)
          .filter((file) => /\.tsx?$/.test(file))
          .toSorted()
          .map((file) => {
            const path = `${folder}/${file}`;
            const text = readFileSync(`${root}/${path}`, "utf8");
            const length = text.split("\n").length - 1;
            return { package: name, path, length, ...readCode(path, text) };
          });
      }),
    );
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return []; // The package does not have this folder.
  }
}
