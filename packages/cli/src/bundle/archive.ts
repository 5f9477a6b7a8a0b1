/**
 * @fileoverview Packs and unpacks zip archives, and reads the images and texts for them. The same files always give the same bytes: entries are sorted, and have
 * a fixed date and fixed permissions.
 * @module cli/bundle/archive
 */
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { unzipSync, type Zippable, zipSync } from "fflate";
import { cliError } from "@tenon/internal/command-line/command";
import type { ProjectPackage } from "./project/project-package.js";

/** Contents of files by path. Paths are relative and use slashes. */
export type ArchiveFiles = Readonly<Record<string, Uint8Array>>;

/** Packs files into a zip archive. */
export function packArchive(files: ArchiveFiles): Uint8Array {
  const entries: Zippable = {};
  for (const path of Object.keys(files).toSorted()) {
    entries[path] = [files[path] ?? new Uint8Array(), { os: UNIX, attrs: FILE_MODE }];
  }
  return zipSync(entries, { level: 9, mtime: DATE() });
}

/** Unpacks an archive into a folder. @throws if a path leads out of the folder */
export async function unpackArchive(archive: Uint8Array, folder: string): Promise<void> {
  for (const [path, content] of Object.entries(unzipSync(archive))) {
    const file = join(folder, path);
    if (!file.startsWith(folder + sep)) throw new Error(`The path "${path}" leads out of the archive.`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/** Reads one file from an archive. Returns `undefined` if the file is missing or larger than `maxBytes`. */
export function readFromArchive(archive: Uint8Array, path: string, maxBytes: number): Uint8Array | undefined {
  const filter = (file: { readonly name: string; readonly originalSize: number }) =>
    file.name === path && file.originalSize <= maxBytes;
  return unzipSync(archive, { filter })[path];
}

/** Identifies Unix permissions in a zip archive. */
const UNIX = 3;

/** Permissions of a regular file that everyone can read and its owner can write. */
const FILE_MODE = (0o100_644 << 16) >>> 0;

/**
 * Creates the date of all entries: the first day that a zip archive can represent. Archives contain local times, so the
 * date is created from local parts. Noon exists on every day in every time zone.
 */
const DATE = () => new Date(1980, 0, 1, 12);

/** Optional files of a bundle. */
interface BundleAssets {
  /** Content of `icon.png`. */
  readonly icon: Uint8Array | undefined;
  /** Content of `README.md`. */
  readonly readme: Uint8Array | undefined;
}

/** Reads `icon.png` and `README.md` beside `package.json`. @throws {CliError} if a file is too large or not a PNG image */
export async function readAssets({ folder }: ProjectPackage): Promise<BundleAssets> {
  const icon = await readOptional(join(folder, "icon.png"), "icon.png");
  if (icon !== undefined && !PNG.every((byte, index) => icon[index] === byte))
    throw cliError('"icon.png" must be a PNG image, because hosts show no other format.');
  return { icon, readme: await readOptional(join(folder, "README.md"), "README.md") };
}

const MAX_BYTES = 4_194_304;

/** First bytes of every PNG image. */
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

async function readOptional(path: string, name: string): Promise<Uint8Array | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) return undefined;
  if (found.size > MAX_BYTES) throw cliError(`"${name}" is too large (limit: ${MAX_BYTES} bytes).`);
  return new Uint8Array(await readFile(path));
}
