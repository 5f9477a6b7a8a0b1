/**
 * @fileoverview Reads task logs and detects incomplete lines. Files are not modified.
 * @module agent/storage/read-log
 */
import type { FileHandle } from "node:fs/promises";
import type { Sequence } from "./list/sequence.js";
import { logPath, readTaskFile } from "./log-file.js";
import { MAX_HEADER_BYTES, NEWLINE, readHeader, readLine } from "./log-lines.js";
import { StorageError } from "./storage-error.js";
import { readEntry, type TaskEntry, type TaskHeader, type TaskStatus } from "./task-entry.js";

/** Contents of a log. */
export interface LogContents {
  readonly header: TaskHeader;
  readonly entries: TaskEntry[];
  /** Length of all complete lines, in bytes. */
  readonly length: number;
  /** Number of bytes after the last complete line. Nonzero after a crash during a write. */
  readonly tornBytes: number;
  /** Number of lines that could not be parsed. They remain in the file. */
  readonly unreadable: number;
}

/** Contents of a log, or the reason the task cannot be read from it. */
export type LogReading = LogContents | "missing" | "foreign";

/** Options for `readLog`. */
export interface LogReadingOptions {
  readonly folder: string;
  /** Maximum size of a log in bytes. Larger logs are rejected. */
  readonly maxBytes: number;
  /** Reads large logs one at a time. In parallel, they would all be in memory with their bytes and their entries. */
  readonly largeReads: Sequence;
}

/**
 * Reads a task's log. The caller must validate the task ID.
 *
 * @throws {StorageError} if the log is larger than `maxBytes`
 */
export async function readLog(options: LogReadingOptions, taskId: string): Promise<LogReading> {
  const { folder, maxBytes, largeReads } = options;
  const reading = await readTaskFile(logPath(folder, taskId), async (handle) => {
    const { size } = await handle.stat();
    const read = () => readContents(handle, taskId, size);
    if (size <= maxBytes) return size > LARGE ? largeReads.run(read) : read();
    throw new StorageError(
      `This task is too large to open: ${size} bytes (limit: ${maxBytes}). Start a new task.`,
    );
  });
  return reading ?? "missing";
}

/** Reads the header of an open log without reading the entries. */
export async function peekHeader(handle: FileHandle): Promise<TaskHeader | undefined> {
  const bytes = new Uint8Array(MAX_HEADER_BYTES);
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
  const end = bytes.subarray(0, bytesRead).indexOf(NEWLINE);
  return end === -1 ? undefined : readHeader(readLine(bytes.subarray(0, end)));
}

/** Reads the latest status in a log from its last 64 KiB. Returns `undefined` if there is none, or no such log. */
export async function peekStatus(folder: string, taskId: string): Promise<TaskStatus | undefined> {
  return readTaskFile(logPath(folder, taskId), async (handle) => {
    const { size } = await handle.stat();
    const bytes = new Uint8Array(Math.min(TAIL, size));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, size - bytes.length);
    let end = bytes.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    while (end > 0) {
      const start = bytes.subarray(0, end).lastIndexOf(NEWLINE) + 1;
      const status = readEntry(readLine(bytes.subarray(start, end)))?.status;
      if (status !== undefined) return status;
      end = start - 1;
    }
    return undefined;
  });
}

/** Reads and parses a log in chunks, so that a long log does not block the event loop. */
async function readContents(handle: FileHandle, taskId: string, size: number): Promise<LogReading> {
  const header = await peekHeader(handle);
  // On a case-insensitive file system, opening `task` can find the log of `Task`.
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
/** Size of a log that is read alone, in bytes. */
const LARGE = 1_048_576;
const TAIL = 64 * 1024;
