/**
 * @fileoverview One task's log: all that was said so far, and appends that are on the disk when they resolve.
 * @module agent/storage/task-log
 */
import { type LogFile, type OpenLogFile, openLogFile } from "./log-file.js";
import { type EntryLine, toEntryLine } from "./log-lines.js";
import type { LogContents } from "./read-log.js";
import { StorageError, toStorageError } from "./storage-error.js";
import type { TaskEntry } from "./task-entry.js";

/** Where a log lies, and how large it may get. */
export interface TaskLogOptions {
  readonly path: string;
  readonly maxBytes: number;
  /** Hears of every group of entries that was written. */
  readonly onAppend?: (() => void) | undefined;
  readonly openFile?: OpenLogFile | undefined;
}

/** The log of a task. Its file is opened by the first append, so a log that is only read holds none open. */
export class TaskLog {
  readonly taskId: string;
  readonly title: string;
  readonly parentTaskId: string | undefined;
  readonly #options: TaskLogOptions;
  readonly #entries: TaskEntry[];
  /** Whole lines, all of them safe. */
  #length: number;
  /** What the file is expected to have: more than `#length` where a crash left something. */
  #sizeOnDisk: number;
  /** Of the lines that wait or are being written. */
  #bytesUnderWay = 0;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #file: LogFile | undefined;
  #refusal: StorageError | undefined;

  constructor({ header, entries, length, tornBytes }: LogContents, options: TaskLogOptions) {
    this.taskId = header.taskId;
    this.title = header.title;
    this.parentTaskId = header.parentTaskId;
    this.#options = options;
    this.#entries = entries;
    this.#length = length;
    this.#sizeOnDisk = length + tornBytes;
  }

  /** Everything that is safe, in order. The list grows with every append. */
  get entries(): readonly TaskEntry[] {
    return this.#entries;
  }

  /** Whether it takes nothing any more until it is opened anew. */
  get isBroken(): boolean {
    return this.#refusal !== undefined;
  }

  /** The size of what is safe. */
  get bytes(): number {
    return this.#length;
  }

  /**
   * Adds an entry, as it is now. Resolves when it is on the disk; entries are written in the order of the calls, and all
   * that wait go out together. Rejects with a `StorageError` when it was not kept.
   */
  append(entry: TaskEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = toEntryLine(entry);
      if (this.#length + this.#bytesUnderWay + line.bytes.length > this.#options.maxBytes) {
        throw new StorageError("This task is full; begin a new one");
      }
      this.#bytesUnderWay += line.bytes.length;
      this.#waiting.push({ ...line, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Waits for what is under way and closes the file. A later append opens it again. */
  async close(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    const file = this.#file;
    this.#file = undefined;
    // All that was acknowledged is on the disk, whatever closing says.
    await file?.close().catch(() => undefined);
  }

  async #writeAll(): Promise<void> {
    // Appends of the same turn go out together.
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

  /** Writes whole lines at the end, or gives what went wrong; then the file is as it was before. */
  async #write(bytes: Uint8Array): Promise<StorageError | undefined> {
    let file: LogFile;
    try {
      file = await this.#fileToWrite();
    } catch (cause) {
      return toStorageError(NOT_SAVED, cause);
    }
    try {
      await file.write(bytes, this.#length);
      await file.sync();
      this.#sizeOnDisk += bytes.length;
      return undefined;
    } catch (cause) {
      const failure = toStorageError(NOT_SAVED, cause);
      // While half a line may be there, nothing must come after it.
      await this.#cut(file).catch(() => (this.#refusal = failure));
      return failure;
    }
  }

  /** The file, without anything behind its last whole line. @throws */
  async #fileToWrite(): Promise<LogFile> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const file = (this.#file ??= await (this.#options.openFile ?? openLogFile)(this.#options.path));
    if ((await file.size()) !== this.#sizeOnDisk) {
      throw (this.#refusal = new StorageError("This task was changed by another program; load it again"));
    }
    if (this.#sizeOnDisk > this.#length) await this.#cut(file);
    return file;
  }

  /** Synced before anything else is written, so that a loss of power does not bring it back. */
  async #cut(file: LogFile): Promise<void> {
    await file.truncate(this.#length);
    this.#sizeOnDisk = this.#length;
    await file.sync();
  }
}

/** An entry on its way, and who waits for it. */
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

const NOT_SAVED = "This message could not be saved";
