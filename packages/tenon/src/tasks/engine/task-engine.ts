/**
 * @fileoverview Interface for engines, which store task records and decide when and in which process a task runs. The
 * rules of tasks are not part of an engine: it neither changes records nor interprets them, except for the members that
 * are named here.
 * @module tenon/tasks/engine/task-engine
 */
import type { TaskRecord } from "../state/record.js";

/** Record and its version. */
export interface StoredTask {
  readonly record: TaskRecord;
  /** Opaque version. Every write creates a new one. */
  readonly version: string;
}

/** New record for an existing task. */
export interface TaskWrite {
  readonly record: TaskRecord;
  /** Version that the change is based on. The write fails if the record has a different version. */
  readonly expectedVersion: string;
  /** True if a worker must run the task after the write. */
  readonly queue?: boolean;
}

/** Runs tasks for an engine. */
export interface TaskWorker {
  /**
   * Runs a task until it finishes or has questions to the client. The engine may call it again for the same task: the
   * worker then reads from the record if the task has finished, waits, or has lost its worker.
   *
   * Rejects if the engine failed before or during the run. The engine then calls it again later.
   *
   * @param stored newest record, if the engine has just read it
   */
  run(taskId: string, stored?: StoredTask): Promise<void>;
  /**
   * Returns true if the worker can run the task. Several servers can share an engine.
   * @default every task
   */
  serves?(record: TaskRecord): boolean;
  /** Reports a failure that no caller can receive, such as an unreadable record. */
  report(error: unknown): void;
}

/** Stores tasks and runs them. Every method rejects with a `TaskEngineError` or with the error of its backend. */
export interface TaskEngine {
  /**
   * Stores a new task and queues it. When the promise resolves, `read` returns the task on every node, and a worker
   * will run it.
   *
   * @throws {TaskEngineError} `full` if a limit on the number or size of tasks is reached
   */
  create(record: TaskRecord): Promise<void>;
  /** Returns a task, or `undefined` if it does not exist or its `deleteAt` has passed. */
  read(taskId: string): Promise<StoredTask | undefined>;
  /**
   * Replaces a record, and queues the task if `queue` is true. Both happen or neither. Returns false if the record has
   * a different version or no longer exists.
   *
   * @throws {TaskEngineError} `full` if the record is larger than before and a size limit is reached
   */
  write(change: TaskWrite): Promise<boolean>;
  /** Calls `listener` after every write to a task on any node. Resolves once no write is missed. */
  watch(taskId: string, listener: () => void): Promise<() => void>;
  /**
   * Runs queued tasks with `worker` until the returned function is called. The function resolves when the tasks that
   * the worker runs have ended. Tasks that no worker serves wait.
   *
   * A task whose worker stopped without ending its run is queued again. At any time, a task runs at most once, except
   * if a worker that seemed to be lost continues.
   */
  work(worker: TaskWorker): () => Promise<void>;
  /** Releases all resources. Stored tasks remain if the engine is durable. */
  close(): Promise<void>;
}

/** Reason for which an engine rejected a task. `unavailable` means that it cannot store records now. */
export type TaskEngineErrorCode = "full" | "unavailable";

/** Thrown by an engine. The message is for the operator, and for clients if the code is `full`. */
export class TaskEngineError extends Error {
  override readonly name = "TaskEngineError";

  constructor(
    readonly code: TaskEngineErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}
