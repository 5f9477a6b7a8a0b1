/**
 * @fileoverview Task engine whose records and queue are in another process. Tasks run in this process.
 * @module tenon/transport/node/workers/task-client
 */
import { isJsonObject } from "@tenon/internal/json";
import type { TaskEngineSource } from "../../../tasks/engine/engine-source.js";
import {
  type StoredTask,
  type TaskEngine,
  TaskEngineError,
  type TaskWorker,
  type TaskWrite,
} from "../../../tasks/engine/task-engine.js";
import type { TaskRecord } from "../../../tasks/state/record.js";
import { readNumber, readRecord, readText } from "./read-arguments.js";
import type { RpcChannel } from "./rpc-channel.js";

/** Watchers and workers of all engines on a channel, by ID. */
interface Registry {
  readonly watchers: Map<number, () => void>;
  readonly workers: Map<number, TaskWorker>;
  lastId: number;
}

/** Creates engines on a channel. */
export function createEngineSource(channel: RpcChannel): TaskEngineSource {
  const registry: Registry = { watchers: new Map(), workers: new Map(), lastId: 0 };
  channel.handle({
    "tasks.changed": (args) => registry.watchers.get(readNumber(args, 0))?.(),
    "tasks.serves": (args) => {
      const worker = registry.workers.get(readNumber(args, 0));
      return worker !== undefined && (worker.serves?.(readRecord(args, 1)) ?? true);
    },
    "tasks.run": (args) => runTask(registry.workers.get(readNumber(args, 0)), readText(args, 1)),
  });
  return {
    // The sealer is not used: the records stay in the memory of this machine.
    createTaskEngine({ server, limits }) {
      channel.notify("tasks.open", [server, limits]);
      return new RemoteTaskEngine(channel, registry, server);
    },
  };
}

/** Runs a task. Returns false if the engine must run it again later. */
async function runTask(worker: TaskWorker | undefined, taskId: string): Promise<boolean> {
  if (worker === undefined) return false;
  try {
    await worker.run(taskId);
    return true;
  } catch (error) {
    worker.report(error);
    return false;
  }
}

class RemoteTaskEngine implements TaskEngine {
  readonly #channel: RpcChannel;
  readonly #registry: Registry;
  readonly #server: string;
  readonly #watchers = new Set<() => void>();
  readonly #stops = new Set<() => Promise<void>>();
  #isClosed = false;

  constructor(channel: RpcChannel, registry: Registry, server: string) {
    this.#channel = channel;
    this.#registry = registry;
    this.#server = server;
  }

  async create(record: TaskRecord): Promise<void> {
    this.#assertOpen();
    await this.#channel.call("tasks.create", [this.#server, record]);
  }

  async read(taskId: string): Promise<StoredTask | undefined> {
    const stored = await this.#channel.call("tasks.read", [this.#server, taskId]);
    // Safe: the other process runs the same version of this package.
    return isJsonObject(stored) ? (stored as unknown as StoredTask) : undefined;
  }

  async write({ record, expectedVersion, queue = false }: TaskWrite): Promise<boolean> {
    this.#assertOpen();
    return (await this.#channel.call("tasks.write", [this.#server, record, expectedVersion, queue])) === true;
  }

  async watch(taskId: string, listener: () => void): Promise<() => void> {
    const { watchers } = this.#registry;
    const id = ++this.#registry.lastId;
    const unwatch = () => {
      this.#watchers.delete(unwatch);
      if (watchers.delete(id)) this.#channel.notify("tasks.unwatch", [id]);
    };
    watchers.set(id, listener);
    this.#watchers.add(unwatch);
    try {
      await this.#channel.call("tasks.watch", [this.#server, taskId, id]);
    } catch (error) {
      unwatch();
      throw error;
    }
    return unwatch;
  }

  work(worker: TaskWorker): () => Promise<void> {
    const { workers } = this.#registry;
    const id = ++this.#registry.lastId;
    workers.set(id, worker);
    this.#channel.call("tasks.work", [this.#server, id]).catch((error: unknown) => worker.report(error));
    let stopped: Promise<void> | undefined;
    const stop = async () => {
      this.#stops.delete(stopOnce);
      // If the channel is closed, no other process waits for the runs.
      await this.#channel.call("tasks.stop", [this.#server, id]).catch(() => undefined);
      workers.delete(id);
    };
    const stopOnce = () => (stopped ??= stop());
    this.#stops.add(stopOnce);
    return stopOnce;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const unwatch of this.#watchers) unwatch();
    for (const stop of this.#stops) void stop();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new TaskEngineError("unavailable", "The task engine is closed.");
  }
}
