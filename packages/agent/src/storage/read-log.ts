/**
 * @fileoverview Reads the log of a task and detects incomplete lines. It does not change the file.
 * @module agent/storage/read-log
 */
import type { FileHandle } from "node:fs/promises";
import { openForReading } from "./log-file.js";
import { MAX_HEADER_BYTES, NEWLINE, readHeader, readLine } from "./log-lines.js";
import { StorageError } from "./storage-error.js";
import { readEntry, type TaskEntry, type TaskHeader } from "./task-entry.js";

/** Contents of a log. */
export interface LogContents {
  readonly header: TaskHeader;
  readonly entries: TaskEntry[];
  /** Number of bytes up to the end of the last complete line. */
  readonly length: number;
  /** Number of bytes after the last complete line, left behind by a crash. */
  readonly tornBytes: number;
  /** Number of lines that cannot be parsed. They stay in the file. */
  readonly unreadable: number;
}

/** A log, or the reason why it is not a log of this task. */
export type LogReading = LogContents | "missing" | "foreign";

/**
 * Reads the log of a task. The task id must be validated.
 *
 * @throws {StorageError} if the log is larger than `maxBytes`
 */
export async function readLog(folder: string, taskId: string, maxBytes: number): Promise<LogReading> {
  const handle = await openForReading(folder, taskId);
  if (handle === undefined) return "missing";
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) throw new StorageError("This task is too large to open. Start a new task.");
    return await readContents(handle, taskId, size);
  } finally {
    await handle.close();
  }
}

/** Reads the header of an open log from its first bytes. */
export async function peekHeader(handle: FileHandle): Promise<TaskHeader | undefined> {
  const bytes = new Uint8Array(MAX_HEADER_BYTES);
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
  const end = bytes.subarray(0, bytesRead).indexOf(NEWLINE);
  return end === -1 ? undefined : readHeader(readLine(bytes.subarray(0, end)));
}

/** Parses lines while the file is read, so that a long log does not block the event loop. */
async function readContents(handle: FileHandle, taskId: string, size: number): Promise<LogReading> {
  const header = await peekHeader(handle);
  // A case-insensitive file system finds `Task` when `task` is requested.
  if (header?.taskId !== taskId) return "foreign";
  const bytes = new Uint8Array(size);
  const entries: TaskEntry[] = [];
  let unreadable = 0;
  let start = 0;
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(bytes, filled, Math.min(PIECE, size - filled), filled);
    if (bytesRead === 0) break;
    const read = bytes.subarray(0, filled + bytesRead);
    for (let end = read.indexOf(NEWLINE, filled); end !== -1; end = read.indexOf(NEWLINE, start)) {
      const isHeader = start === 0;
      const entry = isHeader ? undefined : readEntry(readLine(read.subarray(start, end)));
      if (entry !== undefined) entries.push(entry);
      else if (!isHeader) unreadable++;
      start = end + 1;
    }
    filled += bytesRead;
  }
  return { header, entries, length: start, tornBytes: filled - start, unreadable };
}

const PIECE = 256 * 1024;
