/**
 * @fileoverview The project around the served file: its folder, the files that affect a build, and the files that change
 * when packages are installed.
 * @module cli/dev/build/installation
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Entry, findAbove } from "./entry.js";

/** Project of a file. */
export interface Installation {
  /** Configuration files, and the files in which package managers record what they have installed. */
  readonly files: readonly string[];
  /** Differs if packages may have changed, so that a process that has loaded them cannot be used anymore. */
  readonly fingerprint: string;
}

/** Returns the folder of the project: the nearest one with a `package.json`, or else the folder of the file. */
export function findRoot({ path }: Entry): string {
  return dirname(findAbove(dirname(path), MANIFEST) ?? path);
}

/** Finds the files around the served file, and reads their state. Files that do not exist may be created later. */
export function readInstallation(entry: Entry): Installation {
  const folder = dirname(entry.path);
  const root = findRoot(entry);
  const find = (name: string) => findAbove(folder, name) ?? join(root, name);
  const manifest = find(MANIFEST);
  // In a monorepo, packages are installed in the project and in a folder above it.
  const records = [...new Set(RECORDS.flatMap((name) => [join(root, name), find(name)]))];
  return {
    files: [manifest, find("tsconfig.json"), ...records],
    fingerprint: JSON.stringify([readText(manifest), ...records.map(describeFile)]),
  };
}

const MANIFEST = "package.json";

/** Files that npm, pnpm, and Yarn write when they have installed packages. */
const RECORDS = [".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity"].map((name) =>
  join("node_modules", name),
);

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function describeFile(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "" : `${found.mtimeNs} ${found.size}`;
}
