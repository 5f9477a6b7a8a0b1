/**
 * @fileoverview A new task on the disk: its folder is there with its first line, or it is not there at all.
 * @module agent/storage/make-task
 */
import { randomUUID } from "node:crypto";
import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LOG_NAME } from "./log-file.js";
import { errorCode, StorageError } from "./storage-error.js";

/** A folder that is not a task yet; after a crash, one that never will be. No task has such a name. */
export function isDraftName(name: string): boolean {
  return DRAFT.test(name);
}

/** The error for a name that is taken. */
export function taskExists(taskId: string): StorageError {
  return new StorageError(`There is a task '${taskId}' already`);
}

/**
 * Makes the folder of a task whose name was checked, with a log of these lines.
 *
 * @throws StorageError where the name is taken, else whatever the file system says
 */
export async function makeTask(folder: string, taskId: string, lines: readonly Uint8Array[]): Promise<void> {
  await makeStorage(folder);
  const draft = join(folder, `.new-${randomUUID()}`);
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeLog(join(draft, LOG_NAME), lines);
    await syncFolder(draft);
    // A folder takes the place of nothing but an empty folder.
    await rename(draft, join(folder, taskId));
  } catch (error) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    throw TAKEN.includes(errorCode(error) ?? "") && (await exists(join(folder, taskId)))
      ? taskExists(taskId)
      : error;
  }
  await syncFolder(folder);
}

/** Makes the storage folder, and sees to it that a loss of power does not take it away again. */
async function makeStorage(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made === undefined) return;
  for (let below = folder, above = dirname(folder); above !== below; above = dirname((below = above))) {
    await syncFolder(above);
  }
}

async function writeLog(path: string, lines: readonly Uint8Array[]): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    for (const line of lines) await handle.writeFile(line);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Puts the names in a folder on the disk, on systems that can open a folder. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!CANNOT_SYNC.includes(errorCode(error) ?? "")) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

const DRAFT = /^\.new-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What systems call it when a name is taken by a folder or a file. */
const TAKEN: readonly string[] = ["EEXIST", "ENOTEMPTY", "ENOTDIR", "EPERM", "EACCES"];

const CANNOT_SYNC: readonly string[] = ["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EBADF"];
