/**
 * @fileoverview Large tool results in files next to a task's log. A result is read in pages.
 * @module agent/storage/stored-results
 */
import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { decodeUtf8, encodeUtf8 } from "@tenon/internal/utf8";
import { readTaskFile, syncFolder, writeNewFile } from "./log-file.js";
import { orStorageError, StorageError, toStorageError } from "./storage-error.js";
import type { StoredResult, TaskEntry } from "./task-entry.js";
import { isResultId, isTaskId } from "./task-id.js";
import type { TaskLog } from "./task-log.js";

/** Request for a page of a stored result. */
export interface ResultPageRequest {
  readonly resultId: string;
  /** Position of the page in bytes: 0, or the `nextOffset` of the previous page. @default 0 */
  readonly offset?: number | undefined;
  /** Maximum size of the page in bytes. Values outside 4 to 262,144 are replaced by the nearest one. @default 65_536 */
  readonly limit?: number | undefined;
}

/** Page of a stored result. */
export interface ResultPage {
  readonly text: string;
  /** Position of the page in bytes. */
  readonly offset: number;
  /** Position of the next page. Missing on the last page. */
  readonly nextOffset?: number | undefined;
  /** Size of the whole result in bytes. */
  readonly bytes: number;
}

/** Options for `ResultFiles`. */
export interface ResultFilesOptions {
  readonly folder: string;
  /** Maximum size of all results of a task, in bytes. */
  readonly maxBytes: number;
  /** Returns the log of a task if it is open. */
  readonly logOf: (taskId: string) => Promise<TaskLog | undefined>;
}

/** Stored results of the tasks in a storage folder. They are removed together with their task. */
export class ResultFiles {
  readonly #options: ResultFilesOptions;
  /** Size of the results of open tasks, in bytes. */
  readonly #bytes = new WeakMap<TaskLog, number>();

  constructor(options: ResultFilesOptions) {
    this.#options = options;
  }

  /**
   * Stores a result of an open task in a file of its own. Resolves when the file is on disk. The caller then appends an
   * entry with the returned reference: without one, the file is removed when the task is read again.
   *
   * @throws {StorageError} if the task is not open, its results are too large, or the disk is not writable
   */
  async write(taskId: string, text: string): Promise<StoredResult> {
    const { folder, maxBytes, logOf } = this.#options;
    const log = await logOf(taskId);
    if (log === undefined || log.isBroken) throw new StorageError("The task of this result is not open.");
    const bytes = encodeUtf8(text);
    const before = this.#bytes.get(log) ?? sizeOfResults(log.entries);
    if (before + bytes.length > maxBytes) {
      throw new StorageError(
        `The results of this task are too large (limit: ${maxBytes} bytes). Start a new task.`,
      );
    }
    this.#bytes.set(log, before + bytes.length);
    try {
      return await writeResult(folder, taskId, bytes);
    } catch (cause) {
      this.#bytes.set(log, (this.#bytes.get(log) ?? 0) - bytes.length);
      throw toStorageError("Could not save the result", cause);
    }
  }

  /**
   * Reads a page of a result. Pages never split a character. Returns `undefined` if the result does not exist.
   *
   * @throws {StorageError} if the file cannot be read
   */
  async read(taskId: string, page: ResultPageRequest): Promise<ResultPage | undefined> {
    if (!isTaskId(taskId) || !isResultId(page.resultId)) return undefined;
    const reading = readResultPage(join(this.#options.folder, taskId), page);
    return orStorageError("Could not read the result", reading);
  }
}

/** Removes results that no log entry refers to, because of a crash before the entry was written. */
export async function removeUnusedResults(
  folder: string,
  taskId: string,
  used: ReadonlySet<string>,
): Promise<void> {
  for (const name of await readdir(join(folder, taskId))) {
    const resultId = name.slice(PREFIX.length, -SUFFIX.length);
    if (!isResultId(resultId) || toName(resultId) !== name || used.has(resultId)) continue;
    await rm(join(folder, taskId, name), { force: true });
  }
}

async function writeResult(folder: string, taskId: string, text: Uint8Array): Promise<StoredResult> {
  const resultId = randomUUID();
  const path = join(folder, taskId, toName(resultId));
  try {
    await writeNewFile(path, [text]);
    await syncFolder(join(folder, taskId));
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
  return { resultId, bytes: text.length };
}

function readResultPage(
  folder: string,
  { resultId, offset = 0, limit = DEFAULT_PAGE }: ResultPageRequest,
): Promise<ResultPage | undefined> {
  return readTaskFile(join(folder, toName(resultId)), async (handle) => {
    const { size } = await handle.stat();
    const start = Math.min(Math.max(Math.trunc(offset) || 0, 0), size);
    const length = Math.min(Math.max(Math.trunc(limit) || DEFAULT_PAGE, MIN_PAGE), MAX_PAGE);
    // The byte after the page tells whether the page ends between two characters.
    const bytes = new Uint8Array(Math.min(length + 1, size - start));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
    return toPage(bytes.subarray(0, bytesRead), { start, length, size });
  });
}

function sizeOfResults(entries: readonly TaskEntry[]): number {
  return entries.reduce((sum, { storedResult }) => sum + (storedResult?.bytes ?? 0), 0);
}

function toPage(
  bytes: Uint8Array,
  { start, length, size }: { readonly start: number; readonly length: number; readonly size: number },
): ResultPage {
  let from = 0;
  while (from < bytes.length && isInside(bytes[from])) from++;
  const last = Math.min(length, bytes.length);
  let to = last;
  if (start + to < size) while (to > from && isInside(bytes[to])) to--;
  // Only in a damaged file, a character can be longer than a page. The next page must still start later.
  if (to <= from) to = last;
  const text = decodeUtf8(bytes.subarray(from, to)) ?? "";
  const end = start + to;
  return { text, offset: start + from, nextOffset: end < size ? end : undefined, bytes: size };
}

/** Returns true for a byte that continues a UTF-8 character. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}

function toName(resultId: string): string {
  return `${PREFIX}${resultId}${SUFFIX}`;
}

const PREFIX = "result-";
const SUFFIX = ".txt";
const DEFAULT_PAGE = 65_536;
const MIN_PAGE = 4;
const MAX_PAGE = 262_144;
