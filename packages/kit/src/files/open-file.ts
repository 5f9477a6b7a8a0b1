/**
 * @fileoverview Opens a file of a store, and nothing else.
 * @module kit/files/open-file
 */
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "./directory.js";
import { isSafeName } from "./safe-path.js";

/** An open file, with what was true of it when it was opened. Whoever has it closes it. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly stat: Stats;
  /** The store's directory, without links. */
  readonly directory: string;
  readonly name: string;
}

/**
 * Opens the regular file of this name, or gives `undefined`.
 *
 * Links are refused, in the store as well as out of it: each file has one name, and the access decision was about that
 * name. The same goes for another spelling on a file system that does not tell them apart. Devices and pipes are told
 * by `lstat`, because opening some of them has effects already.
 *
 * Between check and opening somebody may swap the entry. Covered: a link put there is not followed (`O_NOFOLLOW`), a
 * pipe does not block (`O_NONBLOCK`), and the handle must be the very file that was checked; all that is sent comes from
 * this handle. Not covered: whoever can replace the store's directory or one above it, or make a hard link to a foreign
 * file in the store, decides what the store is.
 */
export async function openStoredFile(store: string, name: string): Promise<OpenFile | undefined> {
  if (!isSafeName(name)) return undefined;
  let handle: FileHandle | undefined;
  try {
    const directory = await realpath(store);
    const path = join(directory, name);
    if ((await realpath(path)) !== path) return undefined;
    const checked = await lstat(path);
    if (!checked.isFile()) return undefined;
    handle = await open(path, FLAGS);
    const stat = await handle.stat();
    if (stat.isFile() && isSameFile(stat, checked)) {
      const opened = { handle, stat, directory, name };
      handle = undefined;
      return opened;
    }
    return undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  } finally {
    await handle?.close();
  }
}

/** Tells whether two `Stats` are of one file. */
export function isSameFile(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** Windows has only the first of them; there the others are `undefined`, which adds no bit. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
