/**
 * @fileoverview Seals records and opens them again. A sealed record belongs to one task and one version, so it cannot
 * be altered or moved.
 * @module redis/tasks/record-codec
 */
import type { TaskEngineContext, TaskRecord } from "tenon/tasks";

/** Seals and opens the records of one server. */
export class RecordCodec {
  readonly #context: Pick<TaskEngineContext, "sealer" | "server">;

  constructor(context: Pick<TaskEngineContext, "sealer" | "server">) {
    this.#context = context;
  }

  /** Encrypts a record. */
  seal(record: TaskRecord, version: string): Promise<string> {
    return this.#context.sealer.seal(JSON.stringify(record), this.#placeOf(record.taskId, version));
  }

  /** Decrypts a record. Resolves with `undefined` if it was altered or belongs to a different task or version. */
  async open(taskId: string, version: string, sealed: string): Promise<TaskRecord | undefined> {
    const text = await this.#context.sealer.open(sealed, this.#placeOf(taskId, version));
    return text === undefined ? undefined : (JSON.parse(text) as TaskRecord); // Safe: `seal` wrote it
  }

  #placeOf(taskId: string, version: string): string {
    return JSON.stringify(["task", this.#context.server, taskId, version]);
  }
}
