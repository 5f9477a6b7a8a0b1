/**
 * @fileoverview Append-only log of one task. An append resolves when its entry is on disk.
 * @module agent/storage/task-log
 */
import { type LogFile, type OpenLogFile, openLogFile } from "./log-file.js";
import { type EntryLine, toEntryLine } from "./log-lines.js";
import type { LogContents } from "./read-log.js";
import { StorageError, toStorageError } from "./storage-error.js";
import type { TaskEntry, TaskStatus } from "./task-entry.js";

/** Options for `TaskLog`. */
export interface TaskLogOptions {
  readonly path: string;
  /** Maximum size of the log in bytes. Larger appends are rejected. */
  readonly maxBytes: number;
  /** Called each time queued entries have been written. */
  readonly onAppend?: (() => void) | undefined;
  readonly openFile?: OpenLogFile | undefined;
}

/** Log of a task. The file is opened for the first append, so a log that is only read keeps no file open. */
export class TaskLog {
  readonly taskId: string;
  /** ID of the parent task, for a subtask. */
  readonly parentTaskId: string | undefined;
  /** ID of the user who owns the task. */
  readonly owner: string | undefined;
  #title: string;
  readonly #options: TaskLogOptions;
  readonly #entries: TaskEntry[];
  /** Length of the complete lines on disk, in bytes. */
  #length: number;
  /** Expected file size. Larger than `#length` if a crash left an incomplete line. */
  #sizeOnDisk: number;
  /** Length of the lines that are queued or being written, in bytes. */
  #bytesUnderWay = 0;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #file: LogFile | undefined;
  #refusal: StorageError | undefined;

  constructor({ header, entries, length, tornBytes }: LogContents, options: TaskLogOptions) {
    this.taskId = header.taskId;
    this.#title = header.title;
    this.parentTaskId = header.parentTaskId;
    this.owner = header.owner;
    this.#options = options;
    this.#entries = entries;
    this.#length = length;
    this.#sizeOnDisk = length + tornBytes;
  }

  /** Current title of the task. */
  get title(): string {
    return this.#title;
  }

  /** Latest status in the log. */
  get status(): TaskStatus {
    return this.#entries.findLast(({ status }) => status !== undefined)?.status ?? "idle";
  }

  /** Entries on disk, in write order. The array grows with each append. */
  get entries(): readonly TaskEntry[] {
    return this.#entries;
  }

  /** True if the log rejects further entries until it is reopened. */
  get isBroken(): boolean {
    return this.#refusal !== undefined;
  }

  /** Length of the log on disk, in bytes. */
  get bytes(): number {
    return this.#length;
  }

  /**
   * Appends a snapshot of an entry. Resolves when the entry is on disk. Entries are written in call order, and queued
   * entries are written together. Rejects with a `StorageError` if the entry could not be stored.
   */
  append(entry: TaskEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = toEntryLine(entry);
      if (this.#length + this.#bytesUnderWay + line.bytes.length > this.#options.maxBytes) {
        throw new StorageError(
          `The task is too large (limit: ${this.#options.maxBytes} bytes). Start a new task.`,
        );
      }
      this.#bytesUnderWay += line.bytes.length;
      this.#waiting.push({ ...line, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Changes the title in memory. The caller stores it. */
  retitle(title: string): void {
    this.#title = title;
  }

  /** Rejects all further entries with this reason. Resolves when the current write has ended and the file is closed. */
  async end(reason: StorageError): Promise<void> {
    this.#refusal ??= reason;
    await this.close();
  }

  /** Waits for pending writes and closes the file. A later append reopens it. */
  async close(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    const file = this.#file;
    this.#file = undefined;
    // Acknowledged entries are already on disk, so an error here loses nothing.
    await file?.close().catch(() => undefined);
  }

  async #writeAll(): Promise<void> {
    // Wait for a microtask, so that appends from the same event loop turn are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      const bytes = joinLines(group);
      const failure = await this.#write(bytes);
      this.#bytesUnderWay -= bytes.length;
      if (failure === undefined) {
        this.#length += bytes.length;
        for (const { entry } of group) this.#entries.push(entry);
        this.#options.onAppend?.();
        for (const { resolve } of group) resolve();
      } else {
        for (const { reject } of group) reject(failure);
      }
    }
    this.#writing = undefined;
  }

  /** Writes complete lines at the end of the file. On failure, removes them again and returns the error. */
  async #write(bytes: Uint8Array): Promise<StorageError | undefined> {
    let file: LogFile;
    try {
      file = await this.#fileToWrite();
    } catch (cause) {
      return toStorageError(NOT_SAVED, cause, this.#options.path);
    }
    try {
      await file.write(bytes, this.#length);
      await file.sync();
      this.#sizeOnDisk += bytes.length;
      return undefined;
    } catch (cause) {
      const failure = toStorageError(NOT_SAVED, cause, this.#options.path);
      // If an incomplete line cannot be removed, the log must reject further writes.
      await this.#cut(file).catch(() => (this.#refusal = failure));
      return failure;
    }
  }

  /** Opens the file if necessary and removes an incomplete last line. @throws if another program changed the file */
  async #fileToWrite(): Promise<LogFile> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const file = (this.#file ??= await (this.#options.openFile ?? openLogFile)(this.#options.path));
    if ((await file.size()) !== this.#sizeOnDisk) {
      throw (this.#refusal = new StorageError("Another program changed this task. Load the task again."));
    }
    if (this.#sizeOnDisk > this.#length) await this.#cut(file);
    return file;
  }

  /** Truncates the file to its complete lines. Syncs it, so that power loss cannot restore the removed bytes. */
  async #cut(file: LogFile): Promise<void> {
    await file.truncate(this.#length);
    this.#sizeOnDisk = this.#length;
    await file.sync();
  }
}

/** Queued entry and the callbacks for its append. */
interface Waiting extends EntryLine {
  readonly resolve: () => void;
  readonly reject: (reason: StorageError) => void;
}

function joinLines(lines: readonly EntryLine[]): Uint8Array {
  const bytes = new Uint8Array(lines.reduce((sum, line) => sum + line.bytes.length, 0));
  let at = 0;
  for (const line of lines) {
    bytes.set(line.bytes, at);
    at += line.bytes.length;
  }
  return bytes;
}

const NOT_SAVED = "Could not save this message";
