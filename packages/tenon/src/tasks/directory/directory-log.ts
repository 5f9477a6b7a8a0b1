/**
 * @fileoverview Log of task records in a directory. Each line of the log is the newest state of one task. A line that
 * was written only in part, because the process stopped, is removed when the log is opened.
 * @module tasks/directory/directory-log
 */
import { Buffer } from "node:buffer";
import { type FileHandle, mkdir, open, rename, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { TaskRequest } from "../state/record.js";
import { lockDirectory } from "./directory-lock.js";
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
}

/** Log in a directory. Lines that arrive while one is being written are written together. */
export class DirectoryTaskLog implements TaskLog {
  readonly #directory: string;
  readonly #sync: boolean;
  readonly #minCompaction: number;
  /** Requests that the file contains already. Later lines of the same task omit them. */
  readonly #written = new Map<string, TaskRequest>();
  #unlock: (() => Promise<void>) | undefined;
  #file: FileHandle | undefined;
  #pending: PendingLine[] = [];
  #flushing: Promise<void> | undefined;
  #report: (error: unknown) => void = () => undefined;
  /** Size of the complete lines in bytes. */
  #size = 0;
  #compactedSize = 0;
  /** True if the last write failed and may have left a part of a line behind. */
  #isTorn = false;

  constructor(directory: string, { sync, minCompaction = 4 * 1_048_576 }: DirectoryLogOptions) {
    this.#directory = directory;
    this.#sync = sync;
    this.#minCompaction = minCompaction;
  }

  async load(report: (error: unknown) => void): Promise<readonly LoggedTask[]> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    this.#unlock = await lockDirectory(this.#directory);
    this.#report = report;
    try {
      const path = this.#path();
      const { tasks, size, fileSize } = await readLog(path, report);
      if (size < fileSize) await truncate(path, size);
      this.#file = await open(path, "a", 0o600);
      if (this.#sync && fileSize === 0) await syncDirectory(this.#directory);
      this.#size = size;
      return tasks;
    } catch (error) {
      await this.#unlock();
      throw error;
    }
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
    await this.#unlock?.();
  }

  /** Writes pending lines until none are left. */
  async #flush(live: () => Iterable<LoggedTask>): Promise<void> {
    // Lines of the same turn of the event loop are written together.
    await Promise.resolve();
    while (this.#pending.length > 0) {
      const batch = this.#pending;
      this.#pending = [];
      try {
        await this.#write(batch.map(({ task }) => this.#toLine(task)).join(""));
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
      if (this.#isTorn) await file.truncate(this.#size);
      this.#isTorn = true;
      await file.appendFile(text);
      if (this.#sync) await file.datasync();
      this.#isTorn = false;
    } catch (error) {
      // The lines may have contained requests.
      this.#written.clear();
      throw error;
    }
    this.#size += Buffer.byteLength(text);
  }

  /** Replaces the file with one that has a single line for each task. Keeps the old file if that fails. */
  async #compact(live: Iterable<LoggedTask>): Promise<void> {
    const fresh = `${this.#path()}.new`;
    this.#written.clear();
    let file: FileHandle | undefined;
    try {
      await rm(fresh, { force: true });
      file = await open(fresh, "a", 0o600);
      const size = await this.#writeAll(file, live);
      if (this.#sync) await file.datasync();
      await rename(fresh, this.#path());
      const old = this.#file;
      this.#file = file;
      this.#size = size;
      await old?.close();
      if (this.#sync) await syncDirectory(this.#directory);
    } catch (error) {
      this.#written.clear();
      if (file !== this.#file) await file?.close().catch(() => undefined);
      this.#report(error);
    }
    // Also after a failure, so that the next attempt is not made at once.
    this.#compactedSize = this.#size;
  }

  /** Writes a line for each task. Returns the number of bytes. */
  async #writeAll(file: FileHandle, live: Iterable<LoggedTask>): Promise<number> {
    let size = 0;
    for (const task of live) {
      const line = this.#toLine(task);
      await file.appendFile(line);
      size += Buffer.byteLength(line);
    }
    return size;
  }

  #toLine({ record, version }: LoggedTask): string {
    const { taskId, request } = record;
    const isKnown = this.#written.get(taskId) === request;
    if (record.result === null && record.error === null) this.#written.set(taskId, request);
    else this.#written.delete(taskId);
    return `${JSON.stringify({ version, record: isKnown ? { ...record, request: undefined } : record })}\n`;
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
