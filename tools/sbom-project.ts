/**
 * @fileoverview Describes a published package as a project of its own: a manifest and a lock file with exactly the
 * packages that an installation brings, in the versions of this repository's lock file. In a workspace, `npm sbom` names
 * packages after their folders, and leaves out packages that are also development dependencies of the root.
 * @module tools/sbom-project
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

type Versions = Readonly<Record<string, string>>;

/** Entry of a lock file, or a manifest. */
interface Entry {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Files of a project. */
export interface SbomProject {
  readonly manifest: Entry;
  readonly lock: { readonly lockfileVersion: number; readonly packages: Readonly<Record<string, Entry>> };
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Packages whose third-party development dependencies are part of their bundle. */
const BUNDLING: ReadonlySet<string> = new Set(["@tenon/cli", "create-tenon"]);

/** Creates the project of a package. @throws if a dependency is not in the lock file */
export function createSbomProject(name: string): SbomProject {
  const workspace = readWorkspace();
  const own = workspace.get(name);
  if (own === undefined) throw new Error(`The workspace does not have a package ${name}.`);
  const bundled = BUNDLING.has(name)
    ? Object.entries(own.entry.devDependencies ?? {}).filter(([one]) => !workspace.has(one))
    : [];
  const dependencies = { ...neededBy(own.entry), ...Object.fromEntries(bundled) };
  const packages: Record<string, Entry> = {};
  const { packages: locked } = readJson("package-lock.json") as SbomProject["lock"]; // Safe: npm's own format
  const add = (names: readonly string[], from: string): void => {
    for (const one of names) {
      const member = workspace.get(one);
      const path = member?.folder ?? findPath(locked, one, from);
      const entry = member?.entry ?? locked[path];
      if (entry === undefined) throw new Error(`The lock file does not have ${one}, which ${from} needs.`);
      // A version that only one package uses stays in the folder of that package.
      const place = member === undefined ? path.replace(/^packages\/[^/]+\//, "") : `node_modules/${one}`;
      if (packages[place] !== undefined) continue;
      const { version, license, integrity } = entry;
      const needs = neededBy(entry);
      packages[place] = {
        ...(version === undefined ? {} : { version }),
        ...(license === undefined ? {} : { license }),
        ...(integrity === undefined ? {} : { integrity }),
        dependencies: needs,
      };
      add(Object.keys(needs), path);
    }
  };
  add(Object.keys(dependencies), own.folder);
  const { version = "", license = "" } = own.entry;
  const manifest = { name, version, license, dependencies };
  return { manifest, lock: { lockfileVersion: 3, packages: { "": manifest, ...packages } } };
}

/** Returns the dependencies of a package, including peer dependencies that npm installs. */
function neededBy({ dependencies, peerDependencies, peerDependenciesMeta = {} }: Entry): Versions {
  const peers = Object.entries(peerDependencies ?? {}).filter(
    ([name]) => peerDependenciesMeta[name]?.optional !== true,
  );
  return { ...Object.fromEntries(peers), ...dependencies };
}

/** Finds a package in the lock file as Node.js would: in the folder that needs it, or in one above. */
function findPath(locked: Readonly<Record<string, Entry>>, name: string, from: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/"), 0))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (locked[path] !== undefined || folder === "") return path;
  }
}

function readWorkspace(): ReadonlyMap<string, { readonly folder: string; readonly entry: Entry }> {
  const folders = readdirSync(`${ROOT}packages`).map((folder) => `packages/${folder}`);
  return new Map(
    folders.map((folder) => {
      const entry = readJson(`${folder}/package.json`) as Entry; // Safe: npm's own format
      return [entry.name ?? folder, { folder, entry }];
    }),
  );
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(`${ROOT}${path}`, "utf8"));
}
