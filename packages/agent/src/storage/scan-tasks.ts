/**
 * @fileoverview Finds the tasks in a storage folder and removes incomplete drafts that a crash left behind.
 * @module agent/storage/scan-tasks
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent, logPath, openRegularFile } from "./log-file.js";
import { isDraftName } from "./make-task.js";
import { peekHeader } from "./read-log.js";
import { errorCode } from "./storage-error.js";
import type { TaskHeader } from "./task-entry.js";
import { isTaskId } from "./task-id.js";

/** Task found in the storage folder. */
export interface FoundTask {
  readonly header: TaskHeader;
  /** Time of the last write to the log, in milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** Result of a scan. */
export interface Scan {
  readonly tasks: readonly FoundTask[];
  /** Number of task folders that could not be read. */
  readonly failed: number;
}

/** Finds all tasks. Returns none if the folder does not exist. Unrelated files and folders are ignored. */
export async function scanTasks(folder: string): Promise<Scan> {
  const names = await namesIn(folder);
  const tasks: FoundTask[] = [];
  let failed = 0;
  const each = names.values();
  const work = async (): Promise<void> => {
    // The workers share one iterator.
    for (const name of each) {
      try {
        const task = await lookAt(folder, name);
        if (task !== undefined) tasks.push(task);
      } catch {
        failed++;
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return { tasks, failed };
}

/** Lists the folders that may be tasks or drafts. Links are skipped. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && (isTaskId(entry.name) || isDraftName(entry.name)))
      .map((entry) => entry.name);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

async function lookAt(folder: string, name: string): Promise<FoundTask | undefined> {
  if (isDraftName(name)) {
    await rm(join(folder, name), { recursive: true, force: true });
    return undefined;
  }
  try {
    const handle = await openRegularFile(logPath(folder, name));
    if (handle === undefined) return undefined;
    try {
      const [header, { mtimeMs }] = await Promise.all([peekHeader(handle), handle.stat()]);
      return header?.taskId === name ? { header, updatedAt: Math.trunc(mtimeMs) } : undefined;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

const WORKERS = 16;
