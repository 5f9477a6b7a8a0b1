/**
 * @fileoverview Tasks in a storage folder: a list of all tasks, and one shared log for each open task.
 * @module agent/storage/task-store
 */
import { systemPorts } from "@tenon/internal/ports";
import type { Logger } from "tenon";
import { showValue } from "../shared/show-value.js";
import { logPath, openForReading } from "./log-file.js";
import { toEntryLine, toHeaderLine } from "./log-lines.js";
import { makeTask, taskExists } from "./make-task.js";
import { type LogContents, peekHeader, readLog } from "./read-log.js";
import { type Scan, scanTasks } from "./scan-tasks.js";
import { StorageError, toStorageError } from "./storage-error.js";
import type { TaskEntry, TaskHeader } from "./task-entry.js";
import { isTaskId, TASK_ID_RULE } from "./task-id.js";
import { TaskLog } from "./task-log.js";

/** Options for `TaskStore`. */
export interface TaskStoreOptions {
  /** Storage folder, created for the first task with owner-only permissions. Only one process may use it at a time. */
  readonly folder: string;
  /** Maximum number of stored tasks, including subtasks. @default 10_000 */
  readonly maxTasks?: number | undefined;
  /** Maximum size of a task's log in bytes. @default 16 MiB */
  readonly maxTaskBytes?: number | undefined;
  readonly logger?: Logger | undefined;
  readonly now?: (() => number) | undefined;
}

/** Summary of a task for lists. */
export interface TaskSummary {
  readonly taskId: string;
  readonly title: string;
  /** Time of the last change, in milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** Tasks in a storage folder. The folder is scanned on first use and created for the first task. */
export class TaskStore {
  readonly #folder: string;
  readonly #maxTasks: number;
  readonly #maxTaskBytes: number;
  readonly #logger: Logger | undefined;
  readonly #now: () => number;
  /** Known tasks, with the most recently changed task last. */
  #known = new Map<string, Known>();
  #scan: Promise<void> | undefined;
  readonly #held = new Map<string, Held>();
  /** Tasks that are being created. */
  readonly #creating = new Map<string, Promise<unknown>>();
  #beingMade = 0;

  constructor(options: TaskStoreOptions) {
    this.#folder = options.folder;
    this.#maxTasks = options.maxTasks ?? 10_000;
    this.#maxTaskBytes = options.maxTaskBytes ?? 16 * MEBIBYTE;
    this.#logger = options.logger;
    this.#now = options.now ?? systemPorts.now;
  }

  /** Lists recently changed tasks, newest first, without subtasks. @throws {StorageError} if the scan fails */
  async list(limit: number): Promise<readonly TaskSummary[]> {
    await this.#whenScanned();
    const tasks: TaskSummary[] = [];
    for (const { taskId, title, updatedAt, isSubtask } of [...this.#known.values()].toReversed()) {
      if (tasks.length >= limit) break;
      if (!isSubtask) tasks.push({ taskId, title, updatedAt });
    }
    return tasks;
  }

  /** Resolves to true if a task exists. @throws {StorageError} if the folder cannot be read */
  async has(taskId: string): Promise<boolean> {
    if (!isTaskId(taskId)) return false;
    try {
      while (this.#creating.has(taskId)) await this.#creating.get(taskId);
      if (this.#held.has(taskId)) return (await this.#held.get(taskId)?.log) !== undefined;
      const handle = await openForReading(this.#folder, taskId);
      if (handle === undefined) return false;
      try {
        return (await peekHeader(handle))?.taskId === taskId;
      } finally {
        await handle.close();
      }
    } catch (cause) {
      throw toStorageError(NOT_READ, cause);
    }
  }

  /**
   * Opens a task's log. Returns `undefined` if the task does not exist. Concurrent users of a task share one log. Each
   * `open` or `create` must be matched by one `release`.
   *
   * @throws {StorageError} if the log cannot be read
   */
  async open(taskId: string): Promise<TaskLog | undefined> {
    if (!isTaskId(taskId)) return undefined;
    while (this.#creating.has(taskId)) await this.#creating.get(taskId);
    let held = this.#held.get(taskId);
    if (held === undefined) this.#held.set(taskId, (held = { users: 0, log: this.#read(taskId) }));
    held.users++;
    try {
      const log = await held.log;
      if (log === undefined) this.#forget(taskId, held);
      return log;
    } catch (cause) {
      this.#forget(taskId, held);
      throw toStorageError(NOT_READ, cause);
    }
  }

  /**
   * Creates a task, optionally with its first entry. A long title is truncated.
   *
   * @throws {StorageError} if the ID is invalid or in use, the task limit is reached, or the disk is not writable
   */
  async create(header: TaskHeader, first?: TaskEntry): Promise<TaskLog> {
    const { taskId, parentTaskId } = header;
    const invalid = [taskId, parentTaskId ?? taskId].find((id) => !isTaskId(id));
    if (invalid !== undefined) {
      throw new StorageError(`A task ID must be ${TASK_ID_RULE}; got ${showValue(invalid)}.`);
    }
    if (this.#creating.has(taskId)) throw taskExists(taskId);
    const making = this.#make(header, first);
    this.#creating.set(
      taskId,
      making.catch(() => undefined),
    );
    try {
      return await making;
    } catch (cause) {
      throw toStorageError("Could not save the task", cause);
    } finally {
      this.#creating.delete(taskId);
    }
  }

  /** Ends one use of a log. The last release closes the file and removes the log from memory. */
  async release(log: TaskLog): Promise<void> {
    const held = this.#held.get(log.taskId);
    const current = await held?.log.catch(() => undefined);
    if (held === undefined || current !== log || held.users === 0) return;
    held.users--;
    if (held.users > 0) return;
    await log.close();
    if (held.users === 0) this.#forget(log.taskId, held);
  }

  /** Waits for pending writes and closes all log files. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#held.values()].map(async ({ log }) => (await log.catch(() => undefined))?.close()),
    );
  }

  async #read(taskId: string): Promise<TaskLog | undefined> {
    const reading = await readLog(this.#folder, taskId, this.#maxTaskBytes + MEBIBYTE);
    if (reading === "missing") return undefined;
    if (reading === "foreign") {
      this.#warn(
        `task "${taskId}" was not opened: its log header is invalid or belongs to a different task.`,
      );
      return undefined;
    }
    const { unreadable, tornBytes } = reading;
    if (unreadable > 0)
      this.#warn(
        `task "${taskId}": skipped ${unreadable} unreadable ${unreadable === 1 ? "line" : "lines"}.`,
      );
    if (tornBytes > 0) this.#warn(`task "${taskId}": dropped an incomplete write (${tornBytes} bytes).`);
    return this.#toLog(reading);
  }

  async #make(header: TaskHeader, first: TaskEntry | undefined): Promise<TaskLog> {
    const { taskId } = header;
    await this.#whenScanned();
    // A concurrent `open` may be reading the task from disk.
    const found = await this.#held.get(taskId)?.log.catch(() => undefined);
    if (found !== undefined || this.#known.has(taskId)) throw taskExists(taskId);
    if (this.#known.size + this.#beingMade >= this.#maxTasks) {
      throw new StorageError(
        `Too many tasks (limit: ${this.#maxTasks}). Ask the operator to raise \`maxTasks\` or to delete old tasks.`,
      );
    }
    this.#beingMade++;
    try {
      const { bytes, header: kept } = toHeaderLine(header, this.#now());
      const line = first && toEntryLine(first);
      const length = bytes.length + (line?.bytes.length ?? 0);
      if (length > this.#maxTaskBytes) {
        throw new StorageError(
          `The message is too large (limit: ${this.#maxTaskBytes} bytes). Send a shorter one.`,
        );
      }
      await makeTask(this.#folder, taskId, line === undefined ? [bytes] : [bytes, line.bytes]);
      const log = this.#toLog({
        header: kept,
        entries: line === undefined ? [] : [line.entry],
        length,
        tornBytes: 0,
        unreadable: 0,
      });
      this.#held.set(taskId, { users: 1, log: Promise.resolve(log) });
      this.#touch(log);
      return log;
    } finally {
      this.#beingMade--;
    }
  }

  #toLog(contents: LogContents): TaskLog {
    const log = new TaskLog(contents, {
      path: logPath(this.#folder, contents.header.taskId),
      maxBytes: this.#maxTaskBytes,
      onAppend: () => this.#touch(log),
    });
    return log;
  }

  #touch({ taskId, title, parentTaskId }: TaskLog): void {
    this.#known.delete(taskId);
    this.#known.set(taskId, { taskId, title, updatedAt: this.#now(), isSubtask: parentTaskId !== undefined });
  }

  #forget(taskId: string, held: Held): void {
    if (this.#held.get(taskId) === held) this.#held.delete(taskId);
  }

  /** Scans the folder once. If the scan fails, the next call repeats it. */
  #whenScanned(): Promise<void> {
    this.#scan ??= scanTasks(this.#folder).then(
      (scan) => this.#learn(scan),
      (cause: unknown) => {
        this.#scan = undefined;
        throw toStorageError("Could not list the tasks", cause);
      },
    );
    return this.#scan;
  }

  /** Adds scanned tasks. Tasks that changed during the scan keep their newer state in memory. */
  #learn({ tasks, failed }: Scan): void {
    if (failed > 0)
      this.#warn(`could not read or list ${failed} task ${failed === 1 ? "folder" : "folders"}.`);
    const changed = this.#known;
    const found = tasks
      .filter(({ header }) => !changed.has(header.taskId))
      .toSorted((one, other) => one.updatedAt - other.updatedAt || byName(one.header, other.header))
      .map(({ header: { taskId, title, parentTaskId }, updatedAt }): [string, Known] => [
        taskId,
        { taskId, title, updatedAt, isSubtask: parentTaskId !== undefined },
      ]);
    this.#known = new Map([...found, ...changed]);
  }

  #warn(text: string): void {
    try {
      this.#logger?.warn(`agent: storage: ${text}`);
    } catch {
      // A logger that throws must not affect the task.
    }
  }
}

interface Known extends TaskSummary {
  readonly isSubtask: boolean;
}

/** Open log and the number of its users. */
interface Held {
  users: number;
  readonly log: Promise<TaskLog | undefined>;
}

function byName(one: TaskHeader, other: TaskHeader): number {
  return one.taskId < other.taskId ? -1 : 1;
}

const MEBIBYTE = 1024 * 1024;
const NOT_READ = "Could not read the task";
