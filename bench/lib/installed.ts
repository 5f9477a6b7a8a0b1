/**
 * @fileoverview Packages that npm installs, read from a lock file and from the disk.
 * @module bench/lib/installed
 */
import { readdirSync, readFileSync, statSync } from "node:fs";

interface LockEntry {
  /** Folder of a workspace package, which `node_modules` links to. */
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

type Lock = Readonly<Record<string, LockEntry>>;

/** Returns the folders of packages and of everything that npm installs with them, relative to `root`. */
export function installedPackages(root: string, names: readonly string[]): readonly string[] {
  const { packages } = JSON.parse(readFileSync(`${root}/package-lock.json`, "utf8")) as {
    readonly packages: Lock;
  };
  const found = new Set<string>();
  const visit = (name: string, from: string) => {
    const path = resolve(packages, name, from);
    if (path === undefined || found.has(path)) return;
    found.add(path);
    for (const needed of needs(packages[path])) visit(needed, path);
  };
  for (const name of names) visit(name, "");
  return [...found];
}

/** Returns the dependencies of a package. npm also installs peer dependencies, unless they are optional. */
function needs(entry: LockEntry | undefined): readonly string[] {
  const peers = Object.keys(entry?.peerDependencies ?? {}).filter(
    (name) => entry?.peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [...Object.keys(entry?.dependencies ?? {}), ...peers];
}

/** Resolves a package like Node.js: the nearest `node_modules` first. */
function resolve(packages: Lock, name: string, from: string): string | undefined {
  const path = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  const entry = packages[path];
  if (entry !== undefined) return entry.link === true ? entry.resolved : path;
  if (from === "") return undefined;
  const cut = from.lastIndexOf("node_modules/");
  return resolve(packages, name, cut === -1 ? "" : from.slice(0, cut).replace(/\/$/, ""));
}

/** Returns the size of a file or folder in bytes, without nested packages. */
export function folderBytes(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path)
    .filter((name) => name !== "node_modules")
    .reduce((sum, name) => sum + folderBytes(`${path}/${name}`), 0);
}
