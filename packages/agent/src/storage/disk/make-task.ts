/**
 * @fileoverview Creates tasks on disk atomically: the folder becomes visible only after the first lines are written.
 * @module agent/storage/disk/make-task
 */
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "@tenon/internal/files/make-folder";
import { codeOf } from "@tenon/internal/thrown";
import { exists, LOG_NAME, syncFolder, writeNewFile } from "../log-file.js";
import { StorageError } from "../storage-error.js";
import { createName, DRAFT } from "./draft-name.js";

/** Creates the error for a task ID that is already in use. */
export function taskExists(taskId: string): StorageError {
  return new StorageError(`Task "${taskId}" already exists.`);
}

/**
 * Creates a task's folder and a log that contains the given lines. The caller must validate the task ID.
 *
 * @throws {StorageError} if the ID is already in use
 * @throws {Error} if a file system operation fails
 */
export async function makeTask(folder: string, taskId: string, lines: readonly Uint8Array[]): Promise<void> {
  await makeStorage(folder);
  const draft = join(folder, createName(DRAFT));
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeNewFile(join(draft, LOG_NAME), lines);
    await syncFolder(draft);
    // `rename` does not replace an existing task: the target folder must be missing or empty.
    await rename(draft, join(folder, taskId));
  } catch (error) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    throw TAKEN.includes(codeOf(error)) && (await exists(join(folder, taskId))) ? taskExists(taskId) : error;
  }
  await syncFolder(folder);
}

/** Creates a folder in or for the storage if it does not exist, and syncs its parents so that it survives power loss. */
export async function makeStorage(folder: string): Promise<void> {
  const made = await makeFolder(folder, 0o700);
  if (made === undefined) return;
  for (let below = folder, above = dirname(folder); above !== below; above = dirname((below = above))) {
    await syncFolder(above);
  }
}

/** Error codes that can mean the target already exists. */
const TAKEN: readonly unknown[] = ["EEXIST", "ENOTEMPTY", "ENOTDIR", "EPERM", "EACCES"];
