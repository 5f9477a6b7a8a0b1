/**
 * @fileoverview Seals records and opens them again. A sealed record belongs to one task and one version, so it cannot
 * be altered or moved.
 * @module redis/tasks/record-codec
 */
import { checkRecord, toRecordText } from "@tenon/internal/records/record-format";
import type { TaskEngineContext, TaskRecord } from "tenon/tasks";

/** Record, `newer` if only a newer version can read it, or `undefined` if it was altered. */
export type OpenedRecord = TaskRecord | "newer" | undefined;

/** Seals and opens the records of one server. */
export class RecordCodec {
  readonly #context: Pick<TaskEngineContext, "sealer" | "server">;

  constructor(context: Pick<TaskEngineContext, "sealer" | "server">) {
    this.#context = context;
  }

  /** Encrypts a record. */
  seal(record: TaskRecord, version: string): Promise<string> {
    return this.#context.sealer.seal(toRecordText("task", record), this.#placeOf(record.taskId, version));
  }

  /** Decrypts a record. Returns the problem if it cannot be read, such as one that belongs to a different task. */
  async open(
    taskId: string,
    version: string,
    sealed: string,
  ): Promise<{ readonly record: OpenedRecord; readonly problem?: string }> {
    const found = checkRecord(
      "task",
      await this.#context.sealer.open(sealed, this.#placeOf(taskId, version)),
    );
    if (found.kind === "read") return { record: found.record as unknown as TaskRecord }; // Safe: `seal` wrote it
    if (found.kind === "newer") return { record: "newer", problem: found.problem };
    const id = `ID ${taskId.slice(0, 6)}…`;
    const problem = `Ignored the record of a task that was altered or has an unknown key (${id}).`;
    return { record: undefined, problem };
  }

  #placeOf(taskId: string, version: string): string {
    return JSON.stringify(["task", this.#context.server, taskId, version]);
  }
}
