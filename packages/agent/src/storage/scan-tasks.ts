/**
 * @fileoverview Looks through a storage folder for the tasks in it, and clears away what crashes left.
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

/** A task that was found. */
export interface FoundTask {
  readonly header: TaskHeader;
  /** When its log was last written. */
  readonly updatedAt: number;
}

/** What a look through the folder came to. */
export interface Scan {
  readonly tasks: readonly FoundTask[];
  /** Entries that have a task's name and could not be looked at. */
  readonly failed: number;
}

/** Finds every task; a folder that does not exist has none. What is no task is left alone. */
export async function scanTasks(folder: string): Promise<Scan> {
  const names = await namesIn(folder);
  const tasks: FoundTask[] = [];
  let failed = 0;
  const each = names.values();
  const work = async (): Promise<void> => {
    // All workers take from one iterator.
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

/** The folders that may be tasks. A link to a folder is no folder here. */
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
