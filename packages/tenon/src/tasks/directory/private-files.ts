/**
 * @fileoverview Opens the files of a task directory. Whoever can write there can delete and change tasks, so the
 * directory and its files must belong to the user of this process, and symbolic links are not followed.
 * @module tenon/tasks/directory/private-files
 */
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { codeOf } from "@tenon/internal/thrown";

/** Checks a directory. @throws if it is a symbolic link, or if other users can write to it */
export async function assertPrivateDirectory(directory: string): Promise<void> {
  const stats = await lstat(directory);
  if (stats.isSymbolicLink())
    throw new Error(
      `The task directory "${directory}" is a symbolic link. Set \`directory\` to the target of the link.`,
    );
  assertPrivate(`The task directory "${directory}"`, stats, { mode: "700", others: WRITABLE });
}

/** Bits of a file's mode that let other users write. */
export const WRITABLE = 0o022;

/** Bits of a file's mode that let other users do anything. */
export const ACCESSIBLE = 0o077;

/** Flags for `openPrivate`. */
export const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = constants;

/**
 * Opens a file for its owner only.
 *
 * @param others bits of the mode that other users must not have
 * @throws if the file is a symbolic link or not a file, or if other users have access
 */
export async function openPrivate(
  path: string,
  flags: number,
  others: number = WRITABLE,
): Promise<FileHandle> {
  // Without O_NONBLOCK, opening a named pipe could take forever.
  const file = await open(path, flags | NO_FOLLOW | constants.O_NONBLOCK, 0o600).catch((error: unknown) => {
    if (codeOf(error) === "EISDIR") throw noFile(path);
    if (codeOf(error) !== "ELOOP") throw error;
    throw new Error(`The file "${path}" is a symbolic link, which is not followed. Delete it.`);
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw noFile(path);
    assertPrivate(`The file "${path}"`, stats, { mode: "600", others });
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function noFile(path: string): Error {
  return new Error(`"${path}" is not a file. Delete it.`);
}

/** Some systems, such as Windows, have neither these flags nor modes. */
const NO_FOLLOW = (constants as { readonly O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0;

interface Wanted {
  readonly mode: string;
  readonly others: number;
}

function assertPrivate(label: string, { uid, mode }: Stats, wanted: Wanted): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  // The superuser can do everything anyway.
  if (uid !== own && uid !== 0)
    throw new Error(
      `${label} belongs to a different user (ID ${uid}), who could change tasks. ` +
        `Use a directory that belongs to the user of this process (ID ${own}).`,
    );
  if ((mode & wanted.others) !== 0)
    throw new Error(
      `${label} is open to other users (mode ${(mode & 0o777).toString(8)}), who could change tasks. ` +
        `Set its mode to ${wanted.mode} with \`chmod\`.`,
    );
}
