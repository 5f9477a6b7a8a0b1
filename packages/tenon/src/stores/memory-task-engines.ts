/**
 * @fileoverview Task engines for several servers in one process. Each server is a node of its own: it has its own
 * workers, and its end does not affect the tasks of the others.
 * @module tenon/stores/memory-task-engines
 */
import type { Ports } from "@tenon/internal/ports";
import { EmbeddedTaskEngine } from "../tasks/engine/embedded-engine.js";
import type { TaskEngineContext } from "../tasks/engine/engine-source.js";
import {
  type StoredTask,
  type TaskEngine,
  TaskEngineError,
  type TaskWorker,
  type TaskWrite,
} from "../tasks/engine/task-engine.js";
import { isFinal, type TaskRecord } from "../tasks/state/record.js";
import type { SharedStore, TaskCounts } from "./shared-store.js";

/** Tasks of all servers with the same name. */
interface SharedTasks {
  readonly engine: EmbeddedTaskEngine;
  /** Nodes that have the context of a task's request, which only they can run. */
  readonly owners: Map<string, MemoryTaskNode>;
}

/**
 * Creates a source of task engines. Servers with the same name share their tasks, and the limits of the first of them
 * apply to all of them together.
 */
export function createMemoryTaskEngines(
  ports: Partial<Ports>,
): Required<Pick<SharedStore, "createTaskEngine" | "countTasks">> {
  const tasksByServer = new Map<string, SharedTasks>();
  return {
    createTaskEngine({ server, limits }: TaskEngineContext) {
      const known = tasksByServer.get(server);
      const tasks = known ?? { engine: new EmbeddedTaskEngine(limits, { ports }), owners: new Map() };
      if (known === undefined) tasksByServer.set(server, tasks);
      return new MemoryTaskNode(tasks);
    },
    async countTasks() {
      const counts = [...tasksByServer.values()].map(({ engine }) => engine.counts);
      const sum = (state: keyof TaskCounts) => counts.reduce((total, count) => total + count[state], 0);
      return { queued: sum("queued"), active: sum("active"), stored: sum("stored") };
    },
  };
}

/** Engine of one server. The tasks outlive it. */
class MemoryTaskNode implements TaskEngine {
  readonly #tasks: SharedTasks;
  readonly #ends = new Set<() => unknown>();
  #isClosed = false;

  constructor(tasks: SharedTasks) {
    this.#tasks = tasks;
  }

  async create(record: TaskRecord): Promise<void> {
    this.#assertOpen();
    const { engine, owners } = this.#tasks;
    if (!record.request.hasContext) return engine.create(record);
    owners.set(record.taskId, this);
    try {
      await engine.create(record);
    } catch (error) {
      owners.delete(record.taskId);
      throw error;
    }
  }

  read(taskId: string): Promise<StoredTask | undefined> {
    return this.#tasks.engine.read(taskId);
  }

  async write(change: TaskWrite): Promise<boolean> {
    this.#assertOpen();
    const isWritten = await this.#tasks.engine.write(change);
    if (isWritten && isFinal(change.record)) this.#tasks.owners.delete(change.record.taskId);
    return isWritten;
  }

  async watch(taskId: string, listener: () => void): Promise<() => void> {
    return this.#untilClosed(await this.#tasks.engine.watch(taskId, listener));
  }

  work(worker: TaskWorker): () => Promise<void> {
    const stop = this.#tasks.engine.work({
      run: (taskId) => worker.run(taskId),
      serves: (record) => this.#canRun(record) && (worker.serves?.(record) ?? true),
      report: (error) => worker.report(error),
    });
    return this.#untilClosed(stop);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const end of this.#ends) void end();
    this.#ends.clear();
    const { engine, owners } = this.#tasks;
    for (const [taskId, owner] of owners) if (owner === this) owners.delete(taskId);
    // The engine offers tasks that no worker served to every new worker, and then to the others.
    void engine.work({ run: async () => undefined, serves: () => false, report: () => undefined })();
  }

  /** Ends something when the engine closes, unless the returned function is called before. */
  #untilClosed<Result>(end: () => Result): () => Result {
    this.#ends.add(end);
    return () => {
      this.#ends.delete(end);
      return end();
    };
  }

  /** Returns true unless another node has the context of the task's request. */
  #canRun({ taskId }: TaskRecord): boolean {
    return (this.#tasks.owners.get(taskId) ?? this) === this;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new TaskEngineError("unavailable", "The task engine is closed.");
  }
}
