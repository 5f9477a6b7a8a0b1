/**
 * @fileoverview The tasks that are in memory: those that run, and of the others those that were used last.
 * @module agent/conversation/live-tasks
 */
import type { TaskEntry, TaskHeader } from "../../storage/task-entry.js";
import type { TaskLog } from "../../storage/task-log.js";
import type { TaskStore } from "../../storage/task-store.js";
import { Task } from "./task.js";
import { Transcript } from "../context/transcript.js";
import type { Watchers } from "../context/watchers.js";

/** What tasks are made with. */
export interface LiveTasksParts {
  readonly store: TaskStore;
  readonly watchers: Watchers;
  readonly now: () => number;
  /** Whether something is being done with a task, which must stay where it is. */
  readonly isInUse: (taskId: string) => boolean;
}

/** The tasks that are in memory. Calls about one task must not overlap. */
export class LiveTasks {
  readonly #parts: LiveTasksParts;
  /** In the order of their last use. */
  readonly #tasks = new Map<string, LiveTask>();

  constructor(parts: LiveTasksParts) {
    this.#parts = parts;
  }

  /** All that run. */
  get running(): readonly Task[] {
    return [...this.#tasks.values()].map(({ task }) => task).filter(({ isRunning }) => isRunning);
  }

  /** A task that is in memory. */
  peek(taskId: string): Task | undefined {
    return this.#tasks.get(taskId)?.task;
  }

  /** A task, from memory or from the disk; nothing where there is none. @throws {StorageError} where it cannot be read */
  async find(taskId: string): Promise<Task | undefined> {
    const live = this.#tasks.get(taskId);
    if (live !== undefined && (live.task.isRunning || !live.log.isBroken)) return this.#use(taskId, live);
    // Whatever another program did to the file is on the disk.
    if (live !== undefined) await this.#drop(taskId, live);
    const log = await this.#parts.store.open(taskId);
    return log && this.#use(taskId, this.#toTask(log));
  }

  /** A new task that begins with this entry. @throws {StorageError} where it cannot be made */
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
    await this.#parts.store.release(log).catch(() => undefined); // it was closed at the end of its last run
  }
}

interface LiveTask {
  readonly task: Task;
  readonly log: TaskLog;
}

const MAX_TASKS = 256;
const MAX_BYTES = 67_108_864;
