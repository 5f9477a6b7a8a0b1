/**
 * @fileoverview Task engine for several nodes: records and limits in Redis, queue and workers on BullMQ.
 * @module redis/tasks/redis-task-engine
 */
import { createHash, randomBytes } from "node:crypto";
import { ANONYMOUS } from "@tenon/internal/collections/fair-share";
import { systemPorts } from "@tenon/internal/ports";
import type { TaskCounts } from "tenon/stores";
import {
  type EngineLimits,
  type StoredTask,
  type TaskEngine,
  type TaskEngineContext,
  TaskEngineError,
  type TaskRecord,
  type TaskWorker,
  type TaskWrite,
} from "tenon/tasks";
import { toStoreError } from "../connection/errors.js";
import type { TaskEngineParts } from "./engine-parts.js";
import { JobQueue, type TaskJob } from "./job-queue.js";
import { createOwnerIds } from "./owner-ids.js";
import { type OpenedRecord, RecordCodec } from "./record-codec.js";
import { RedisCalls } from "./redis-calls.js";
import { TaskDeliveries } from "./task-deliveries.js";
import { TaskScripts } from "./task-scripts.js";

/** Task engine on Redis. */
export interface RedisTaskEngine extends TaskEngine {
  /** Returns the number of the server's tasks on all nodes. */
  countTasks(): Promise<TaskCounts>;
}

/**
 * Creates the engine for one server's tasks. It connects on first use.
 *
 * @example const engine = createRedisTaskEngine(context, { prefix, client, createWorkerClient, bus, toChannel });
 */
export function createRedisTaskEngine(context: TaskEngineContext, parts: TaskEngineParts): RedisTaskEngine {
  return new BullTaskEngine(context, parts);
}

class BullTaskEngine implements RedisTaskEngine {
  readonly #limits: EngineLimits;
  readonly #parts: TaskEngineParts;
  readonly #channel: string;
  readonly #calls: RedisCalls;
  readonly #scripts: TaskScripts;
  readonly #owners: ReturnType<typeof createOwnerIds>;
  readonly #codec: RecordCodec;
  readonly #jobs: JobQueue;
  readonly #deliveries: TaskDeliveries;
  readonly #node = createId();
  /** Jobs that are being added to the queue. */
  readonly #adding = new Set<Promise<void>>();
  /** Jobs that were added since the last tick, which reports them. Without the report, they would be added again. */
  readonly #added: TaskJob[] = [];
  readonly #unreadable = new Set<string>();
  #cursor = "0";
  #stopTicks: (() => void) | undefined;
  #isDown = false;
  #closing: Promise<void> | undefined;

  constructor(context: TaskEngineContext, parts: TaskEngineParts) {
    const server = toKeyPart(context.server);
    const root = `${parts.prefix}:{tasks:${server}}`;
    this.#limits = context.limits;
    this.#parts = parts;
    this.#channel = `tasks:${server}:`;
    this.#calls = new RedisCalls(parts.link);
    this.#scripts = new TaskScripts(this.#calls, root, context.limits);
    this.#owners = createOwnerIds(context, this.#calls, root);
    this.#codec = new RecordCodec(context);
    const isClosed = () => this.#closing !== undefined;
    this.#deliveries = new TaskDeliveries({
      node: this.#node,
      scripts: this.#scripts,
      get isClosed() {
        return isClosed();
      },
      createId,
      open: (taskId, version, sealed) => this.#openRecord(taskId, version, sealed),
      enqueue: (jobs) => this.#enqueue(jobs),
      reportOutage: (error) => this.#reportOutage(error),
    });
    this.#jobs = new JobQueue(parts, {
      root,
      concurrency: context.limits.concurrency,
      handle: (delivery) => this.#deliveries.handle(delivery),
      onError: (error) => this.#reportOutage(error),
    });
  }

  async create(record: TaskRecord): Promise<void> {
    this.#start();
    const { taskId, bytes, deleteAt } = record;
    const version = createId();
    const [owner, sealed] = await Promise.all([
      record.principal === null ? ANONYMOUS : this.#owners.of(record.principal),
      this.#codec.seal(record, version),
    ]);
    const patienceMs = record.policy.onLostWorker === "fail" ? FAIL_PATIENCE_MS : "";
    const task = { taskId, version, sealed, bytes, deleteAt, owner, job: version, patienceMs } as const;
    const outcome = await this.#scripts.create(task);
    if (outcome === "added") this.#enqueue([{ job: version, taskId }]);
    else if (outcome !== "held") throw toCreateError(outcome, this.#limits);
  }

  async read(taskId: string): Promise<StoredTask | undefined> {
    const found = await this.#scripts.read(taskId);
    if (found === undefined) return undefined;
    const [version] = found;
    const record = await this.#openRecord(taskId, ...found);
    if (record === "newer") throw new TaskEngineError("unavailable", NEWER);
    return record && { record, version };
  }

  async write({ record, expectedVersion, queue = false }: TaskWrite): Promise<boolean> {
    this.#start();
    const { taskId, bytes, deleteAt } = record;
    const version = createId();
    const sealed = await this.#codec.seal(record, version);
    const channel = this.#parts.toChannel(this.#channel + taskId);
    const job = queue ? version : "";
    const task = { taskId, version, sealed, bytes, deleteAt, expectedVersion, job, channel };
    const outcome = await this.#scripts.write(task);
    if (outcome.startsWith("bytes")) throw toFullError(outcome, this.#limits);
    if (outcome === "added") this.#enqueue([{ job, taskId }]);
    return outcome !== "stale";
  }

  async watch(taskId: string, listener: () => void): Promise<() => void> {
    let isWatching = true;
    const notify = () => {
      if (isWatching) listener();
    };
    const unsubscribe = await this.#parts.bus
      .subscribe(this.#channel + taskId, notify, { onGap: notify })
      .catch((cause: unknown) => {
        throw new TaskEngineError("unavailable", "Could not watch a task.", { cause });
      });
    return () => {
      if (!isWatching) return;
      isWatching = false;
      unsubscribe().catch((error: unknown) => this.#reportOutage(error));
    };
  }

  work(worker: TaskWorker): () => Promise<void> {
    const stop = this.#deliveries.add(worker);
    if (this.#closing === undefined) {
      this.#start();
      this.#jobs.start();
    }
    return async () => {
      const runs = stop();
      const stopped = this.#deliveries.workers.size === 0 ? this.#jobs.stop() : undefined;
      await Promise.all(runs);
      await stopped;
    };
  }

  async countTasks(): Promise<TaskCounts> {
    const [{ stored, held }, { waiting, active }] = await Promise.all([
      this.#scripts.count(),
      this.#calls.run(() => this.#jobs.count()),
    ]);
    return { queued: waiting + held, active, stored };
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#stopTicks?.();
    if (!this.#isDown) {
      await this.#deliveries.abandon();
      await Promise.all(this.#adding);
    }
    await this.#jobs.close();
    if (this.#stopTicks === undefined || this.#isDown) return;
    await this.#scripts.leave(this.#node).catch(() => undefined);
  }

  /** Starts sending heartbeats. @throws {TaskEngineError} if the engine is closed */
  #start(): void {
    if (this.#closing !== undefined) throw new TaskEngineError("unavailable", "The task engine is closed.");
    if (this.#stopTicks !== undefined) return;
    this.#stopTicks = () => undefined;
    void this.#tick();
  }

  async #tick(): Promise<void> {
    try {
      const added = this.#added.splice(0, MAX_ADDED);
      const { cursor, jobs } = await this.#scripts.tick({ node: this.#node, cursor: this.#cursor, added });
      this.#cursor = cursor;
      this.#isDown = false;
      this.#enqueue(jobs);
    } catch (error) {
      this.#reportOutage(error);
    }
    if (this.#closing !== undefined) return;
    // Nodes that start together must not stay in step.
    const delay = TICK_MS * (0.8 + 0.4 * Math.random());
    this.#stopTicks = systemPorts.startTimer(() => void this.#tick(), delay, true);
  }

  /** Adds jobs to the queue, in the background. If that fails, a later tick of any node adds them. */
  #enqueue(jobs: readonly TaskJob[]): void {
    for (const job of jobs) {
      const adding = this.#add(job).catch((error: unknown) => this.#reportOutage(error));
      this.#adding.add(adding);
      void adding.finally(() => this.#adding.delete(adding));
    }
  }

  async #add(job: TaskJob): Promise<void> {
    await this.#calls.run(() => this.#jobs.add(job));
    this.#added.push(job);
  }

  async #openRecord(taskId: string, version: string, sealed: string): Promise<OpenedRecord> {
    const { problem, record } = await this.#codec.open(taskId, version, sealed);
    // One report for each altered task, and one for all tasks of newer versions.
    const key = record === "newer" ? record : taskId;
    if (problem !== undefined && !this.#unreadable.has(key)) {
      if (this.#unreadable.size >= MAX_UNREADABLE) this.#unreadable.clear();
      this.#unreadable.add(key);
      this.#report(new Error(problem));
    }
    return record;
  }

  /** Reports the first error, and the next one only after Redis has worked again. */
  #reportOutage(error: unknown): void {
    if (this.#isDown || this.#closing !== undefined) return;
    this.#isDown = true;
    if (error instanceof TaskEngineError) return this.#report(error);
    // As a failure of the engine, it is logged as a part of the store's outage.
    const cause = toStoreError(error, "Redis");
    this.#report(new TaskEngineError("unavailable", UNAVAILABLE, { cause }));
  }

  #report(error: unknown): void {
    for (const worker of this.#deliveries.workers.keys()) worker.report(error);
  }
}

/**
 * Time in milliseconds after which a silent node has lost a task that must not run twice. The node may only be cut off
 * from Redis, and the task would fail although its handler is running.
 */
const FAIL_PATIENCE_MS = 30_000;

/** Time in milliseconds between two heartbeats. */
const TICK_MS = 500;

/** Maximum number of added jobs in one tick. */
const MAX_ADDED = 2_000;

const UNAVAILABLE = "The task engine cannot use Redis now.";
const NEWER = "The record of a task has the format of a newer version.";

/** Maximum number of tasks for which the engine remembers that it reported their record. */
const MAX_UNREADABLE = 1_000;

/** Creates a random ID that never repeats. */
function createId(): string {
  return randomBytes(12).toString("base64url");
}

/** Returns the name of a server for keys. Names with special characters are hashed. */
function toKeyPart(server: string): string {
  if (/^[\w.-]{1,64}$/.test(server)) return server;
  return `~${createHash("sha256").update(server, "utf16le").digest("base64url").slice(0, 32)}`;
}

function toCreateError(outcome: string, limits: EngineLimits): Error {
  if (outcome === "exists") return new Error("A task with this ID exists already.");
  return toFullError(outcome, limits);
}

function toFullError(outcome: string, limits: EngineLimits): TaskEngineError {
  const { maxTasks, maxTasksPerPrincipal, maxTotalBytes } = limits;
  const messages: Readonly<Record<string, string>> = {
    owned: `Too many tasks for this caller (limit: ${maxTasksPerPrincipal}).`,
    "entries-share": `Too many tasks for this caller: the remaining places are for others (limit for all: ${maxTasks}).`,
    "bytes-share": `The tasks of this caller use too much memory: the rest is for others (limit for all: ${maxTotalBytes} bytes).`,
    entries: `Too many tasks on this server (limit: ${maxTasks}).`,
    bytes: `The tasks on this server use too much memory (limit: ${maxTotalBytes} bytes).`,
  };
  return new TaskEngineError("full", messages[outcome] ?? "The task engine is full.");
}
