/**
 * @fileoverview The list of known tasks, newest first.
 * @module agent/client/state/task-list
 */
import { shareList } from "./share.js";
import type { TaskSummary } from "../types.js";

type Tasks = readonly TaskSummary[];

/** Maximum number of tasks in the list. The oldest ones are removed first. */
const MAX_TASKS = 1_000;

/** Part of the server's list. */
export interface ListedPart {
  readonly tasks: Tasks;
  /** True if the part contains the newest tasks. */
  readonly isFirst: boolean;
  /** True if no older tasks follow. */
  readonly isLast: boolean;
}

/** Merges a part of the server's list. Known tasks in its range that it does not contain no longer exist. */
export function withListed(before: Tasks, { tasks, isFirst, isLast }: ListedPart): Tasks {
  const listed = new Set(tasks.map(({ taskId }) => taskId));
  const newest = isFirst ? undefined : tasks[0]?.updatedAt;
  const oldest = isLast ? "" : (tasks.at(-1)?.updatedAt ?? "");
  const isOutside = ({ updatedAt }: TaskSummary) =>
    (!isLast && updatedAt < oldest) || (!isFirst && (newest === undefined || updatedAt >= newest));
  const others = before.filter((task) => !listed.has(task.taskId) && isOutside(task));
  const unique = new Map([...others, ...tasks].map((task) => [task.taskId, task]));
  return shareList(before, [...unique.values()].sort(byTime).slice(0, MAX_TASKS), ({ taskId }) => taskId);
}

/** Changes the title of a task. */
export function withTitle(before: Tasks, taskId: string, title: string): Tasks {
  return update(before, taskId, (task) => (task.title === title ? task : { ...task, title }));
}

/** Moves a task to the start of the list, because it has a new message. */
export function withNewMessage(before: Tasks, taskId: string, updateTime: number): Tasks {
  // Times outside this range cannot be dates.
  if (!(Math.abs(updateTime) <= 8.64e15)) return before;
  const updatedAt = new Date(updateTime).toISOString();
  const tasks = update(before, taskId, (task) =>
    task.updatedAt >= updatedAt ? task : { ...task, updatedAt },
  );
  return tasks === before ? before : [...tasks].sort(byTime);
}

/** Removes a task. */
export function withoutTask(before: Tasks, taskId: string): Tasks {
  return before.some((task) => task.taskId === taskId)
    ? before.filter((task) => task.taskId !== taskId)
    : before;
}

function update(tasks: Tasks, taskId: string, change: (task: TaskSummary) => TaskSummary): Tasks {
  const index = tasks.findIndex((task) => task.taskId === taskId);
  const task = tasks[index];
  if (task === undefined) return tasks;
  const next = change(task);
  return next === task ? tasks : tasks.with(index, next);
}

/** Compares tasks by time, newest first. ISO 8601 times in UTC sort like text. */
function byTime(one: TaskSummary, other: TaskSummary): number {
  if (one.updatedAt === other.updatedAt) return 0;
  return one.updatedAt > other.updatedAt ? -1 : 1;
}
