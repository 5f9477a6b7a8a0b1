/**
 * @fileoverview Packs the packages as npm would publish them.
 * @module tools/packed-packages
 */
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";
import { withLock } from "@tenon/internal/files/with-lock";
import { runBounded } from "./process.js";
import { PACKAGE_FOLDERS, ROOT } from "./source-files.js";

/** A packed package. */
export interface PackedPackage {
  readonly name: string;
  /** Absolute path to the tarball. */
  readonly file: string;
  readonly manifest: Manifest;
}

/** Parts of a package's manifest that are used here. */
interface Manifest extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly version: string;
}

/** Part of the output of `npm pack --json`. */
interface PackedFile {
  readonly name: string;
  readonly filename: string;
}

/** Folder for tarballs and npm's downloads, which all processes share. */
export const PACKED = `${ROOT}/.tmp/packed`;

const PACK_MS = 240_000;

/**
 * Packs published packages, each once for all processes: packing all of them takes ten seconds of processor time. A
 * tarball stays in a folder that is named after the content of its package.
 *
 * @param names packages to pack. @default all published packages
 * @throws if a package is not published from this repository, or `npm pack` fails
 */
export async function packPackages(names?: readonly string[]): Promise<readonly PackedPackage[]> {
  const sources = publishedFolders().filter(({ manifest }) => names?.includes(manifest.name) ?? true);
  const unknown = names?.filter((name) => sources.every(({ manifest }) => manifest.name !== name)) ?? [];
  if (unknown.length > 0) throw new Error(`Not packages of this repository: ${unknown.join(", ")}.`);
  const packMissing = async () => {
    const missing = sources.filter(({ folder }) => !existsSync(folder));
    if (missing.length > 0) await pack(missing);
  };
  await withLock(`${PACKED}/packing.lock`, packMissing, { waitMs: PACK_MS });
  return sources.map(({ manifest, folder }) => {
    const [file = ""] = readdirSync(folder);
    return { name: manifest.name, file: join(folder, file), manifest };
  });
}

interface Source {
  readonly manifest: Manifest;
  /** Folder of the tarball. */
  readonly folder: string;
}

function publishedFolders(): readonly Source[] {
  return PACKAGE_FOLDERS.map((name) => `${ROOT}/packages/${name}`)
    .map((path) => ({ path, manifest: readManifest(`${path}/package.json`) }))
    .filter(({ manifest }) => manifest["private"] !== true)
    .map(({ path, manifest }) => ({ manifest, folder: `${PACKED}/${basename(path)}-${hashFolder(path)}` }));
}

/** Writes tarballs, and removes those of earlier builds. A folder gets its name when it is complete. */
async function pack(sources: readonly Source[]): Promise<void> {
  const draft = mkdtempSync(`${PACKED}/draft-`);
  const workspaces = sources.flatMap(({ manifest }) => ["--workspace", manifest.name]);
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", draft, ...workspaces];
  const { ok, output } = await runBounded("npm", args, { cwd: ROOT, timeoutMs: PACK_MS });
  if (!ok) throw new Error(output);
  const files = JSON.parse(output) as readonly PackedFile[]; // npm's own format
  for (const { manifest, folder } of sources) {
    const { filename = "" } = files.find(({ name }) => name === manifest.name) ?? {};
    const own = join(draft, `${basename(folder)}.complete`);
    mkdirSync(own);
    renameSync(join(draft, filename), join(own, filename));
    const earlier = new RegExp(`^${basename(folder).replace(/\w+$/, "")}[0-9a-f]{${HASH_LENGTH}}$`);
    for (const name of readdirSync(PACKED))
      if (earlier.test(name)) rmSync(`${PACKED}/${name}`, { recursive: true, force: true });
    renameSync(own, folder);
  }
  rmSync(draft, { recursive: true });
}

const HASH_LENGTH = 16;
const NEVER_PACKED = new Set(["src", "tests", "node_modules"]);

/** Returns a hash of a package's files, except sources, tests, and installed packages, which are never packed. */
function hashFolder(folder: string): string {
  const hash = createHash("sha256");
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => !NEVER_PACKED.has(path.split("/")[0] ?? ""))
    .filter((path) => statSync(join(folder, path)).isFile());
  for (const path of paths.toSorted()) {
    const content = createHash("sha256")
      .update(readFileSync(join(folder, path)))
      .digest("hex");
    hash.update(`${path}: ${content}\n`);
  }
  return hash.digest("hex").slice(0, HASH_LENGTH);
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, "utf8")) as Manifest; // npm's own format
}
