/**
 * @fileoverview Interface between the embedded engine and its durable copy of the records.
 * @module tenon/tasks/directory/task-log
 */
import type { TaskRecord } from "../state/record.js";

/** Record with the number of its last write. */
export interface LoggedTask {
  readonly record: TaskRecord;
  readonly version: number;
}

/** Durable copy of the records. */
export interface TaskLog {
  /** Reads all records. Lines that cannot be read are reported and skipped. */
  load(report: (error: unknown) => void): Promise<readonly LoggedTask[]>;
  /**
   * Stores a record. Resolves when it is durable.
   *
   * @param live returns the current records of tasks that have not expired, for logs that remove old copies of them
   */
  append(task: LoggedTask, live: () => Iterable<LoggedTask>): Promise<void>;
  /** Waits for pending records and releases the log. */
  close(): Promise<void>;
}
