/**
 * @fileoverview Selects the task that is removed when a new task would exceed the limit.
 * @module agent/storage/list/find-removable
 */
import type { TaskFamily } from "../disk/remove-task.js";
import type { TaskStatus } from "../task-entry.js";
import type { TaskList } from "./task-list.js";

/** Functions that tell which tasks can be removed. */
export interface RemovableParts {
  /** Returns true if neither a task nor one of its subtasks is in use. */
  readonly isFree: (family: TaskFamily) => boolean;
  /** Reads the latest status of a task. */
  readonly statusOf: (taskId: string) => Promise<TaskStatus | undefined>;
}

/**
 * Finds the task to remove among the 64 oldest tasks that are not in use: the oldest completed one, or else the oldest
 * one that does not wait for an approval, or else the oldest one. Returns `undefined` if every task is in use.
 *
 * Only the tasks of the user who has the most are examined, so that one user cannot make the tasks of others disappear.
 */
export async function findRemovable(
  tasks: TaskList,
  { isFree, statusOf }: RemovableParts,
): Promise<TaskFamily | undefined> {
  const crowded = tasks.largestOwner();
  const isCandidate = (family: TaskFamily) => tasks.get(family.taskId)?.owner === crowded && isFree(family);
  const oldest: TaskFamily[] = [];
  for (const family of tasks.families()) {
    if (oldest.length === MAX_EXAMINED) break;
    if (isCandidate(family)) oldest.push(family);
  }
  let idle: TaskFamily | undefined;
  for (const family of oldest) {
    const status = await statusOf(family.taskId).catch(() => undefined);
    if (status === "completed") return family;
    if (status !== "waiting") idle ??= family;
  }
  return idle ?? oldest[0];
}

const MAX_EXAMINED = 64;
