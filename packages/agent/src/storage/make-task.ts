/**
 * @fileoverview Creates a task on disk atomically: its folder appears together with its first line, or not at all.
 * @module agent/storage/make-task
 */
import { randomUUID } from "node:crypto";
import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LOG_NAME } from "./log-file.js";
import { errorCode, StorageError } from "./storage-error.js";

/**
 * Checks if a name is that of a draft: a folder that is not a task yet, or was left behind by a crash. Task ids
 * cannot have such names.
 */
export function isDraftName(name: string): boolean {
  return DRAFT.test(name);
}

/** Creates the error for a task id that is taken. */
export function taskExists(taskId: string): StorageError {
  return new StorageError(`Task '${taskId}' already exists.`);
}

/**
 * Creates the folder of a task with these log lines. The task id must be validated.
 *
 * @throws {StorageError} if the id is taken; other errors are those of the file system
 */
export async function makeTask(folder: string, taskId: string, lines: readonly Uint8Array[]): Promise<void> {
  await makeStorage(folder);
  const draft = join(folder, `.new-${randomUUID()}`);
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeLog(join(draft, LOG_NAME), lines);
    await syncFolder(draft);
    // `rename` replaces only an empty folder.
    await rename(draft, join(folder, taskId));
  } catch (error) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    throw TAKEN.includes(errorCode(error) ?? "") && (await exists(join(folder, taskId)))
      ? taskExists(taskId)
      : error;
  }
  await syncFolder(folder);
}

/** Creates the storage folder, and syncs its parents so that it survives a power loss. */
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

/** Syncs the entries of a folder, on systems that can open a folder. */
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

/** Error codes for a name that is taken by a folder or a file. */
const TAKEN: readonly string[] = ["EEXIST", "ENOTEMPTY", "ENOTDIR", "EPERM", "EACCES"];

const CANNOT_SYNC: readonly string[] = ["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EBADF"];
