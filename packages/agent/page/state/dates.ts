/**
 * @fileoverview Groups conversations by the day of their last change.
 * @module agent/page-app/state/dates
 */
import type { TaskSummary } from "@tenon/agent/client";

const DAY_MS = 86_400_000;

const RANGES = [
  { title: "Today", days: 0 },
  { title: "Yesterday", days: 1 },
  { title: "Previous 7 days", days: 7 },
  { title: "Previous 30 days", days: 30 },
  { title: "Older", days: Number.POSITIVE_INFINITY },
] as const;

/** Groups conversations by day, in the zone of the browser. Keeps their order, and leaves out empty groups. */
export function groupByDay(tasks: readonly TaskSummary[], now: Date) {
  const groups = RANGES.map(({ title }) => ({ title, tasks: [] as TaskSummary[] }));
  for (const task of tasks) {
    const days = daysBetween(new Date(task.updatedAt), now);
    const index = RANGES.findIndex((range) => days <= range.days);
    groups[index === -1 ? RANGES.length - 1 : index]?.tasks.push(task);
  }
  return groups.filter((group) => group.tasks.length > 0);
}

/** Returns the number of midnights between two times. An invalid time is long ago. */
function daysBetween(time: Date, now: Date): number {
  const days = Math.round((startOfDay(now) - startOfDay(time)) / DAY_MS);
  return Number.isNaN(days) ? Number.POSITIVE_INFINITY : days;
}

function startOfDay(time: Date): number {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
}

/** Formats a time of a message, such as `09:05`. Returns an empty text for an unknown time. */
export function formatTime(milliseconds: number | undefined): string {
  if (milliseconds === undefined || Number.isNaN(new Date(milliseconds).getTime())) return "";
  const time = new Date(milliseconds);
  const pad = (value: number) => String(value).padStart(2, "0");
  return `${pad(time.getHours())}:${pad(time.getMinutes())}`;
}
