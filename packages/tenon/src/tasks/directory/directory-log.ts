/**
 * @fileoverview Log of task records in a directory. Each line of the log is a new state of one task; see `log-line.ts`.
 * Lines are encrypted, because whoever can add one could act as any caller. A line that was written only in part, because the process stopped, is removed when the log is opened.
 * @module tenon/tasks/directory/directory-log
 */
import { Buffer } from "node:buffer";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { toFileError } from "@tenon/internal/files/file-error";
import { makeFolder } from "@tenon/internal/files/make-folder";
import { systemPorts } from "@tenon/internal/ports";
import { KeyRing } from "../../core/call/key-ring.js";
import { createRecordSealer } from "../../core/call/record-sealer.js";
import type { RecordSealer } from "../../core/wire/cluster-link.js";
import { keepDirectoryKey, readDirectoryKey } from "./directory-key.js";
import { type DirectoryLock, type DirectoryLockOptions, lockDirectory } from "./directory-lock.js";
import { LineEncoder, LOG_HEADER, sealLine } from "./log-line.js";
import { assertPrivateDirectory, O_APPEND, O_CREAT, O_EXCL, O_RDWR, openPrivate } from "./private-files.js";
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
   * Encrypts the lines with the keys of the server.
   * @default a secret in the directory
   */
  readonly sealer?: RecordSealer | undefined;
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
  readonly #ownSealer: RecordSealer | undefined;
  #sealer: RecordSealer | undefined;
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

  constructor(directory: string, options: DirectoryLogOptions) {
    const { sync, sealer, minCompaction = 4 * 1_048_576, lock = {} } = options;
    this.#directory = directory;
    this.#ownSealer = sealer;
    this.#sync = sync;
    this.#minCompaction = minCompaction;
    this.#lockOptions = { ...lock, onLost: (error) => this.#report(error) };
  }

  async load(report: (error: unknown) => void): Promise<readonly LoggedTask[]> {
    try {
      return await this.#open(report);
    } catch (error) {
      throw toFileError("open the task directory", this.#directory, error);
    }
  }

  async #open(report: (error: unknown) => void): Promise<readonly LoggedTask[]> {
    await makeFolder(this.#directory, 0o700);
    await assertPrivateDirectory(this.#directory);
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
    const { sealer, isNew } = await this.#openKeys();
    this.#sealer = sealer;
    const file = await openPrivate(path, O_RDWR | O_APPEND | O_CREAT);
    this.#file = file;
    const source = { path, file, sealer, acceptsPlain: isNew };
    const { tasks, isPlain, isComplete, size, fileSize } = await readLog(source, this.#report);
    if (size < fileSize) await file.truncate(size);
    this.#encoder.reset();
    this.#size = size;
    this.#isTorn = false;
    if (size === 0) await this.#append(LOG_HEADER);
    else if (isPlain) await this.#rewrite(tasks);
    // Writes all lines with the newest of the server's keys, so that older keys can be removed.
    else if (this.#ownSealer !== undefined && isComplete) await this.#compact(tasks);
    if (isNew) await keepDirectoryKey(this.#directory);
    if (this.#sync && (fileSize === 0 || isNew)) await syncDirectory(this.#directory);
    if (isPlain) this.#report(new Error(`The task log "${path}" was not encrypted. ${CONVERTED}`));
    return tasks;
  }

  /**
   * Returns the keys of the server, or the secret in the directory. `isNew` is true until a log is encrypted with that
   * secret. Whoever can write to the directory can also delete it, so it proves nothing to a server with own keys.
   */
  async #openKeys(): Promise<{ readonly sealer: RecordSealer; readonly isNew: boolean }> {
    if (this.#ownSealer !== undefined) return { sealer: this.#ownSealer, isNew: false };
    const { secret, isUsed } = await readDirectoryKey(this.#directory);
    return { sealer: createRecordSealer(new KeyRing(systemPorts, [secret])), isNew: !isUsed };
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
        await this.#write(batch.map(({ task }) => task));
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
        continue;
      }
      if (this.#size > Math.max(this.#minCompaction, 2 * this.#compactedSize)) await this.#compact(live());
    }
    this.#flushing = undefined;
  }

  async #write(tasks: readonly LoggedTask[]): Promise<void> {
    try {
      const lines = await Promise.all(tasks.map((task) => this.#seal(task)));
      await this.#append(lines.join(""));
    } catch (error) {
      // Later lines must not refer to these.
      this.#encoder.reset();
      throw toFileError("write to the task directory", this.#directory, error);
    }
  }

  #seal(task: LoggedTask): Promise<string> {
    if (this.#sealer === undefined) throw new Error(`The task directory "${this.#directory}" is not open.`);
    return sealLine(this.#sealer, this.#encoder.encode(task));
  }

  async #append(text: string): Promise<void> {
    const file = this.#file;
    if (file === undefined) throw new Error(`The task directory "${this.#directory}" is closed.`);
    await this.#lock?.confirm();
    if (this.#isTorn) await file.truncate(this.#size);
    this.#isTorn = true;
    await file.appendFile(text);
    if (this.#sync) await file.datasync();
    this.#isTorn = false;
    this.#size += Buffer.byteLength(text);
  }

  /** Rewrites the file, and keeps the old one if that fails. */
  async #compact(live: Iterable<LoggedTask>): Promise<void> {
    try {
      await this.#rewrite(live);
    } catch (error) {
      this.#report(toFileError("compact the log in the task directory", this.#directory, error));
    }
    // Also after a failure, so that the next attempt is not made at once.
    this.#compactedSize = this.#size;
  }

  /** Replaces the file with one that has a single complete line for each task. */
  async #rewrite(live: Iterable<LoggedTask>): Promise<void> {
    const fresh = `${this.#path()}.new`;
    this.#encoder.reset();
    let file: FileHandle | undefined;
    try {
      await rm(fresh, { force: true });
      file = await openPrivate(fresh, O_RDWR | O_APPEND | O_CREAT | O_EXCL);
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
      throw error;
    }
  }

  /** Writes the header and a line for each task. Returns the number of bytes. */
  async #writeAll(file: FileHandle, live: Iterable<LoggedTask>): Promise<number> {
    await file.appendFile(LOG_HEADER);
    let size = LOG_HEADER.length;
    for (const task of live) {
      const line = await this.#seal(task);
      await file.appendFile(line);
      size += Buffer.byteLength(line);
    }
    return size;
  }

  #path(): string {
    return join(this.#directory, "tasks.log");
  }
}

const CONVERTED =
  "It is from an earlier version of Tenon, and has been encrypted now. Its content was trusted, because only the user of " +
  "this process can write to the directory.";

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
