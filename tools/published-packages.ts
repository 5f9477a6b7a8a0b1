/**
 * @fileoverview Reads the packages that are published to npm, in an order in which each one comes after those that it
 * depends on.
 * @module tools/published-packages
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Part of a package's manifest. */
export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  /** Other packages of this repository that it depends on, including peer dependencies. */
  readonly needs: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const PACKAGES = fileURLToPath(new URL("../packages", import.meta.url));

/** Returns the published packages in the order in which they can be published. */
export function publishedPackages(): readonly PublishedPackage[] {
  const manifests = readdirSync(PACKAGES)
    // Safe: npm's own format.
    .map((folder) => JSON.parse(readFileSync(`${PACKAGES}/${folder}/package.json`, "utf8")) as Manifest)
    .filter((manifest) => manifest.private !== true);
  const names = new Set(manifests.map(({ name }) => name));
  const left = manifests.map(({ name, version, dependencies, peerDependencies }) => ({
    name,
    version,
    needs: Object.keys({ ...dependencies, ...peerDependencies }).filter((one) => names.has(one)),
  }));
  const ordered: PublishedPackage[] = [];
  while (left.length > 0) {
    const index = left.findIndex(({ needs }) =>
      needs.every((need) => ordered.some(({ name }) => name === need)),
    );
    const [next] = index === -1 ? [] : left.splice(index, 1);
    if (next === undefined)
      throw new Error(`Packages depend on each other: ${left.map(({ name }) => name).join()}`);
    ordered.push(next);
  }
  return ordered;
}
