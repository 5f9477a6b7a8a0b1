/**
 * @fileoverview Deletes and archives tasks with their subtasks. A removal that a crash interrupts is completed by the
 * next scan.
 * @module agent/storage/disk/remove-task
 */
import { randomUUID } from "node:crypto";
import { type FileHandle, lstat, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { exists, isAbsent, logPath, readTaskFile, syncFolder } from "../log-file.js";
import { peekHeader } from "../read-log.js";
import { createName, TRASH } from "./draft-name.js";
import type { TaskHeader } from "../task-entry.js";

/** Task and its subtasks, which are removed together. */
export interface TaskFamily {
  readonly taskId: string;
  readonly subtasks: readonly string[];
}

/** Header fields that connect a subtask with its parent. */
export type TaskLink = Pick<TaskHeader, "taskId" | "parentTaskId">;

/**
 * Deletes a task and its subtasks. The task is deleted when its folder has its new name on disk. The subtasks follow,
 * and the renamed folder is removed last: until then, it tells the next scan which subtasks to delete.
 *
 * @returns false if files remain that only the next scan can remove
 * @throws if the task could not be deleted
 */
export async function deleteTask(folder: string, { taskId, subtasks }: TaskFamily): Promise<boolean> {
  const trash = await moveToTrash(folder, taskId);
  try {
    await syncFolder(folder);
  } catch (error) {
    if (trash !== undefined) await rename(join(folder, trash), join(folder, taskId)).catch(() => undefined);
    throw error;
  }
  return finishDeletion(folder, trash, subtasks).then(
    () => true,
    () => false,
  );
}

/**
 * Moves a task and its subtasks to the archive, a folder that is not scanned.
 *
 * @returns false if subtasks remain that only the next scan can move
 * @throws if the task could not be moved
 */
export async function archiveTask(folder: string, { taskId, subtasks }: TaskFamily): Promise<boolean> {
  await makeArchive(folder);
  await moveToArchive(folder, taskId);
  try {
    for (const subtask of subtasks) await moveToArchive(folder, subtask);
    await syncFolder(join(folder, ARCHIVE));
    await syncFolder(folder);
    return true;
  } catch {
    return false;
  }
}

/**
 * Completes removals that a crash interrupted. `tasks` are all tasks in the folder, and `trash` the deleted ones.
 *
 * @returns subtasks that no longer exist, and IDs of deleted tasks whose files could not be removed. The latter must not
 * be used before the next scan.
 */
export async function finishRemovals(folder: string, tasks: readonly TaskLink[], trash: readonly string[]) {
  const known = new Set(tasks.map(({ taskId }) => taskId));
  const byParent = groupByParent(tasks);
  const removed = new Set<string>();
  const unfinished: string[] = [];
  for (const name of trash) {
    const taskId = await readTaskId(folder, name);
    // If the task exists again, for example from a backup, the subtasks belong to it.
    const isGone = taskId !== undefined && !known.has(taskId);
    const subtasks = isGone ? findDescendants(taskId, byParent) : [];
    try {
      await finishDeletion(folder, name, subtasks);
    } catch {
      unfinished.push(...(isGone ? [taskId, ...subtasks] : []));
    }
    for (const subtask of subtasks) removed.add(subtask);
  }
  for (const { taskId, parentTaskId } of tasks) {
    if (parentTaskId === undefined || known.has(parentTaskId) || removed.has(taskId)) continue;
    if (!(await exists(join(folder, ARCHIVE, parentTaskId)))) continue;
    const subtasks = findDescendants(taskId, byParent);
    // Subtasks that cannot be moved stay usable, and the next scan tries again.
    if (!(await archiveTask(folder, { taskId, subtasks }).catch(() => false))) continue;
    for (const id of [taskId, ...subtasks]) removed.add(id);
  }
  return { removed, unfinished };
}

/** Groups tasks by their parents. */
export function groupByParent(tasks: Iterable<TaskLink>): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { taskId, parentTaskId } of tasks) {
    if (parentTaskId === undefined) continue;
    const group = groups.get(parentTaskId);
    if (group === undefined) groups.set(parentTaskId, [taskId]);
    else group.push(taskId);
  }
  return groups;
}

/** Finds the IDs of a task's subtasks, their subtasks, and so on. */
export function findDescendants(
  taskId: string,
  byParent: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const found = new Set([taskId]);
  // A set also iterates over elements that are added during the iteration.
  for (const parent of found) for (const child of byParent.get(parent) ?? []) found.add(child);
  found.delete(taskId);
  return [...found];
}

async function finishDeletion(
  folder: string,
  trash: string | undefined,
  subtasks: readonly string[],
): Promise<void> {
  const names: (string | undefined)[] = [];
  for (const subtask of subtasks) names.push(await moveToTrash(folder, subtask));
  if (names.length > 0) await syncFolder(folder);
  for (const name of [...names, trash]) {
    if (name !== undefined) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * Renames a task's folder, so that it is no longer a task, and returns its new name. Returns `undefined` if there is no
 * such folder. A link is renamed itself, and its target is not changed.
 */
async function moveToTrash(folder: string, taskId: string): Promise<string | undefined> {
  const name = createName(TRASH);
  return (await move(join(folder, taskId), join(folder, name))) ? name : undefined;
}

/** Creates the archive if it does not exist. @throws if it is a link, because its target may be anywhere */
async function makeArchive(folder: string): Promise<void> {
  const archive = join(folder, ARCHIVE);
  await mkdir(archive, { recursive: true, mode: 0o700 });
  if (!(await lstat(archive)).isDirectory()) throw new Error("The archive is not a folder.");
}

async function moveToArchive(folder: string, taskId: string): Promise<void> {
  const target = join(folder, ARCHIVE, taskId);
  // A client may have used the ID of an archived task again.
  await move(join(folder, taskId), (await exists(target)) ? `${target}.${randomUUID()}` : target);
}

/** Renames a folder. Resolves to false if the folder does not exist. */
async function move(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** Reads the ID of a deleted task. Returns `undefined` if its log is already removed or cannot be opened. */
async function readTaskId(folder: string, trash: string): Promise<string | undefined> {
  let isOpen = false;
  const read = (handle: FileHandle) => {
    isOpen = true;
    return peekHeader(handle);
  };
  const header = await readTaskFile(logPath(folder, trash), read).catch((error: unknown) => {
    if (isOpen) throw error; // the next scan reads it again, and deletes the subtasks
    return undefined;
  });
  return header?.taskId;
}

/** Folder of archived tasks. A task ID never has this form. */
const ARCHIVE = ".archive";
