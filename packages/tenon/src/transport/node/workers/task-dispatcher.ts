/**
 * @fileoverview Gives the tasks of an engine to worker processes: to the process with the fewest running tasks, and to
 * a different one if a process ends.
 * @module tenon/transport/node/workers/task-dispatcher
 */
import type { EngineLimits } from "../../../tasks/engine/engine-options.js";
import type { TaskEngine } from "../../../tasks/engine/task-engine.js";
import { isFinal, type TaskRecord } from "../../../tasks/state/record.js";
import type { RpcChannel } from "./rpc-channel.js";

/** Worker in another process. */
interface RemoteWorker {
  readonly channel: RpcChannel;
  readonly id: number;
  /** Calls of the worker that have not ended. */
  readonly runs: Set<Promise<unknown>>;
  /** True if the worker serves the tasks with a key, and `undefined` while it has not said so. */
  readonly verdicts: Map<string, boolean | undefined>;
}

/** End of a run: the worker ended it, it must run again later, or the process of the worker is gone. */
type Outcome = "ended" | "failed" | "lost";

interface Started {
  readonly worker: RemoteWorker;
  readonly outcome: Promise<Outcome>;
}

/** Runs the tasks of an engine in other processes. */
export class TaskDispatcher {
  readonly engine: TaskEngine;
  readonly #limits: EngineLimits;
  /** Workers, the one that has waited longest for a task first. */
  readonly #workers = new Set<RemoteWorker>();
  /** Process that has the context of a task's request, by task ID. */
  readonly #owners = new Map<string, RpcChannel>();
  readonly #stop: () => Promise<void>;
  #waiting: (() => void)[] = [];

  /** @param limits limits of one process */
  constructor(engine: TaskEngine, limits: EngineLimits) {
    this.engine = engine;
    this.#limits = limits;
    this.#stop = engine.work({
      run: (taskId) => this.#run(taskId),
      serves: (record) => this.#isServed(record),
      // The process that runs a task reports its failures.
      report: () => undefined,
    });
  }

  /** Creates a task for a process. */
  async create(channel: RpcChannel, record: TaskRecord): Promise<void> {
    const { taskId, request } = record;
    if (!request.hasContext) return this.engine.create(record);
    this.#setOwner(taskId, channel);
    try {
      await this.engine.create(record);
    } catch (error) {
      this.#owners.delete(taskId);
      throw error;
    }
  }

  /** Adds a worker of a process. */
  addWorker(channel: RpcChannel, id: number): void {
    if (channel.isClosed || this.#find(channel, id) !== undefined) return;
    this.#workers.add({ channel, id, runs: new Set(), verdicts: new Map() });
    this.#onChange();
  }

  /** Removes a worker. Resolves when its tasks no longer run. */
  async removeWorker(channel: RpcChannel, id: number): Promise<void> {
    const worker = this.#find(channel, id);
    if (worker === undefined) return;
    this.#workers.delete(worker);
    await Promise.allSettled(worker.runs);
  }

  /** Removes all workers of a process that has ended. */
  removeProcess(channel: RpcChannel): void {
    for (const worker of this.#workers) if (worker.channel === channel) this.#workers.delete(worker);
    for (const [taskId, owner] of this.#owners) if (owner === channel) this.#owners.delete(taskId);
    this.#onChange();
  }

  /** Closes the engine. */
  async close(): Promise<void> {
    void this.#stop();
    await this.engine.close();
  }

  /** Runs a task in one process after the other, until one of them ends the run. */
  async #run(taskId: string): Promise<void> {
    for (;;) {
      const started = await this.#start(taskId);
      if (started === undefined) return;
      const { worker } = started;
      const outcome = await started.outcome;
      if (outcome === "failed") throw new Error("The process could not run the task.");
      if (outcome === "ended" && this.#workers.has(worker)) return;
      const record = (await this.engine.read(taskId))?.record;
      // A worker that was stopped may leave its run unfinished, and the next worker decides what that means.
      const isOver =
        outcome === "ended" ? record?.isRunning !== true : record === undefined || isFinal(record);
      if (isOver) return;
    }
  }

  async #runIn(worker: RemoteWorker, taskId: string): Promise<Outcome> {
    const run = worker.channel.call("tasks.run", [worker.id, taskId]);
    worker.runs.add(run);
    // The worker goes to the end of the queue.
    if (this.#workers.delete(worker)) this.#workers.add(worker);
    try {
      return (await run) === true ? "ended" : "failed";
    } catch {
      if (!worker.channel.isClosed) return "failed";
      this.#workers.delete(worker);
      return "lost";
    } finally {
      worker.runs.delete(run);
      this.#wake();
    }
  }

  /** Starts a task as soon as a worker can run it. Returns `undefined` if the task no longer exists. */
  async #start(taskId: string): Promise<Started | undefined> {
    for (;;) {
      const record = (await this.engine.read(taskId))?.record;
      if (record === undefined || isFinal(record)) this.#owners.delete(taskId);
      if (record === undefined) return undefined;
      const worker = this.#choose(record);
      // The run counts from now on. Otherwise, other tasks could get the same place.
      if (worker !== undefined) return { worker, outcome: this.#runIn(worker, taskId) };
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #choose(record: TaskRecord): RemoteWorker | undefined {
    const serving = [...this.#workers].filter((worker) => this.#serves(worker, record));
    const owner = this.#owners.get(record.taskId);
    const owning = serving.filter(({ channel }) => channel === owner);
    // Only the owner has the context of the request, so the task waits until the owner says if it serves the task.
    if (owning.length === 0 && this.#isAsking(owner, record)) return undefined;
    let chosen: RemoteWorker | undefined;
    for (const worker of owning.length > 0 ? owning : serving) {
      const { size } = worker.runs;
      if (size < (chosen?.runs.size ?? this.#limits.concurrency)) chosen = worker;
    }
    return chosen;
  }

  #isServed(record: TaskRecord): boolean {
    // Asks every worker, not only until one serves the task.
    return [...this.#workers].filter((worker) => this.#serves(worker, record)).length > 0;
  }

  /**
   * Returns true if a worker is known to serve a task, and asks the worker if that is not known yet. Workers decide by
   * the server and the tool, so the reply also applies to later tasks.
   */
  #serves(worker: RemoteWorker, record: TaskRecord): boolean {
    const { channel, id, verdicts } = worker;
    const key = toVerdictKey(record);
    if (verdicts.has(key)) return verdicts.get(key) === true;
    if (verdicts.size >= MAX_VERDICTS) verdicts.clear();
    verdicts.set(key, undefined);
    const onVerdict = (verdict: unknown) => {
      verdicts.set(key, verdict === true);
      if (verdict === true) this.#onChange();
      else this.#wake();
    };
    channel.call("tasks.serves", [id, record]).then(onVerdict, () => verdicts.delete(key));
    return false;
  }

  /** Returns true if a worker of the process was asked if it serves a task, and has not replied. */
  #isAsking(channel: RpcChannel | undefined, record: TaskRecord): boolean {
    const key = toVerdictKey(record);
    return [...this.#workers].some(
      (worker) =>
        worker.channel === channel && worker.verdicts.has(key) && worker.verdicts.get(key) === undefined,
    );
  }

  /** Lets tasks that no worker served be tried again. An engine does so whenever it gets a new worker. */
  #onChange(): void {
    void this.engine.work(NO_WORKER)();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #find(channel: RpcChannel, id: number): RemoteWorker | undefined {
    return [...this.#workers].find((worker) => worker.channel === channel && worker.id === id);
  }

  #setOwner(taskId: string, channel: RpcChannel): void {
    const [oldest] = this.#owners.keys();
    if (oldest !== undefined && this.#owners.size >= this.#limits.maxTasks) this.#owners.delete(oldest);
    this.#owners.set(taskId, channel);
  }
}

/** Maximum number of replies that are kept per worker. */
const MAX_VERDICTS = 1_000;

function toVerdictKey({ server, tool }: TaskRecord): string {
  return JSON.stringify([server, tool]);
}

const NO_WORKER = { run: async () => undefined, serves: () => false, report: () => undefined };
