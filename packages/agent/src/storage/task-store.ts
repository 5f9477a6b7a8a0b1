/**
 * @fileoverview Tasks in a storage folder: a list of all tasks, and one shared log for each open task.
 * @module agent/storage/task-store
 */
import { parseOptions } from "@tenon/internal/options/define-options";
import { showValue } from "@tenon/internal/kind-of";
import { makeTask, taskExists } from "./disk/make-task.js";
import { type Scan, scanTasks } from "./disk/scan-tasks.js";
import { writeTitle } from "./disk/task-meta.js";
import { Sequence } from "./list/sequence.js";
import { type TaskPage, TaskSearcher, toWords } from "./list/search-tasks.js";
import { TaskList, type TaskSummary, type TaskVisibility, toCursor } from "./list/task-list.js";
import { logPath } from "./log-file.js";
import { cutTitle, toEntryLine, toHeaderLine } from "./log-lines.js";
import { OpenLogs } from "./open-logs.js";
import type { LogContents } from "./read-log.js";
import { orStorageError, StorageError, toStorageError } from "./storage-error.js";
import {
  STORE_OPTIONS,
  type TaskPageRequest,
  type TaskStoreOptions,
  type TaskStoreSettings,
} from "./store-options.js";
import { ResultFiles } from "./stored-results.js";
import type { TaskEntry, TaskHeader } from "./task-entry.js";
import { isTaskId, isUserId, TASK_ID_RULE } from "./task-id.js";
import { TaskLocks } from "./task-locks.js";
import { TaskLog } from "./task-log.js";
import { readForSearch, type ReadingOptions, readTask, readTaskHeader } from "./task-reader.js";
import { TaskRemover } from "./task-remover.js";

/** Tasks in a storage folder. The folder is scanned on first use and created for the first task. */
export class TaskStore {
  /** Large tool results of the tasks. */
  readonly results: ResultFiles;
  readonly #options: TaskStoreSettings;
  readonly #tasks = new TaskList();
  readonly #logs = new OpenLogs();
  readonly #locks = new TaskLocks();
  readonly #reading: ReadingOptions;
  readonly #remover: TaskRemover;
  readonly #searcher: TaskSearcher;
  #scan: Promise<void> | undefined;
  #isScanned = false;

  constructor(options: TaskStoreOptions) {
    this.#options = parseOptions(STORE_OPTIONS, options);
    const { folder, maxTaskBytes, maxResultBytes } = this.#options;
    const warn = (text: string) => this.#warn(text);
    const logs = this.#logs;
    this.results = new ResultFiles({ folder, maxBytes: maxResultBytes, logOf: (taskId) => logs.get(taskId) });
    this.#reading = { folder, maxBytes: maxTaskBytes + MEBIBYTE, largeReads: new Sequence(), warn };
    this.#remover = new TaskRemover({
      options: this.#options,
      tasks: this.#tasks,
      logs,
      locks: this.#locks,
      warn,
    });
    this.#searcher = new TaskSearcher({
      find: (taskId) => this.#tasks.get(taskId),
      read: async (taskId) => (await logs.get(taskId)) ?? readForSearch(this.#reading, taskId),
    });
  }

  /**
   * Lists recently changed tasks, newest first, without subtasks.
   *
   * @throws {StorageError} if the scan fails
   */
  async list(limit: number, isVisible?: TaskVisibility): Promise<readonly TaskSummary[]> {
    return (await this.page({ limit, isVisible })).tasks;
  }

  /**
   * Lists a page of tasks, newest first, without subtasks. A task that changes between two pages moves to the start of
   * the list. All other tasks appear exactly once.
   *
   * @throws {StorageError} if the cursor is invalid, the scan fails, or too many searches are waiting
   */
  async page({ limit, search = "", requestedBy, ...filter }: TaskPageRequest): Promise<TaskPage> {
    await this.#whenScanned();
    const all = this.#tasks.newest(filter);
    const words = toWords(search);
    if (words.length > 0) {
      return this.#searcher.search(all, { words, limit, requestedBy: requestedBy ?? filter.owner });
    }
    const tasks = all.slice(0, limit);
    const last = tasks.at(-1);
    return last === undefined || tasks.length === all.length
      ? { tasks }
      : { tasks, nextCursor: toCursor(last) };
  }

  /** Resolves to true if a task exists. @throws {StorageError} if the folder cannot be read */
  async has(taskId: string): Promise<boolean> {
    return (await this.headerOf(taskId)) !== undefined;
  }

  /**
   * Reads a task's current title, its owner, and its parent without opening it. Returns `undefined` if the task does not
   * exist.
   *
   * @throws {StorageError} if the folder cannot be read
   */
  async headerOf(taskId: string): Promise<TaskHeader | undefined> {
    if (!isTaskId(taskId)) return undefined;
    while (!this.#isIdle(taskId)) await this.#settle(taskId);
    return this.#readHeader(taskId);
  }

  /** Lists the IDs of a task's subtasks, their subtasks, and so on. @throws {StorageError} if the scan fails */
  async subtasksOf(taskId: string): Promise<readonly string[]> {
    await this.#whenScanned();
    return this.#tasks.descendantsOf(taskId);
  }

  /**
   * Opens a task's log. Returns `undefined` if the task does not exist. Concurrent users of a task share one log. Each
   * `open` or `create` must be matched by one `release`.
   *
   * @throws {StorageError} if the log cannot be read
   */
  async open(taskId: string): Promise<TaskLog | undefined> {
    if (!isTaskId(taskId)) return undefined;
    // No `await` may follow before the log is added: a deletion that starts in between would not see the log.
    while (!this.#isIdle(taskId)) await this.#settle(taskId);
    if (this.#remover.isUnfinished(taskId)) return undefined;
    const opened = this.#logs.open(taskId, async () => {
      const contents = await readTask(this.#reading, taskId);
      return contents && this.#toLog(contents);
    });
    return orStorageError(NOT_READ, opened);
  }

  /**
   * Creates a task, optionally with its first entry. A long title is truncated. A subtask has the owner of its parent.
   *
   * @throws {StorageError} if an ID is invalid or in use, the parent does not exist or has another owner, the task limit
   *   is reached, or the disk is not writable
   */
  async create(header: TaskHeader, first?: TaskEntry): Promise<TaskLog> {
    const { taskId, parentTaskId, owner } = header;
    const invalid = [taskId, parentTaskId ?? taskId].find((id) => !isTaskId(id));
    if (invalid !== undefined) {
      throw new StorageError(`A task ID must be ${TASK_ID_RULE}; got ${showValue(invalid)}.`);
    }
    if (!(owner === undefined || isUserId(owner))) throw new StorageError("The owner's user ID is invalid.");
    try {
      if (parentTaskId === undefined) {
        return await this.#locks.run([taskId], () => this.#make(header, first));
      }
      while (!this.#isIdle(parentTaskId)) await this.#settle(parentTaskId);
      // A subtask never waits for its own ID, because it would block its parent meanwhile.
      if (this.#locks.isHeld(taskId)) throw taskExists(taskId);
      return await this.#locks.run([taskId, parentTaskId], () => this.#make(header, first));
    } catch (cause) {
      throw toStorageError("Could not save the task", cause, this.#options.folder);
    }
  }

  /**
   * Changes a task's title. A long title is truncated. Resolves to false if the task does not exist.
   *
   * @throws {StorageError} if the title is empty or cannot be stored
   */
  async rename(taskId: string, title: string): Promise<boolean> {
    const kept = cutTitle(title).trim();
    if (kept === "") throw new StorageError("A title must not be empty.");
    if (!isTaskId(taskId)) return false;
    // The lock is taken in call order: a later creation must not receive this title.
    if (!this.#isScanned) await this.#whenScanned();
    const renamed = this.#locks.run([taskId], async () => {
      if ((await this.#readHeader(taskId)) === undefined) return false;
      await writeTitle(this.#options.folder, taskId, kept);
      this.#tasks.rename(taskId, kept);
      (await this.#logs.get(taskId))?.retitle(kept);
      return true;
    });
    return orStorageError("Could not rename the task", renamed);
  }

  /**
   * Deletes a task with its subtasks and files. Open logs reject further entries. Resolves to false if the task does not
   * exist. When it resolves to true, the task stays deleted, even after a crash.
   *
   * @throws {StorageError} if the task cannot be deleted
   */
  async delete(taskId: string): Promise<boolean> {
    if (!isTaskId(taskId)) return false;
    if (!this.#isScanned) await this.#whenScanned();
    return this.#remover.delete(taskId, async () => (await this.#readHeader(taskId)) !== undefined);
  }

  /** Ends one use of a log. The last release closes the file and removes the log from memory. */
  release(log: TaskLog): Promise<void> {
    return this.#logs.release(log);
  }

  /** Waits for pending writes and closes all log files. */
  close(): Promise<void> {
    return this.#logs.close();
  }

  async #readHeader(taskId: string): Promise<TaskHeader | undefined> {
    if (this.#remover.isUnfinished(taskId)) return undefined;
    const log = await this.#logs.get(taskId);
    if (log === undefined) return orStorageError(NOT_READ, readTaskHeader(this.#options.folder, taskId));
    return { taskId, title: log.title, parentTaskId: log.parentTaskId, owner: log.owner };
  }

  async #make(header: TaskHeader, first: TaskEntry | undefined): Promise<TaskLog> {
    const { taskId } = header;
    await this.#whenScanned();
    if (this.#remover.isUnfinished(taskId)) throw taskExists(taskId);
    // A concurrent `open` may be reading the task from disk.
    const found = await this.#logs.get(taskId);
    if (found !== undefined || this.#tasks.get(taskId) !== undefined) throw taskExists(taskId);
    const { bytes, header: kept } = toHeaderLine(this.#inherit(header), this.#options.now());
    const line = first && toEntryLine(first);
    const length = bytes.length + (line?.bytes.length ?? 0);
    if (length > this.#options.maxTaskBytes) {
      throw new StorageError(
        `The message is too large (limit: ${this.#options.maxTaskBytes} bytes). Send a shorter one.`,
      );
    }
    return this.#remover.admit(async () => {
      await makeTask(this.#options.folder, taskId, line === undefined ? [bytes] : [bytes, line.bytes]);
      const entries = line === undefined ? [] : [line.entry];
      const log = this.#toLog({ header: kept, entries, length, tornBytes: 0, unreadable: 0 });
      this.#logs.add(log);
      this.#tasks.touch(log, this.#options.now());
      return log;
    });
  }

  /** Gives a subtask the owner of its parent. @throws {StorageError} if the parent is missing or has another owner */
  #inherit(header: TaskHeader): TaskHeader {
    if (header.parentTaskId === undefined) return header;
    const parent = this.#tasks.get(header.parentTaskId);
    if (parent === undefined) throw new StorageError("The parent task does not exist.");
    const { owner = parent.owner } = header;
    if (owner !== parent.owner) throw new StorageError("A subtask must have the owner of its parent task.");
    return { ...header, owner };
  }

  /** Returns true if the folder is scanned, and the task is not being created, renamed, or removed. */
  #isIdle(taskId: string): boolean {
    return this.#isScanned && !this.#locks.isHeld(taskId);
  }

  async #settle(taskId: string): Promise<void> {
    await this.#whenScanned();
    await this.#locks.settle(taskId);
  }

  #toLog(contents: LogContents): TaskLog {
    const { taskId } = contents.header;
    const log = new TaskLog(contents, {
      path: logPath(this.#options.folder, taskId),
      maxBytes: this.#options.maxTaskBytes,
      onAppend: () => {
        // The log of a removed task must not add the task to the list again.
        if (!log.isBroken) this.#tasks.touch(log, this.#options.now());
      },
    });
    return log;
  }

  /** Scans the folder once. If the scan fails, the next call repeats it. */
  #whenScanned(): Promise<void> {
    this.#scan ??= scanTasks(this.#options.folder).then(
      (scan) => this.#learn(scan),
      (cause: unknown) => {
        this.#scan = undefined;
        throw toStorageError("Could not list the tasks", cause);
      },
    );
    return this.#scan;
  }

  #learn({ tasks, failed, unfinished }: Scan): void {
    if (failed > 0)
      this.#warn(`could not read or list ${failed} task ${failed === 1 ? "folder" : "folders"}.`);
    this.#remover.learn(unfinished);
    this.#tasks.learn(tasks);
    this.#isScanned = true;
  }

  #warn(text: string): void {
    try {
      this.#options.logger?.warn(`agent: storage: ${text}`);
    } catch {
      // A logger that throws must not affect the task.
    }
  }
}

const MEBIBYTE = 1024 * 1024;
const NOT_READ = "Could not read the task";
