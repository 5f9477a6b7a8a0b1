/**
 * @fileoverview Finds the packages whose files are part of a bundle, their licenses, and paths that do not depend on the machine.
 * @module cli/bundle/compile/bundled-packages
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isJsonObject, readJson } from "@tenon/internal/json";
import { readdir, readFile } from "node:fs/promises";

/** Package that a bundled file belongs to. */
export interface BundledPackage {
  readonly name: string;
  /** Absolute path of its folder. */
  readonly folder: string;
  /** True if the package is compiled when it is installed. */
  readonly isNative: boolean;
}

/** Returns the package that a file belongs to, or `undefined`. */
export type PackageFinder = (file: string) => BundledPackage | undefined;

/** Creates a function that finds the package of a file: the nearest folder above it whose `package.json` has a name. */
export function createPackageFinder(): PackageFinder {
  const known = new Map<string, BundledPackage | undefined>();
  const find = (folder: string): BundledPackage | undefined => {
    if (known.has(folder)) return known.get(folder);
    const above = dirname(folder);
    // Packages often contain files with only `{ "type": "module" }`, which do not start a new package.
    const found = readPackage(folder) ?? (above === folder ? undefined : find(above));
    known.set(folder, found);
    return found;
  };
  return (file) => find(dirname(file));
}

/**
 * Returns the path to show for a bundled file. It does not depend on where a project or its packages are installed:
 * files of the project are relative to it, and all others start with `node_modules/` and the name of their package.
 */
export function stablePathOf(file: string, root: string, findPackage: PackageFinder): string {
  const own = relative(root, file);
  const isOwn = !own.startsWith("..") && !own.split(sep).includes("node_modules");
  const owner = isOwn ? undefined : findPackage(file);
  const path = owner === undefined ? own : join("node_modules", owner.name, relative(owner.folder, file));
  return path.split(sep).join("/");
}

function readPackage(folder: string): BundledPackage | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, "package.json"), "utf8");
  } catch {
    return undefined; // most folders do not contain the file
  }
  const members = readJson(text);
  if (!isJsonObject(members) || typeof members["name"] !== "string") return undefined;
  const isNative = members["gypfile"] === true || existsSync(join(folder, "binding.gyp"));
  return { name: members["name"], folder, isNative };
}

/** Replaces paths in the two places where esbuild writes them. Keys are paths as esbuild writes them. */
export function replacePaths(code: string, paths: ReadonlyMap<string, string>): string {
  const changed = new Map([...paths].filter(([from, to]) => from !== to));
  if (changed.size === 0) return code;
  return code
    .split("\n")
    .map((line) => replaceComment(line, changed) ?? replaceWrapper(line, changed) ?? line)
    .join("\n");
}

/** Replaces the path in a comment above a file's code: `// ../node_modules/zod/index.js`. */
function replaceComment(line: string, paths: ReadonlyMap<string, string>): string | undefined {
  const path = line.startsWith("// ") ? paths.get(line.slice(3)) : undefined;
  return path === undefined ? undefined : `// ${path}`;
}

/** Replaces the path in the name of a function that wraps a file's code: `"../x/index.js"(exports, module) {`. */
function replaceWrapper(line: string, paths: ReadonlyMap<string, string>): string | undefined {
  const [, before = "", quoted = "", after = ""] = WRAPPER.exec(line) ?? [];
  const path = quoted === "" ? undefined : paths.get(quoted.slice(1, -1));
  return path === undefined ? undefined : `${before}${JSON.stringify(path)}${after}`;
}

const WRAPPER = /^( *(?:async )?)("[^"\\]*")(\([\w$, ]*\) \{)$/;

/** Returns the license texts of packages, in their order. Packages without a license file are skipped. */
export async function collectLicenses(packages: readonly BundledPackage[]): Promise<string> {
  const notices = await Promise.all(packages.map(readNotice));
  return notices.filter((notice) => notice !== "").join("\n---\n\n");
}

const MAX_LENGTH = 100_000;

async function readNotice({ name, folder }: BundledPackage): Promise<string> {
  const names = await readdir(folder).catch((): string[] => []);
  const file = names.toSorted().find((one) => /^(?:licen[cs]e|copying)(?:[.-]|$)/i.test(one));
  if (file === undefined) return "";
  const text = await readFile(join(folder, file), "utf8").catch(() => "");
  const notice = text.replaceAll("\r\n", "\n").trim().slice(0, MAX_LENGTH);
  return notice === "" ? "" : `${name}\n\n${notice}\n`;
}
