/**
 * @fileoverview Reads tasks from disk: headers, whole logs, and text for searches.
 * @module agent/storage/task-reader
 */
import { readTitle } from "./disk/task-meta.js";
import type { SearchedTask } from "./list/search-tasks.js";
import { logPath, readTaskFile } from "./log-file.js";
import { type LogContents, type LogReadingOptions, peekHeader, readLog } from "./read-log.js";
import { removeUnusedResults } from "./stored-results.js";
import type { TaskHeader } from "./task-entry.js";

/** Options for reading tasks. The caller must validate task IDs. */
export interface ReadingOptions extends LogReadingOptions {
  readonly warn: (text: string) => void;
}

/** Reads a task's header with the current title. Returns `undefined` if the task does not exist. */
export async function readTaskHeader(folder: string, taskId: string): Promise<TaskHeader | undefined> {
  const header = await readTaskFile(logPath(folder, taskId), peekHeader);
  if (header?.taskId !== taskId) return undefined;
  return { ...header, title: (await readTitle(folder, taskId)) ?? header.title };
}

/**
 * Reads a task's log with the current title, and removes leftovers of a crash. Returns `undefined` if the task does
 * not exist.
 *
 * @throws {StorageError} if the log is too large
 */
export async function readTask(options: ReadingOptions, taskId: string): Promise<LogContents | undefined> {
  const { folder, warn } = options;
  const reading = await readLog(options, taskId);
  if (reading === "missing") return undefined;
  if (reading === "foreign") {
    warn(`task "${taskId}" was not opened: its log header is invalid or belongs to a different task.`);
    return undefined;
  }
  const { unreadable, tornBytes } = reading;
  if (unreadable > 0) {
    warn(`task "${taskId}": skipped ${unreadable} unreadable ${unreadable === 1 ? "line" : "lines"}.`);
  }
  if (tornBytes > 0) warn(`task "${taskId}": dropped an incomplete write (${tornBytes} bytes).`);
  const used = new Set(reading.entries.flatMap(({ storedResult }) => storedResult?.resultId ?? []));
  // An unreadable line may refer to a result. Files that cannot be removed now are removed later.
  if (unreadable === 0) await removeUnusedResults(folder, taskId, used).catch(() => undefined);
  const title = (await readTitle(folder, taskId)) ?? reading.header.title;
  return { ...reading, header: { ...reading.header, title } };
}

/** Reads a task for a search. A task that cannot be read has no entries. */
export async function readForSearch(options: ReadingOptions, taskId: string): Promise<SearchedTask> {
  const reading = await readLog(options, taskId).catch(() => undefined);
  return typeof reading === "object"
    ? { entries: reading.entries, bytes: reading.length }
    : { entries: [], bytes: 0 };
}
