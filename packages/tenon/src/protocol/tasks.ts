/**
 * @fileoverview The Tasks extension on the wire, as clients see it.
 * @module tenon/protocol/tasks
 */
import type { JsonObject } from "@tenon/internal/json";
import type { RpcError } from "./json-rpc.js";

/** ID of the extension, as in `capabilities.extensions`. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Status of a task. The last three are final. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** Task as in the result of `tasks/get` and in `notifications/tasks`. */
export interface DetailedTask {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  /** Time of creation (ISO 8601). */
  readonly createdAt: string;
  /** Time of the last change (ISO 8601). */
  readonly lastUpdatedAt: string;
  /** Lifetime in milliseconds, from the creation. `null` for no limit. */
  readonly ttlMs: number | null;
  /** Interval in milliseconds at which clients should poll. */
  readonly pollIntervalMs?: number;
  /** Open questions by key. Set if the status is `input_required`. */
  readonly inputRequests?: Readonly<Record<string, TaskInputRequest>>;
  /** Result of the call. Set if the status is `completed`. */
  readonly result?: JsonObject;
  /** Error of the call. Set if the status is `failed`. */
  readonly error?: RpcError;
}

/** Question of a task to its client. */
export interface TaskInputRequest {
  readonly method: string;
  readonly params: JsonObject;
}
