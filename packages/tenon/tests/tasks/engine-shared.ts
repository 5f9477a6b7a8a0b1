/**
 * @fileoverview Engine for tests whose tasks belong to several nodes, as with a database and a queue. A node can be lost
 * while its handlers continue, which a real cluster cannot rule out.
 * @module tests/tasks/engine-shared
 */
import type { StoredTask, TaskEngine, TaskRecord, TaskWorker, TaskWrite } from "tenon/tasks";

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
      const nodes = [...this.#nodes].filter((node) => node.worker !== undefined);
      for (const taskId of this.#waiting) {
        const node = nodes[this.#writes++ % nodes.length];
        if (node === undefined) return;
        this.#waiting.delete(taskId);
        const lease = { node, isQueued: false };
        this.#leases.set(taskId, lease);
        void node.run(taskId).then(() => {
          if (this.#leases.get(taskId) !== lease) return;
          this.#leases.delete(taskId);
          if (lease.isQueued) this.queue(taskId);
        });
      }
    });
  }
}

/** Engine of one node. Every operation takes a turn of the event loop in both directions. */
export class SharedTaskEngine implements TaskEngine {
  worker: TaskWorker | undefined;
  readonly #tasks: SharedTasks;
  readonly #runs = new Set<Promise<void>>();

  constructor(tasks: SharedTasks) {
    this.#tasks = tasks;
  }

  async create(record: TaskRecord): Promise<void> {
    await turn();
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
    await turn();
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
    this.worker = worker;
    this.#tasks.pump();
    return async () => {
      if (this.worker === worker) this.worker = undefined;
      await Promise.all(this.#runs);
    };
  }

  async close(): Promise<void> {
    this.worker = undefined;
  }

  /** Runs a task with this node's worker. */
  async run(taskId: string): Promise<void> {
    const run = this.worker?.run(taskId) ?? Promise.resolve();
    this.#runs.add(run);
    await run;
    this.#runs.delete(run);
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
