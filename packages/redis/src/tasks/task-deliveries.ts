/**
 * @fileoverview Runs the jobs that BullMQ delivers to this node. Claims in Redis make sure that a task runs once at a
 * time, also if BullMQ delivers its job again.
 * @module redis/tasks/task-deliveries
 */
import { systemPorts } from "@tenon/internal/ports";
import type { StoredTask, TaskWorker } from "tenon/tasks";
import type { Delivery, TaskJob } from "./job-queue.js";
import type { OpenedRecord } from "./record-codec.js";
import type { Claim, ClaimOutcome, RunEnd, TaskScripts } from "./task-scripts.js";

/** Parts of the engine that deliveries use. */
export interface DeliveryHost {
  readonly node: string;
  readonly scripts: TaskScripts;
  readonly isClosed: boolean;
  createId(): string;
  /** Decrypts a record. Reports one that was altered or has a newer format, and resolves with `undefined` or `newer`. */
  open(taskId: string, version: string, sealed: string): Promise<OpenedRecord>;
  /** Adds jobs to the queue, in the background. */
  enqueue(jobs: readonly TaskJob[]): void;
  /** Reports an error to all workers, once until Redis works again. */
  reportOutage(error: unknown): void;
}

/** Runs delivered jobs with the workers of the engine. */
export class TaskDeliveries {
  readonly #host: DeliveryHost;
  /** Workers and the runs that they have not ended. */
  readonly #workers = new Map<TaskWorker, Set<Promise<unknown>>>();
  /** Claims of this node, by task. */
  readonly #claims = new Map<string, Claim>();
  #count = 0;

  constructor(host: DeliveryHost) {
    this.#host = host;
  }

  /** Workers that are not stopped. */
  get workers(): ReadonlyMap<TaskWorker, unknown> {
    return this.#workers;
  }

  /** Adds a worker. The returned function stops it and returns its runs. */
  add(worker: TaskWorker): () => ReadonlySet<Promise<unknown>> {
    const runs = new Set<Promise<unknown>>();
    this.#workers.set(worker, runs);
    return () => {
      this.#workers.delete(worker);
      return runs;
    };
  }

  /** Runs a job. Returns the time in milliseconds after which to deliver it again, or `undefined` if it has ended. */
  async handle({ taskId, job, attempt }: Delivery): Promise<number | undefined> {
    const busyMs = Math.min(BUSY_MS * (attempt + 1), MAX_BUSY_MS);
    if (this.#workers.size === 0 || this.#claims.has(taskId)) return busyMs;
    const { node } = this.#host;
    const claim: Claim = { taskId, job, node, holder: `${node} ${++this.#count}` };
    this.#claims.set(taskId, claim);
    try {
      const outcome = await this.#claim(claim);
      if (outcome.kind === "run") return await this.#runClaimed(claim, outcome, attempt);
      return outcome.kind === "busy" ? busyMs : undefined;
    } catch (error) {
      this.#host.reportOutage(error);
      await this.#finish(claim, "later", true);
      return RETRY_MS;
    } finally {
      this.#claims.delete(taskId);
    }
  }

  /** Claims a job. Waits some time for a node that may be lost, because the job would lose its place in the queue. */
  async #claim(claim: Claim): Promise<ClaimOutcome> {
    for (let waited = 0; ; waited += CLAIM_RETRY_MS) {
      const outcome = await this.#host.scripts.claim(claim);
      const isStopped = this.#host.isClosed || this.#workers.size === 0;
      const isOver = outcome.kind !== "busy" || outcome.isPatient;
      if (isOver || isStopped || waited >= MAX_CLAIM_WAIT_MS) return outcome;
      await new Promise<void>((resolve) => {
        systemPorts.startTimer(resolve, CLAIM_RETRY_MS, true);
      });
    }
  }

  /** Gives all claims back to the queue. Their runs may continue, but can no longer change their tasks. */
  async abandon(): Promise<void> {
    const claims = [...this.#claims.values()];
    await Promise.all(claims.map((claim) => this.#finish(claim, "again", true)));
  }

  async #runClaimed(
    claim: Claim,
    { version, sealed }: { readonly version: string; readonly sealed: string },
    attempt: number,
  ): Promise<number | undefined> {
    const record = await this.#host.open(claim.taskId, version, sealed);
    // A record that was altered never runs.
    if (record === undefined) return this.#finish(claim, "done");
    // Newer records are for newer nodes, like the tasks of tools that this node does not have.
    const found =
      record === "newer" ? undefined : [...this.#workers].find(([worker]) => worker.serves?.(record) ?? true);
    if (record === "newer" || found === undefined) {
      await this.#finish(claim, "later");
      return Math.min(FIRST_UNSERVED_MS * 2 ** Math.min(attempt, 10), MAX_UNSERVED_MS);
    }
    const [worker, runs] = found;
    const run = this.#run(worker, claim, { record, version });
    runs.add(run);
    try {
      return await run;
    } finally {
      runs.delete(run);
    }
  }

  async #run(worker: TaskWorker, claim: Claim, stored: StoredTask): Promise<number | undefined> {
    let isFailed = false;
    try {
      await worker.run(claim.taskId, stored);
    } catch (error) {
      worker.report(error);
      isFailed = true;
    }
    // A worker that was stopped may leave its run unfinished, and the next worker decides what that means.
    const isStopped = !this.#workers.has(worker);
    const isLeft = isStopped && (await this.#isUnfinished(claim.taskId));
    await this.#finish(claim, isLeft ? "again" : isFailed ? "later" : "done", isStopped);
    return isFailed && !isLeft ? RETRY_MS : undefined;
  }

  async #isUnfinished(taskId: string): Promise<boolean> {
    try {
      const stored = await this.#host.scripts.read(taskId);
      const record = stored && (await this.#host.open(taskId, ...stored));
      return record === "newer" || record?.isRunning === true;
    } catch {
      // Another delivery does no harm if the task has ended.
      return true;
    }
  }

  /** Ends a claim. Repeats it while Redis is away: other nodes do not take the task from a node that is alive. */
  async #finish(claim: Claim, end: RunEnd, isStopped = false): Promise<undefined> {
    const nextJob = this.#host.createId();
    for (;;) {
      try {
        this.#host.enqueue(await this.#host.scripts.finish(claim, end, nextJob));
        return undefined;
      } catch (error) {
        this.#host.reportOutage(error);
        // A worker that stops does not wait for Redis. When the engine closes, other nodes take the task.
        if (isStopped || this.#host.isClosed) return undefined;
      }
      await new Promise<void>((resolve) => {
        systemPorts.startTimer(resolve, FINISH_RETRY_MS, true);
      });
    }
  }
}

/** Delay in milliseconds before a busy job is claimed again, and the time after which its node counts as alive. */
const CLAIM_RETRY_MS = 200;
const MAX_CLAIM_WAIT_MS = 3_000;

/** Delays in milliseconds before a job is delivered again because its task still runs on a node. */
const BUSY_MS = 500;
const MAX_BUSY_MS = 1_500;

/** Delay in milliseconds before a task runs again after a failure of the engine itself. */
const RETRY_MS = 1_000;

/** Delays in milliseconds for tasks that no worker on this node serves. They double up to the maximum. */
const FIRST_UNSERVED_MS = 10;
const MAX_UNSERVED_MS = 1_000;

/** Delay in milliseconds before a claim is ended again after a failure. */
const FINISH_RETRY_MS = 500;
