/**
 * @fileoverview Finds the tasks in a storage folder, and removes drafts that crashes left behind.
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

/** A task in the folder. */
export interface FoundTask {
  readonly header: TaskHeader;
  /** Time of the last write to its log. */
  readonly updatedAt: number;
}

/** Result of a scan. */
export interface Scan {
  readonly tasks: readonly FoundTask[];
  /** Number of task folders that could not be read. */
  readonly failed: number;
}

/** Finds every task. A missing folder has none. Other files and folders are left alone. */
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

/** Lists the folders that may be tasks. Links to folders are skipped. */
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
