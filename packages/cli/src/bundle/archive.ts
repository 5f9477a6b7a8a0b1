/**
 * @fileoverview Packs and unpacks zip archives. The same files always give the same bytes: entries are sorted, and have
 * a fixed date and fixed permissions.
 * @module cli/bundle/archive
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { unzipSync, zipSync, type Zippable } from "fflate";

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
