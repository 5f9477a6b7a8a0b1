/**
 * @fileoverview Engine that runs tasks in its own process. It keeps the records in memory, and in a log on disk if one
 * is given.
 * @module tenon/tasks/engine/embedded-engine
 */
import { type Ports, withPorts } from "@tenon/internal/ports";
import { type Exceeded, type ExpiringEntry, ExpiringMap } from "@tenon/internal/collections/expiring-map";
import { ownerOf } from "@tenon/internal/collections/fair-share";
import type { LoggedTask, TaskLog } from "../directory/task-log.js";
import type { TaskRecord } from "../state/record.js";
import type { EngineLimits } from "./engine-options.js";
import { createFullError } from "./full-error.js";
import { FairQueue, type QueuedTask } from "./fair-queue.js";
import {
  type StoredTask,
  type TaskEngine,
  TaskEngineError,
  type TaskWorker,
  type TaskWrite,
} from "./task-engine.js";

/** Engine that runs tasks in its own process. */
export class EmbeddedTaskEngine implements TaskEngine {
  readonly #ports: Ports;
  readonly #limits: EngineLimits;
  readonly #log: TaskLog | undefined;
  readonly #tasks: ExpiringMap<Entry>;
  readonly #queue: FairQueue;
  readonly #listeners = new Map<string, Set<() => void>>();
  /** Workers and the runs that they have not ended. */
  readonly #workers = new Map<TaskWorker, Set<Promise<void>>>();
  /** Tasks that no worker serves. */
  #unserved: QueuedTask[] = [];
  #loaded: Promise<void> | undefined;
  #writes = 0;
  #wake: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(limits: EngineLimits, { ports, log }: { ports?: Partial<Ports>; log?: TaskLog } = {}) {
    this.#ports = withPorts(ports);
    this.#limits = limits;
    this.#log = log;
    this.#tasks = new ExpiringMap<Entry>({
      maxEntries: limits.maxTasks,
      maxBytes: limits.maxTotalBytes,
      hasShares: true,
      fullError: (exceeded) => toFullError(exceeded, limits),
    });
    this.#queue = new FairQueue({ total: limits.concurrency, perPrincipal: limits.concurrencyPerPrincipal });
    void this.#startTasks();
  }

  /** Number of tasks that wait for a worker, that run, and that have not been deleted. */
  get counts(): { readonly queued: number; readonly active: number; readonly stored: number } {
    return {
      queued: this.#queue.size + this.#unserved.length,
      active: this.#queue.running,
      stored: this.#tasks.size,
    };
  }

  async create(record: TaskRecord): Promise<void> {
    await this.#openForWriting();
    const { principal } = record;
    const { maxTasksPerPrincipal } = this.#limits;
    const now = this.#ports.now();
    if (principal !== null && this.#countOf(principal, now) >= maxTasksPerPrincipal) {
      throw createFullError("owned", this.#limits);
    }
    const version = ++this.#writes;
    this.#tasks.put(toEntry({ record, version }), now);
    try {
      await this.#append({ record, version });
    } catch (error) {
      this.#tasks.delete(record.taskId, now);
      throw error;
    }
    this.#enqueue(record);
  }

  async read(taskId: string): Promise<StoredTask | undefined> {
    await this.#open();
    const entry = this.#tasks.get(taskId, this.#ports.now());
    return entry && { record: entry.record, version: String(entry.version) };
  }

  async write({ record, expectedVersion, queue = false }: TaskWrite): Promise<boolean> {
    await this.#openForWriting();
    const { taskId } = record;
    let entry = this.#tasks.get(taskId, this.#ports.now());
    // A write that is being stored may still fail, so a second one with the same version waits for it.
    while (entry?.storing !== undefined && String(entry.version) === expectedVersion) {
      await entry.storing;
      entry = this.#tasks.get(taskId, this.#ports.now());
    }
    if (entry === undefined || String(entry.version) !== expectedVersion) return false;
    await this.#replace(entry, { record, version: ++this.#writes });
    if (queue) this.#enqueue(record);
    for (const listener of this.#listeners.get(taskId) ?? []) listener();
    return true;
  }

  async watch(taskId: string, listener: () => void): Promise<() => void> {
    const listeners = this.#listeners.get(taskId) ?? new Set();
    this.#listeners.set(taskId, listeners);
    // A wrapper, so that the same function can be added twice.
    const own = () => listener();
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(taskId) === listeners) this.#listeners.delete(taskId);
    };
  }

  work(worker: TaskWorker): () => Promise<void> {
    const runs = new Set<Promise<void>>();
    this.#workers.set(worker, runs);
    for (const task of this.#unserved.splice(0)) this.#queue.push(task);
    this.#openFor(worker);
    return async () => {
      this.#workers.delete(worker);
      await Promise.all(runs);
    };
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#workers.clear();
    await this.#loaded?.catch(() => undefined);
    await this.#log?.close();
  }

  /** Loads the log for a worker. If that fails, reports the reason once and tries again until it succeeds. */
  #openFor(worker: TaskWorker, isRetry = false): void {
    const onFailure = (error: unknown) => {
      if (!isRetry) worker.report(error);
      const retry = () => this.#workers.has(worker) && this.#openFor(worker, true);
      this.#ports.startTimer(retry, REOPEN_MS, true);
    };
    this.#open().then(() => this.#pump(), onFailure);
  }

  /** Loads the log on first use, and again after a failure. Tasks that have not finished are queued again. */
  #open(): Promise<void> {
    return (this.#loaded ??= this.#load().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    }));
  }

  async #openForWriting(): Promise<void> {
    if (this.#closing !== undefined) throw closed();
    await this.#open();
  }

  async #load(): Promise<void> {
    if (this.#log === undefined) return;
    if (this.#closing !== undefined) throw closed();
    const now = this.#ports.now();
    const tasks = await this.#log.load((error) => {
      for (const worker of this.#workers.keys()) worker.report(error);
    });
    try {
      for (const task of tasks) {
        const { record, version } = task;
        this.#writes = Math.max(this.#writes, version);
        if (record.deleteAt !== null && record.deleteAt <= now) continue;
        this.#tasks.restore(toEntry(task), now);
      }
    } catch (error) {
      await this.#log.close();
      if (!(error instanceof TaskEngineError)) throw error;
      const message = `The directory contains more tasks than the engine allows. ${error.message} Raise it.`;
      throw new TaskEngineError("full", message, { cause: error });
    }
    for (const { record } of this.#tasks.entries()) if (record.status === "working") this.#enqueue(record);
  }

  /** Replaces the record of an entry. Readers see the new record only once it is durable. */
  async #replace(entry: Entry, next: LoggedTask): Promise<void> {
    const { record, version } = next;
    const at = record.deleteAt ?? Number.POSITIVE_INFINITY;
    const { at: oldAt, bytes: oldBytes } = entry;
    // Reserves the memory of both records, so that either of them fits afterwards.
    const both = { at: Math.max(at, oldAt), bytes: Math.max(record.bytes, oldBytes) };
    this.#tasks.update(entry, both, this.#ports.now());
    let isStored = false;
    try {
      if (this.#log !== undefined) {
        const storing = this.#append(next);
        entry.next = next;
        entry.storing = storing.catch(() => undefined);
        await storing;
      }
      isStored = true;
      entry.record = record;
      entry.version = version;
    } finally {
      entry.storing = undefined;
      entry.next = undefined;
      const now = this.#ports.now();
      const change = isStored ? { at, bytes: record.bytes } : { at: oldAt, bytes: oldBytes };
      // The entry may have expired in the meantime.
      if (this.#tasks.get(entry.key, now) === entry) this.#tasks.update(entry, change, now);
    }
  }

  async #append(task: LoggedTask): Promise<void> {
    await this.#log?.append(task, () => this.#newest());
  }

  /** Returns the newest state of every task that has not expired, including states that are being stored. */
  *#newest(): Iterable<LoggedTask> {
    for (const entry of this.#tasks.entries()) if (entry.at > this.#ports.now()) yield entry.next ?? entry;
  }

  /** Returns the number of a principal's tasks, without expired ones if they matter. */
  #countOf(principal: string, now: number): number {
    const owner = ownerOf(principal);
    const count = this.#tasks.countOf(owner);
    if (count < this.#limits.maxTasksPerPrincipal) return count;
    this.#tasks.clearExpired(now);
    return this.#tasks.countOf(owner);
  }

  #enqueue({ taskId, principal }: QueuedTask): void {
    this.#queue.push({ taskId, principal });
    this.#pump();
  }

  #pump(): void {
    if (this.#queue.isReady && this.#workers.size > 0) this.#wake?.();
  }

  /**
   * Starts tasks whenever one is ready. A single loop does so, because a handler inherits the asynchronous context of
   * the code that starts it: started by a request, it would see the `AsyncLocalStorage` of a different client.
   */
  async #startTasks(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#pump();
      });
      this.#wake = undefined;
      // In the next turn of the event loop, the response that creates the task has been sent.
      await new Promise<void>((resolve) => this.#ports.startTimer(resolve, 0));
      if (this.#workers.size > 0) this.#startReady();
    }
  }

  #startReady(): void {
    for (let task = this.#queue.take(); task !== undefined; task = this.#queue.take()) {
      const record = this.#recordOf(task);
      const found = record && [...this.#workers].find(([worker]) => worker.serves?.(record) ?? true);
      if (found === undefined) {
        this.#queue.release(task);
        if (record !== undefined) this.#unserved.push(task);
        continue;
      }
      const [worker, runs] = found;
      const run = this.#run(worker, task);
      runs.add(run);
      void run.finally(() => runs.delete(run));
    }
  }

  async #run(worker: TaskWorker, task: QueuedTask): Promise<void> {
    let isFailed = false;
    try {
      await worker.run(task.taskId);
    } catch (error) {
      worker.report(error);
      isFailed = true;
    } finally {
      this.#queue.release(task);
      // A worker that was stopped may leave its run unfinished, and the next worker decides what that means.
      if (!this.#workers.has(worker) && this.#recordOf(task)?.isRunning === true) this.#queue.push(task);
      else if (isFailed) this.#ports.startTimer(() => this.#enqueue(task), RETRY_MS, true);
      this.#pump();
    }
  }

  #recordOf({ taskId }: QueuedTask): TaskRecord | undefined {
    return this.#tasks.get(taskId, this.#ports.now())?.record;
  }
}

/** Delay in milliseconds before the log is opened again, for example because another process still has it. */
const REOPEN_MS = 5_000;

/** Delay in milliseconds before a task runs again after a failure of the engine itself. */
const RETRY_MS = 1_000;

function toEntry({ record, version }: LoggedTask): Entry {
  const { taskId: key, bytes, principal } = record;
  const at = record.deleteAt ?? Number.POSITIVE_INFINITY;
  const owner = ownerOf(principal);
  return {
    key,
    bytes,
    owner,
    at,
    order: version,
    place: 0,
    record,
    version,
    storing: undefined,
    next: undefined,
  };
}

function toFullError({ unit, isShare }: Exceeded, limits: EngineLimits): TaskEngineError {
  return createFullError(isShare ? `${unit}-share` : unit, limits);
}

function closed(): TaskEngineError {
  return new TaskEngineError("unavailable", "The task engine is closed.");
}

interface Entry extends ExpiringEntry {
  record: TaskRecord;
  version: number;
  /** Write that is not durable yet. Resolves when it has ended. */
  storing: Promise<void> | undefined;
  next: LoggedTask | undefined;
}
