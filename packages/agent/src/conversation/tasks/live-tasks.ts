/**
 * @fileoverview In-memory tasks: all running tasks, and a cache of recently used tasks.
 * @module agent/conversation/tasks/live-tasks
 */
import type { TaskEntry, TaskHeader } from "../../storage/task-entry.js";
import type { TaskLog } from "../../storage/task-log.js";
import type { TaskStore } from "../../storage/task-store.js";
import { Task } from "./task.js";
import { Transcript } from "../context/transcript.js";
import type { Watchers } from "../context/watchers.js";

/** Dependencies for `LiveTasks`. */
export interface LiveTasksParts {
  readonly store: TaskStore;
  readonly watchers: Watchers;
  readonly now: () => number;
  /** Returns true if work for a task is queued. Such a task stays in memory. */
  readonly isInUse: (taskId: string) => boolean;
}

/** In-memory tasks. Concurrent calls for the same task are not allowed. */
export class LiveTasks {
  readonly #parts: LiveTasksParts;
  /** Tasks by ID, with the most recently used task last. */
  readonly #tasks = new Map<string, LiveTask>();

  constructor(parts: LiveTasksParts) {
    this.#parts = parts;
  }

  /** Tasks that are running. */
  get running(): readonly Task[] {
    return [...this.#tasks.values()].map(({ task }) => task).filter(({ isRunning }) => isRunning);
  }

  /** Returns a task if it is in memory. */
  peek(taskId: string): Task | undefined {
    return this.#tasks.get(taskId)?.task;
  }

  /**
   * Finds a task in memory or on disk. Returns `undefined` if the task does not exist.
   *
   * @throws {StorageError} if the task cannot be read
   */
  async find(taskId: string): Promise<Task | undefined> {
    const live = this.#tasks.get(taskId);
    if (live !== undefined && (live.task.isRunning || !live.log.isBroken)) return this.#use(taskId, live);
    // The log no longer accepts entries, so the task is read from disk again.
    if (live !== undefined) await this.#drop(taskId, live);
    const log = await this.#parts.store.open(taskId);
    return log && this.#use(taskId, this.#toTask(log));
  }

  /** Creates a task with its first entry. @throws {StorageError} if the task cannot be created */
  async create(header: TaskHeader, first: TaskEntry): Promise<Task> {
    return this.#use(header.taskId, this.#toTask(await this.#parts.store.create(header, first)));
  }

  #toTask(log: TaskLog): LiveTask {
    const { watchers, now } = this.#parts;
    return { log, task: new Task(new Transcript({ log, watchers, now })) };
  }

  #use(taskId: string, live: LiveTask): Task {
    this.#tasks.delete(taskId);
    this.#tasks.set(taskId, live);
    this.#tidy();
    return live.task;
  }

  #tidy(): void {
    let bytes = 0;
    let count = 0;
    for (const [taskId, live] of [...this.#tasks].toReversed()) {
      bytes += live.log.bytes;
      count++;
      if (count <= MAX_TASKS && bytes <= MAX_BYTES) continue;
      if (!live.task.isRunning && !this.#parts.isInUse(taskId)) void this.#drop(taskId, live);
    }
  }

  async #drop(taskId: string, { log }: LiveTask): Promise<void> {
    this.#tasks.delete(taskId);
    await this.#parts.store.release(log).catch(() => undefined); // the file was closed at the end of the last run
  }
}

interface LiveTask {
  readonly task: Task;
  readonly log: TaskLog;
}

const MAX_TASKS = 256;
const MAX_BYTES = 67_108_864;
