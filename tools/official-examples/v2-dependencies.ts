/**
 * @fileoverview Versions of the packages that the official examples, version 2, import.
 * @module tools/official-examples/v2-dependencies
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Dependencies, importedPackages, type ProjectDependencies } from "./project.js";

/** Packages that only the stories about login need. One of them must be compiled if npm has no binary for it. */
const OPTIONAL: ReadonlySet<string> = new Set(["better-auth", "better-sqlite3"]);

/** Part of a `package.json`. */
interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Dependencies;
  readonly devDependencies?: Dependencies;
}

/** Returns the packages that the files import, with their types, in the versions that the checkout declares. */
export function v2Dependencies(checkout: string, files: readonly string[]): ProjectDependencies {
  const declared = declaredIn(checkout);
  const shared = readdirSync(join(checkout, "examples/shared/src")).map((file) =>
    join(checkout, "examples/shared/src", file),
  );
  const imported = new Set([
    "node",
    "tsx",
    "@modelcontextprotocol/core",
    ...[...files, ...shared].flatMap(importedPackages),
  ]);
  const found = [...imported]
    .flatMap((name) => [name, `@types/${name}`])
    .flatMap((name) => {
      const range = declared.get(name);
      return range === undefined ? [] : [[name, range] as const];
    });
  return {
    dependencies: Object.fromEntries(found.filter(([name]) => !OPTIONAL.has(name))),
    optionalDependencies: Object.fromEntries(found.filter(([name]) => OPTIONAL.has(name))),
  };
}

/** Reads the version, or else the version range, of every package that the checkout uses or contains. */
function declaredIn(checkout: string): ReadonlyMap<string, string> {
  const catalogs = readCatalogs(readFileSync(join(checkout, "pnpm-workspace.yaml"), "utf8"));
  const locked = readLock(readFileSync(join(checkout, "pnpm-lock.yaml"), "utf8"));
  const ranges = new Map<string, string>();
  const manifests = ["package.json", "test/conformance/package.json", "examples/package.json"];
  for (const folder of readdirSync(join(checkout, "examples")))
    manifests.push(`examples/${folder}/package.json`);
  for (const path of manifests.filter((path) => existsSync(join(checkout, path)))) {
    const { dependencies, devDependencies } = readManifest(join(checkout, path));
    for (const [name, range] of Object.entries({ ...devDependencies, ...dependencies })) {
      const actual = range.startsWith("catalog:")
        ? catalogs.get(`${range.slice("catalog:".length)} ${name}`)
        : range;
      if (actual === undefined || actual.startsWith("workspace:")) continue;
      ranges.set(name, locked.get(name) ?? actual);
    }
  }
  for (const path of ["packages", "packages/middleware"].flatMap((folder) =>
    manifestsBelow(checkout, folder),
  )) {
    const { name = "", version = "" } = readManifest(path);
    ranges.set(name, `^${version}`);
  }
  return ranges;
}

function manifestsBelow(checkout: string, folder: string): readonly string[] {
  if (!existsSync(join(checkout, folder))) return [];
  const paths = readdirSync(join(checkout, folder)).map((name) =>
    join(checkout, folder, name, "package.json"),
  );
  return paths.filter((path) => existsSync(path));
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, "utf8")) as Manifest; // npm's format
}

/** Reads the `catalogs` of pnpm's settings. Keys are `CATALOG PACKAGE`. */
function readCatalogs(yaml: string): ReadonlyMap<string, string> {
  const ranges = new Map<string, string>();
  let catalog = "";
  for (const line of yaml.split("\n")) {
    const [, indent = "", name = "", range = ""] = /^( *)'?([^':\s]+)'?:(?: (.*))?$/.exec(line) ?? [];
    if (indent.length === 4) catalog = name;
    else if (indent.length === 8) ranges.set(`${catalog} ${name}`, range.trim());
  }
  return ranges;
}

/** Reads the packages of pnpm's lock file that have a single version. */
function readLock(yaml: string): ReadonlyMap<string, string> {
  const [, packages = ""] = /^packages:\n([\s\S]*?)^\S/m.exec(yaml) ?? [];
  const versions = new Map<string, string | undefined>();
  for (const [, name = "", version = ""] of packages.matchAll(/^ {2}'?(@?[^@\s]+)@([^'(:\s]+)'?:$/gm))
    versions.set(name, versions.has(name) ? undefined : version);
  return new Map(
    [...versions].flatMap(([name, version]) => (version === undefined ? [] : [[name, version]])),
  );
}
