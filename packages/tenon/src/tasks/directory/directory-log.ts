/**
 * @fileoverview Log of task records in a directory. Each line of the log is a new state of one task; see `log-line.ts`.
 * A line that was written only in part, because the process stopped, is removed when the log is opened.
 * @module tasks/directory/directory-log
 */
import { Buffer } from "node:buffer";
import { type FileHandle, mkdir, open, rename, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { type DirectoryLock, type DirectoryLockOptions, lockDirectory } from "./directory-lock.js";
import { LineEncoder, LOG_HEADER } from "./log-line.js";
import { readLog } from "./read-log.js";
import type { LoggedTask, TaskLog } from "./task-log.js";

/** Line that waits to be written. */
interface PendingLine {
  readonly task: LoggedTask;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Options for a log in a directory. */
export interface DirectoryLogOptions {
  /** Flushes lines to the disk before they count as stored. */
  readonly sync: boolean;
  /**
   * Size in bytes from which the file is compacted, so that small logs are not rewritten often.
   * @default 4194304
   */
  readonly minCompaction?: number;
  /** Options for the lock, for tests. */
  readonly lock?: Omit<DirectoryLockOptions, "onLost">;
}

/** Log in a directory. Lines that arrive while one is being written are written together. */
export class DirectoryTaskLog implements TaskLog {
  readonly #directory: string;
  readonly #sync: boolean;
  readonly #minCompaction: number;
  readonly #encoder = new LineEncoder();
  readonly #lockOptions: DirectoryLockOptions;
  #lock: DirectoryLock | undefined;
  #file: FileHandle | undefined;
  #pending: PendingLine[] = [];
  #flushing: Promise<void> | undefined;
  #report: (error: unknown) => void = () => undefined;
  /** Size of the complete lines in bytes. */
  #size = 0;
  #compactedSize = 0;
  /** True if the last write failed and may have left a part of a line behind. */
  #isTorn = false;

  constructor(directory: string, { sync, minCompaction = 4 * 1_048_576, lock = {} }: DirectoryLogOptions) {
    this.#directory = directory;
    this.#sync = sync;
    this.#minCompaction = minCompaction;
    this.#lockOptions = { ...lock, onLost: (error) => this.#report(error) };
  }

  async load(report: (error: unknown) => void): Promise<readonly LoggedTask[]> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    this.#report = report;
    this.#lock = await lockDirectory(this.#directory, this.#lockOptions);
    try {
      return await this.#openFile();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #openFile(): Promise<readonly LoggedTask[]> {
    const path = this.#path();
    const { tasks, size, fileSize } = await readLog(path, this.#report);
    if (size < fileSize) await truncate(path, size);
    this.#file = await open(path, "a", 0o600);
    this.#encoder.reset();
    this.#size = size;
    this.#isTorn = false;
    if (size === 0) await this.#write(LOG_HEADER);
    if (this.#sync && fileSize === 0) await syncDirectory(this.#directory);
    return tasks;
  }

  append(task: LoggedTask, live: () => Iterable<LoggedTask>): Promise<void> {
    return new Promise((done, failed) => {
      this.#pending.push({ task, done, failed });
      this.#flushing ??= this.#flush(live);
    });
  }

  async close(): Promise<void> {
    await this.#flushing;
    await this.#file?.close();
    this.#file = undefined;
    await this.#lock?.release();
  }

  /** Writes pending lines until none are left. */
  async #flush(live: () => Iterable<LoggedTask>): Promise<void> {
    // Lines of the same turn of the event loop are written together.
    await Promise.resolve();
    while (this.#pending.length > 0) {
      const batch = this.#pending;
      this.#pending = [];
      try {
        await this.#write(batch.map(({ task }) => this.#encoder.encode(task)).join(""));
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
        continue;
      }
      if (this.#size > Math.max(this.#minCompaction, 2 * this.#compactedSize)) await this.#compact(live());
    }
    this.#flushing = undefined;
  }

  async #write(text: string): Promise<void> {
    const file = this.#file;
    try {
      if (file === undefined) throw new Error(`The task directory "${this.#directory}" is closed.`);
      await this.#lock?.confirm();
      if (this.#isTorn) await file.truncate(this.#size);
      this.#isTorn = true;
      await file.appendFile(text);
      if (this.#sync) await file.datasync();
      this.#isTorn = false;
    } catch (error) {
      // Later lines must not refer to these.
      this.#encoder.reset();
      throw error;
    }
    this.#size += Buffer.byteLength(text);
  }

  /** Replaces the file with one that has a single complete line for each task. Keeps the old file if that fails. */
  async #compact(live: Iterable<LoggedTask>): Promise<void> {
    const fresh = `${this.#path()}.new`;
    this.#encoder.reset();
    let file: FileHandle | undefined;
    try {
      await rm(fresh, { force: true });
      file = await open(fresh, "a", 0o600);
      const size = await this.#writeAll(file, live);
      if (this.#sync) await file.datasync();
      await this.#lock?.confirm();
      await rename(fresh, this.#path());
      const old = this.#file;
      this.#file = file;
      this.#size = size;
      await old?.close();
      if (this.#sync) await syncDirectory(this.#directory);
    } catch (error) {
      this.#encoder.reset();
      if (file !== this.#file) await file?.close().catch(() => undefined);
      this.#report(error);
    }
    // Also after a failure, so that the next attempt is not made at once.
    this.#compactedSize = this.#size;
  }

  /** Writes the header and a line for each task. Returns the number of bytes. */
  async #writeAll(file: FileHandle, live: Iterable<LoggedTask>): Promise<number> {
    await file.appendFile(LOG_HEADER);
    let size = LOG_HEADER.length;
    for (const task of live) {
      const line = this.#encoder.encode(task);
      await file.appendFile(line);
      size += Buffer.byteLength(line);
    }
    return size;
  }

  #path(): string {
    return join(this.#directory, "tasks.log");
  }
}

/** Makes a new or renamed file durable. Has no effect on systems that cannot open directories. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r").catch(() => undefined);
  try {
    await handle?.sync();
  } catch {
    // The system does not support it.
  } finally {
    await handle?.close();
  }
}
