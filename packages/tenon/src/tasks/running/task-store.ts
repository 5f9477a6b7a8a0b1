/**
 * @fileoverview Reads and changes the records of an engine. Every change is applied to the newest record, and repeated
 * if another writer was faster.
 * @module tenon/tasks/running/task-store
 */
import type { Ports } from "@tenon/internal/ports";
import { isInstance } from "@tenon/internal/thrown";
import { type StoredTask, type TaskEngine, TaskEngineError } from "../engine/task-engine.js";
import type { TaskRecord } from "../state/record.js";
import { expire } from "../state/transitions.js";

/** Change of a record. Returns `undefined` if nothing changes. */
export type TaskChange = (record: TaskRecord, now: number) => TaskRecord | undefined;

/** Records of an engine. Tasks whose lifetime has ended are failed when they are read. */
export class TaskStore {
  readonly #engine: TaskEngine;
  readonly #ports: Pick<Ports, "now" | "startTimer">;

  constructor(engine: TaskEngine, ports: Pick<Ports, "now" | "startTimer">) {
    this.#engine = engine;
    this.#ports = ports;
  }

  /**
   * Returns the newest record, or `undefined` if the task does not exist.
   *
   * @param isVisible returns false for a task that the reader must not see, which is not changed either
   */
  async read(
    taskId: string,
    isVisible: (record: TaskRecord) => boolean = () => true,
  ): Promise<TaskRecord | undefined> {
    const stored = await this.#engine.read(taskId);
    if (stored === undefined || !isVisible(stored.record)) return undefined;
    if (expire(stored.record, this.#ports.now()) === undefined) return stored.record;
    return this.change(taskId, () => undefined);
  }

  /**
   * Changes a record. Returns the new record, or the current one if nothing changed.
   *
   * @param known record that was just read, which saves a read
   */
  async change(taskId: string, change: TaskChange, known?: StoredTask): Promise<TaskRecord | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const stored = attempt === 0 && known !== undefined ? known : await this.#engine.read(taskId);
      if (stored === undefined) return undefined;
      const now = Math.max(this.#ports.now(), stored.record.updatedAt);
      const record = expire(stored.record, now) ?? change(stored.record, now);
      if (record === undefined) return stored.record;
      const queue = stored.record.status === "input_required" && record.status === "working";
      if (await this.#engine.write({ record, expectedVersion: stored.version, queue })) return record;
    }
    throw new TaskEngineError(
      "unavailable",
      `A task changes too often to be written (ID ${taskId.slice(0, 6)}…).`,
    );
  }

  /**
   * Repeats work on the engine while it fails, with growing delays.
   *
   * @param onFailure called with each error; throws the error to give up
   */
  async retry<T>(work: () => Promise<T>, onFailure: (error: unknown) => void): Promise<T> {
    for (let delay = FIRST_DELAY; ; delay = Math.min(2 * delay, MAX_DELAY)) {
      try {
        return await work();
      } catch (error) {
        if (isInstance(error, TaskEngineError) && error.code === "full") throw error;
        onFailure(error);
      }
      await new Promise<void>((resolve) => this.#ports.startTimer(resolve, delay, true));
    }
  }
}

/** Delays in milliseconds between attempts. They double up to the maximum. */
const FIRST_DELAY = 100;
const MAX_DELAY = 5_000;

/** Maximum number of times that a change is repeated because of other writers. */
const MAX_ATTEMPTS = 100;
