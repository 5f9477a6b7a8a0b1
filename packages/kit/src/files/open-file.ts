/**
 * @fileoverview Opens regular files in a store without following symbolic links.
 * @module kit/files/open-file
 */
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "./directory.js";
import { isSafeName } from "./safe-path.js";

/** Open file. The caller must close its handle. */
export interface OpenFile {
  readonly handle: FileHandle;
  /** The file's status when it was opened. */
  readonly stat: Stats;
  /** Real path of the store's directory. */
  readonly directory: string;
  readonly name: string;
}

/**
 * Opens the regular file with this name. Returns `undefined` if it does not exist or is not a regular file.
 *
 * Links are rejected, even if they point into the store, because access was granted for one name only. For the same
 * reason, different spellings are rejected on case-insensitive file systems. Devices and pipes are detected with
 * `lstat` before opening, because opening some of them has side effects.
 *
 * An attacker may replace the file between the check and the opening. A new link is not followed (`O_NOFOLLOW`), a pipe
 * does not block (`O_NONBLOCK`), and the handle must refer to the file that was checked. All data is read from this
 * handle. Attackers who can replace the store's directory or create hard links in it are out of scope.
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

/** Returns true if both `Stats` describe the same file, by device and inode. */
export function isSameFile(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** Open flags. On Windows, only the first one exists; the others are `undefined` and have no effect. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
