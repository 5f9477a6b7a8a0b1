/**
 * @fileoverview Reads a task's log back, and tells what of it is whole. It changes nothing.
 * @module agent/storage/read-log
 */
import type { FileHandle } from "node:fs/promises";
import { openForReading } from "./log-file.js";
import { MAX_HEADER_BYTES, NEWLINE, readHeader, readLine } from "./log-lines.js";
import { StorageError } from "./storage-error.js";
import { readEntry, type TaskEntry, type TaskHeader } from "./task-entry.js";

/** What a log held when it was read. */
export interface LogContents {
  readonly header: TaskHeader;
  readonly entries: TaskEntry[];
  /** Up to the end of the last line that has one. */
  readonly length: number;
  /** What a crash left behind it. */
  readonly tornBytes: number;
  /** Lines that say nothing; they stay where they are. */
  readonly unreadable: number;
}

/** A log that was read, or why there is none of this task. */
export type LogReading = LogContents | "missing" | "foreign";

/**
 * Reads the log of a task whose name was checked.
 *
 * @throws StorageError where it is larger than `maxBytes`
 */
export async function readLog(folder: string, taskId: string, maxBytes: number): Promise<LogReading> {
  const handle = await openForReading(folder, taskId);
  if (handle === undefined) return "missing";
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) throw new StorageError("This task is too large to be opened; begin a new one");
    return await readContents(handle, taskId, size);
  } finally {
    await handle.close();
  }
}

/** The header of an open log, from its first bytes. */
export async function peekHeader(handle: FileHandle): Promise<TaskHeader | undefined> {
  const bytes = new Uint8Array(MAX_HEADER_BYTES);
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
  const end = bytes.subarray(0, bytesRead).indexOf(NEWLINE);
  return end === -1 ? undefined : readHeader(readLine(bytes.subarray(0, end)));
}

/** Lines are parsed as pieces of the file come in, so that a long log does not hold up everybody else. */
async function readContents(handle: FileHandle, taskId: string, size: number): Promise<LogReading> {
  const header = await peekHeader(handle);
  // A file system that does not tell cases apart finds `Task` where `task` was asked for.
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
