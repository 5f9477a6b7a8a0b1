/**
 * @fileoverview BullMQ queue with one job for every task that must run. A job contains only the ID of its task.
 * @module redis/tasks/job-queue
 */
import { AsyncResource } from "node:async_hooks";
import { systemPorts } from "@tenon/internal/ports";
import { codeOf, messageOf } from "@tenon/internal/thrown";
import { DelayedError, type Job, Queue, Worker } from "bullmq";
import type { RedisClient } from "../connection/index.js";
import type { TaskEngineParts } from "./engine-parts.js";

/** Job, and the task that it runs. */
export interface TaskJob {
  readonly job: string;
  readonly taskId: string;
}

/** Delivery of a job to this node. */
export interface Delivery extends TaskJob {
  /** Number of earlier deliveries of the job. */
  readonly attempt: number;
}

/** Runs a delivered job. Returns the time in milliseconds after which to deliver it again, or `undefined` if it ended. */
export type DeliveryHandler = (delivery: Delivery) => Promise<number | undefined>;

/** Settings of a queue. */
export interface JobQueueOptions {
  readonly root: string;
  readonly concurrency: number;
  readonly handle: DeliveryHandler;
  /** Receives the errors of connections. */
  readonly onError: (error: unknown) => void;
}

/** Queue of jobs, and the worker that runs them on this node. */
export class JobQueue {
  readonly #parts: Pick<TaskEngineParts, "link" | "createWorkerClient">;
  readonly #options: JobQueueOptions;
  /**
   * Context in which jobs run. Without it, handlers would see the `AsyncLocalStorage` of the request that started the
   * worker.
   */
  readonly #scope = new AsyncResource("TenonTaskEngine");
  #queue: { readonly queue: Queue<JobData>; readonly client: RedisClient } | undefined;
  #worker: RunningWorker | undefined;
  /** Set while a worker waits for its start. */
  #starting: object | undefined;

  constructor(parts: Pick<TaskEngineParts, "link" | "createWorkerClient">, options: JobQueueOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Adds a job. Has no effect if the queue contains it. */
  async add({ job, taskId }: TaskJob): Promise<void> {
    await this.#open().add("task", { taskId }, { ...JOB_OPTIONS, jobId: job });
  }

  /** Returns the number of jobs that wait and that run. */
  async count(): Promise<{ readonly waiting: number; readonly active: number }> {
    const {
      wait = 0,
      delayed = 0,
      active = 0,
    } = await this.#open().getJobCounts("wait", "delayed", "active");
    return { waiting: wait + delayed, active };
  }

  /** Starts running jobs on this node, unless it already does. */
  start(): void {
    if (this.#worker !== undefined || this.#starting !== undefined) return;
    const starting = {};
    this.#starting = starting;
    void this.#scope.runInAsyncScope(async () => {
      const skipVersionCheck = !(await this.#mayReadVersion(() => this.#starting === starting));
      if (this.#starting !== starting) return;
      this.#starting = undefined;
      this.#worker = this.#createWorker(skipVersionCheck);
    });
  }

  /** Stops running jobs, and resolves when the handlers have ended. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#starting = undefined;
    await worker?.stop();
  }

  /** Releases all connections. Does not wait for handlers. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#starting = undefined;
    await Promise.all([worker?.close(), settleWithin(this.#queue?.queue.close(), CLOSE_MS)]);
  }

  /**
   * Returns true if Redis permits INFO, and waits until Redis responds. Without the permission, BullMQ would ask again
   * and again without a pause. If it does not ask, it waits for whole seconds where it would wait for milliseconds.
   */
  async #mayReadVersion(isWanted: () => boolean): Promise<boolean> {
    while (isWanted()) {
      try {
        await this.#parts.link.run((client) => client.info("server"), { repeatable: true });
        return true;
      } catch (error) {
        if (messageOf(error)?.includes("NOPERM") === true) return false;
        this.#options.onError(error);
      }
      await new Promise<void>((resolve) => {
        systemPorts.startTimer(resolve, RETRY_MS, true);
      });
    }
    return false;
  }

  /** Returns the queue on the current client, which is a new one when the store was closed and opened again. */
  #open(): Queue<JobData> {
    const { client } = this.#parts.link;
    if (this.#queue?.client === client) return this.#queue.queue;
    const { root, onError } = this.#options;
    const queue = new Queue<JobData>(QUEUE_NAME, {
      connection: client,
      prefix: root,
      skipVersionCheck: true,
      // Events are not used, and Redis keeps them in memory.
      streams: { events: { maxLen: 10 } },
    });
    queue.on("error", onError);
    this.#queue = { queue, client };
    return queue;
  }

  #createWorker(skipVersionCheck: boolean): RunningWorker {
    const { root, concurrency, handle, onError } = this.#options;
    const { client, disconnect } = trackCopies(this.#parts.createWorkerClient(), onError);
    let active = 0;
    let onIdle: () => void = () => undefined;
    const worker = new Worker<JobData>(
      QUEUE_NAME,
      async (job, token) => {
        active++;
        try {
          await deliver(job, token, handle);
        } finally {
          active--;
          if (active === 0) onIdle();
        }
      },
      { connection: client, prefix: root, concurrency, skipVersionCheck, ...WORKER_OPTIONS },
    );
    worker.on("error", (error) => {
      if (!isLostLock(error)) onError(error);
    });
    const end = async (closing: Promise<void>) => {
      // Without a connection, BullMQ would wait for one.
      await settleWithin(closing, CLOSE_MS);
      disconnect();
    };
    return {
      async stop() {
        const closing = worker.close();
        const idle = new Promise<void>((resolve) => {
          onIdle = resolve;
        });
        if (active > 0) await idle;
        await end(closing);
      },
      close: () => end(worker.close(true)),
    };
  }
}

interface JobData {
  readonly taskId: string;
}

interface RunningWorker {
  /** Starts no more jobs, and disconnects when the handlers have ended. */
  stop(): Promise<void>;
  /** Disconnects at once. */
  close(): Promise<void>;
}

/** Name of the BullMQ queue below the root. The scripts contain it, too. */
const QUEUE_NAME = "jobs";

/** Jobs are removed when they end. They are never given up, because the record decides when a task ends. */
const JOB_OPTIONS = {
  removeOnComplete: true,
  removeOnFail: true,
  attempts: Number.MAX_SAFE_INTEGER,
  backoff: { type: "fixed", delay: 1_000 },
} as const;

const WORKER_OPTIONS = {
  lockDuration: 2_000,
  stalledInterval: 500,
  maxStalledCount: Number.MAX_SAFE_INTEGER,
  runRetryDelay: 500,
  // Shorter than the time after which a silent connection counts as lost.
  drainDelay: 2,
} as const;

/** Delay in milliseconds before a worker that could not start is started again. */
const RETRY_MS = 500;

/** Maximum time in milliseconds to wait for connections to close. */
const CLOSE_MS = 2_000;

async function deliver(job: Job<JobData>, token: string | undefined, handle: DeliveryHandler): Promise<void> {
  const { id = "", data, attemptsStarted } = job;
  const delay = await handle({ job: id, taskId: data.taskId, attempt: Math.max(0, attemptsStarted - 1) });
  if (delay === undefined) return;
  try {
    await job.moveToDelayed(systemPorts.now() + delay, token);
  } catch (error) {
    // Otherwise, the job belongs to another worker by now.
    if (!isLostLock(error)) throw error;
  }
  throw new DelayedError();
}

/** Returns true for errors that mean that another worker has the job. The record rejects writes of the older run. */
function isLostLock(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (LOST_LOCK_CODES.has(codeOf(error))) return true;
  return error.message.startsWith("could not renew lock");
}

/** BullMQ's codes: no such job, no lock, not active, and a different lock. */
const LOST_LOCK_CODES: ReadonlySet<unknown> = new Set([-1, -2, -3, -6]);

/** Remembers the copies that BullMQ makes of a client, so that all of them can be disconnected at any time. */
function trackCopies(client: RedisClient, onError: (error: unknown) => void) {
  const clients: RedisClient[] = [client];
  // Safe: the same function with the same arguments; only the type of the union of both clients is lost
  const tracked = client as unknown as { duplicate: (...args: unknown[]) => RedisClient };
  const duplicate = tracked.duplicate.bind(client);
  tracked.duplicate = (...args) => {
    const copy = duplicate(...args);
    copy.on("error", onError);
    clients.push(copy);
    return copy;
  };
  client.on("error", onError);
  return {
    client,
    disconnect: () => {
      for (const one of clients) one.disconnect();
    },
  };
}

async function settleWithin(work: Promise<unknown> | undefined, ms: number): Promise<void> {
  if (work === undefined) return;
  let stopTimer: () => void = () => undefined;
  const late = new Promise<void>((resolve) => {
    stopTimer = systemPorts.startTimer(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), late]);
  stopTimer();
}
