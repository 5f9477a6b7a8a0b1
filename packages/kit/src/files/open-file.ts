/**
 * @fileoverview Opens regular files of a store.
 * @module kit/files/open-file
 */
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "./directory.js";
import { isSafeName } from "./safe-path.js";

/** Open file with its state at opening time. The caller closes it. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly stat: Stats;
  /** Real path of the store's directory. */
  readonly directory: string;
  readonly name: string;
}

/**
 * Opens the regular file with this name, or returns `undefined`.
 *
 * Links are rejected, even those that point into the store: each file has one name, and access was granted for that
 * name. For the same reason, other spellings are rejected on file systems that treat them as equal. `lstat` detects
 * devices and pipes, because opening some of them has side effects.
 *
 * The entry may be swapped between the check and the opening. Covered: a new link is not followed (`O_NOFOLLOW`), a
 * pipe does not block (`O_NONBLOCK`), and the handle must refer to the file that was checked; all data comes from
 * this handle. Not covered: an attacker who can replace the store's directory or a parent, or create a hard link to a
 * foreign file in the store, controls the store.
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

/** Returns true if two `Stats` refer to the same file. */
export function isSameFile(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** Open flags. Windows has only the first; the others are `undefined` there and add no bit. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
