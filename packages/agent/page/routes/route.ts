/**
 * @fileoverview Places on the page, as the hash of its URL: `#/` is a new conversation, and `#/<taskId>` an existing one.
 * @module agent/page-app/routes/route
 */

/** Place on the page. */
export interface Route {
  /** Task that is shown. Absent for a new conversation. */
  readonly taskId?: string | undefined;
}

/** Matches the hash of a task. Task IDs consist of these characters. */
const TASK = /^#\/([\w-]{1,128})$/;

/** Reads a hash. An invalid one is a new conversation. */
export function parseRoute(hash: string): Route {
  const [, taskId] = TASK.exec(hash) ?? [];
  return taskId === undefined ? {} : { taskId };
}

/** Returns the hash of a place. */
export function formatRoute({ taskId }: Route): string {
  return `#/${taskId ?? ""}`;
}
