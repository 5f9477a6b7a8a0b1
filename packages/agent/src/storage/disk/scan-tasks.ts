/**
 * @fileoverview Finds the tasks in a storage folder. Removes incomplete drafts that a crash left behind, and completes
 * interrupted removals.
 * @module agent/storage/disk/scan-tasks
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "@tenon/internal/thrown";
import { logPath, readTaskFile } from "../log-file.js";
import { DRAFT, hasPrefix, TRASH } from "./draft-name.js";
import { peekHeader } from "../read-log.js";
import { finishRemovals } from "./remove-task.js";
import type { TaskHeader } from "../task-entry.js";
import { isTaskId } from "../task-id.js";
import { readTitle } from "./task-meta.js";

/** Task found in the storage folder. */
export interface FoundTask {
  readonly header: TaskHeader;
  /** Time of the last write to the log, in milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** Result of a scan. */
export type Scan = Awaited<ReturnType<typeof scanTasks>>;

/** Finds all tasks. Returns none if the folder does not exist. Unrelated files and folders are ignored. */
export async function scanTasks(folder: string) {
  const all = await namesIn(folder);
  const names = all.filter((name) => !isTrashName(name));
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
  const headers = tasks.map(({ header }) => header);
  const { removed, unfinished } = await finishRemovals(folder, headers, all.filter(isTrashName));
  return { tasks: tasks.filter(({ header }) => !removed.has(header.taskId)), failed, unfinished };
}

/** Lists the folders that may be tasks or deleted tasks, and all drafts. Links are skipped. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() || (entry.isFile() && isDraftName(entry.name)))
      .map((entry) => entry.name)
      .filter((name) => isTaskId(name) || isDraftName(name) || isTrashName(name));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

async function lookAt(folder: string, name: string): Promise<FoundTask | undefined> {
  if (isDraftName(name)) {
    await rm(join(folder, name), { recursive: true, force: true });
    return undefined;
  }
  return readTaskFile(logPath(folder, name), async (handle) => {
    const [header, { mtimeMs }] = await Promise.all([peekHeader(handle), handle.stat()]);
    if (header?.taskId !== name) return undefined;
    const title = (await readTitle(folder, name)) ?? header.title;
    return { header: { ...header, title }, updatedAt: Math.trunc(mtimeMs) };
  });
}

const isDraftName = (name: string) => hasPrefix(name, DRAFT);
const isTrashName = (name: string) => hasPrefix(name, TRASH);
const WORKERS = 16;
