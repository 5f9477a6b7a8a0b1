/**
 * @fileoverview Finds the files that belong to a module: the module itself, and the files of the same package that it
 * refers to. Files of other packages are never read.
 * @module cli/doctor/fix/own-files
 */
import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, extname, join, resolve, sep } from "node:path";

/** Source file of a module. */
export interface OwnFile {
  /** Absolute path, without symbolic links. */
  readonly path: string;
  readonly text: string;
}

/** Reads a module and the files of its package that it refers to, directly or through other files. */
export async function readOwnFiles(module: string): Promise<readonly OwnFile[]> {
  const start = await realpath(module);
  const root = await findRoot(dirname(start));
  const files = new Map<string, OwnFile>();
  const open = [start];
  while (open.length > 0 && files.size < MAX_FILES) {
    const path = open.pop();
    if (path === undefined || files.has(path)) continue;
    const text = await readSource(path);
    if (text === undefined) continue;
    files.set(path, { path, text });
    for (const reference of findReferences(text)) {
      const found = await locate(resolve(dirname(path), reference));
      if (found !== undefined && isOwn(found, root)) open.push(found);
    }
  }
  return [...files.values()];
}

const MAX_FILES = 500;
const MAX_SIZE = 1024 * 1024;
/** Extensions of TypeScript files by the extension of their compiled form. */
const TYPED: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
  ".jsx": [".tsx"],
};
const SOURCES = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"];

/** Returns the folder of the package, which contains a `package.json`. Without one, it is the module's folder. */
async function findRoot(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    if (await isFile(join(at, "package.json"))) return at;
    if (dirname(at) === at) return folder;
  }
}

/** Finds relative paths in source code: imports, and other texts such as those in `new URL("./tools.json", …)`. */
function findReferences(text: string): readonly string[] {
  return [...text.matchAll(/(["'`])(\.{1,2}\/[^"'`\n]{1,200})\1/g)].map(([, , path = ""]) => path);
}

/** Returns the file that a reference means. In TypeScript, a reference to `x.js` means `x.ts`. */
async function locate(path: string): Promise<string | undefined> {
  const extension = extname(path);
  const base = extension === "" ? path : path.slice(0, -extension.length);
  const typed = TYPED[extension] ?? [];
  const others = SOURCES.includes(extension)
    ? []
    : [...SOURCES.map((one) => path + one), join(path, "index.ts"), join(path, "index.js")];
  for (const candidate of [path, ...typed.map((one) => base + one), ...others]) {
    if (SOURCES.includes(extname(candidate)) && (await isFile(candidate))) return realpath(candidate);
  }
  return undefined;
}

function isOwn(path: string, root: string): boolean {
  return path.startsWith(root + sep) && !path.slice(root.length).split(sep).includes("node_modules");
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true;
}

async function readSource(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.size > MAX_SIZE) return undefined;
  return readFile(path, "utf8").catch(() => undefined);
}
