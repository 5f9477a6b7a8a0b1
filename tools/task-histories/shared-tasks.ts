/**
 * @fileoverview Engine for tests whose tasks belong to several nodes, as with a database and a queue. A node can be lost
 * while its handlers continue, which a real cluster cannot rule out.
 * @module tools/task-histories/shared-tasks
 */
import {
  type StoredTask,
  type TaskEngine,
  TaskEngineError,
  type TaskRecord,
  type TaskWorker,
  type TaskWrite,
} from "tenon/tasks";

/** Tasks of all nodes. */
export class SharedTasks {
  readonly records = new Map<string, { record: TaskRecord; version: number }>();
  readonly watchers = new Map<string, Set<() => void>>();
  readonly now: () => number;
  readonly #nodes = new Set<SharedTaskEngine>();
  readonly #waiting = new Set<string>();
  /** Nodes that run a task, and tasks that must run again afterwards. */
  readonly #leases = new Map<string, { readonly node: SharedTaskEngine; isQueued: boolean }>();
  #writes = 0;
  #isPumping = false;

  constructor(now: () => number) {
    this.now = now;
  }

  /** Creates a node. */
  createNode(): SharedTaskEngine {
    const node = new SharedTaskEngine(this);
    this.#nodes.add(node);
    return node;
  }

  read(taskId: string): StoredTask | undefined {
    const stored = this.records.get(taskId);
    if (stored === undefined) return undefined;
    const { record, version } = stored;
    return record.deleteAt !== null && record.deleteAt <= this.now()
      ? undefined
      : { record, version: String(version) };
  }

  store(record: TaskRecord, queue: boolean): void {
    const { taskId } = record;
    // A copy, as in a database.
    const copy = JSON.parse(JSON.stringify(record)) as TaskRecord; // Safe: records contain only JSON data
    this.records.set(taskId, { record: copy, version: ++this.#writes });
    if (queue) this.queue(taskId);
  }

  queue(taskId: string): void {
    const lease = this.#leases.get(taskId);
    if (lease === undefined) this.#waiting.add(taskId);
    else lease.isQueued = true;
    this.pump();
  }

  /** Gives the tasks of a node to others, although its handlers may continue. Returns their IDs. */
  lose(node: SharedTaskEngine): readonly string[] {
    this.#nodes.delete(node);
    const lost = [...this.#leases].filter(([, lease]) => lease.node === node).map(([taskId]) => taskId);
    for (const taskId of lost) {
      this.#leases.delete(taskId);
      this.queue(taskId);
    }
    return lost;
  }

  /** Starts waiting tasks in the next turn of the event loop. */
  pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    setImmediate(() => {
      this.#isPumping = false;
      for (const taskId of this.#waiting) this.#start(taskId);
    });
  }

  /** Starts a task on one of the workers that serve it. Without one, the task waits. */
  #start(taskId: string): void {
    const record = this.records.get(taskId)?.record;
    const workers = [...this.#nodes].flatMap((node) =>
      [...node.workers.keys()]
        .filter((worker) => record !== undefined && (worker.serves?.(record) ?? true))
        .map((worker) => ({ node, worker })),
    );
    const chosen = workers[this.#writes++ % workers.length];
    if (chosen === undefined) return;
    const { node, worker } = chosen;
    this.#waiting.delete(taskId);
    const lease = { node, isQueued: false };
    this.#leases.set(taskId, lease);
    void node.run(worker, taskId).then((isEnded) => {
      if (this.#leases.get(taskId) !== lease) return;
      this.#leases.delete(taskId);
      // A stopped worker may leave its run unfinished.
      const isLeft = !node.workers.has(worker) && this.records.get(taskId)?.record.isRunning === true;
      if (lease.isQueued || isLeft || !isEnded) this.queue(taskId);
    });
  }
}

/** Engine of one node. Every operation takes a turn of the event loop in both directions. */
export class SharedTaskEngine implements TaskEngine {
  /** Workers and the runs that they have not ended. */
  readonly workers = new Map<TaskWorker, Set<Promise<boolean>>>();
  readonly #tasks: SharedTasks;
  #isClosed = false;

  constructor(tasks: SharedTasks) {
    this.#tasks = tasks;
  }

  async create(record: TaskRecord): Promise<void> {
    await this.#turnToWrite();
    this.#tasks.store(record, true);
    await turn();
  }

  async read(taskId: string): Promise<StoredTask | undefined> {
    await turn();
    const stored = this.#tasks.read(taskId);
    await turn();
    return stored;
  }

  async write({ record, expectedVersion, queue = false }: TaskWrite): Promise<boolean> {
    await this.#turnToWrite();
    const isCurrent = this.#tasks.read(record.taskId)?.version === expectedVersion;
    if (isCurrent) this.#tasks.store(record, queue);
    await turn();
    if (isCurrent) for (const listener of this.#tasks.watchers.get(record.taskId) ?? []) listener();
    return isCurrent;
  }

  async watch(taskId: string, listener: () => void): Promise<() => void> {
    await turn();
    const listeners = this.#tasks.watchers.get(taskId) ?? new Set();
    this.#tasks.watchers.set(taskId, listeners);
    const own = () => listener();
    listeners.add(own);
    return () => listeners.delete(own);
  }

  work(worker: TaskWorker): () => Promise<void> {
    const runs = new Set<Promise<boolean>>();
    this.workers.set(worker, runs);
    this.#tasks.pump();
    return async () => {
      this.workers.delete(worker);
      await Promise.all(runs);
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.workers.clear();
  }

  /** Runs a task with one of this node's workers. Resolves to false if the worker failed. */
  async run(worker: TaskWorker, taskId: string): Promise<boolean> {
    const runs = this.workers.get(worker);
    const run = worker.run(taskId).then(
      () => true,
      (error: unknown) => {
        worker.report(error);
        return false;
      },
    );
    runs?.add(run);
    const isEnded = await run;
    runs?.delete(run);
    return isEnded;
  }

  async #turnToWrite(): Promise<void> {
    await turn();
    if (this.#isClosed) throw new TaskEngineError("unavailable", "The task engine is closed.");
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
