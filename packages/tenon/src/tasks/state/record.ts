/**
 * @fileoverview Task records, and their form on the wire. Records are immutable and contain only JSON data, so that an
 * engine can keep them in memory or store them as text.
 * @module tenon/tasks/state/record
 */
import type { JsonObject } from "@tenon/internal/json";
import type {
  ClientCapabilities,
  LogLevel,
  RequestId,
  Revision,
  RpcError,
  TaskStatus,
} from "../../protocol/index.js";
import type { Auth } from "../../core/wire/exchange.js";

/** The request that created a task. It does not change. */
export interface TaskRequest {
  readonly id: RequestId;
  readonly args: JsonObject;
  readonly meta: JsonObject;
  readonly auth: Auth | null;
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: JsonObject | null;
  readonly logLevel: LogLevel | null;
  /** True if the request had a context, which is lost when the process ends. */
  readonly hasContext: boolean;
}

/** Settings of a task. They do not change. */
export interface TaskPolicy {
  readonly onLostWorker: "fail" | "retry";
  readonly maxLostWorkers: number;
  /** Minimum time in milliseconds for which a finished task can be read. */
  readonly resultTtlMs: number;
}

/** Question to the client that has not been answered yet. */
export interface TaskQuestion {
  /** The handler's key. The key on the wire differs if the question is repeated after an invalid answer. */
  readonly key: string;
  readonly method: string;
  readonly params: JsonObject;
}

/** Step of `call.once`: started, finished with a JSON text, or failed with a message. */
export type TaskStep =
  | { readonly state: "started"; readonly retry: boolean }
  | { readonly state: "done"; readonly json?: string }
  | { readonly state: "failed"; readonly error: StepError };

/** Error of a failed step. `message` is for the client only if `isPublic` is true. */
export interface StepError {
  readonly name: string;
  readonly message: string;
  readonly isPublic: boolean;
  /** True for a `RequestError`, which fails the task. */
  readonly isRequestError?: boolean;
  readonly code?: string;
  readonly details?: JsonObject;
}

/** Results of earlier runs of the handler. */
export interface TaskJournal {
  /** Answers by the handler's key. */
  readonly answers: JsonObject;
  /** Results of `call.once` before the task was created, by key. */
  readonly prepared: Readonly<Record<string, { readonly value?: unknown }>>;
  /** Open questions, by their key on the wire. */
  readonly questions: Readonly<Record<string, TaskQuestion>>;
  /** Reasons for which answers were not accepted, while their questions are open again. */
  readonly rejection: string | null;
  /** Keys on the wire that were used so far. A key is never used twice. */
  readonly usedKeys: readonly string[];
  readonly steps: Readonly<Record<string, TaskStep>>;
  /** Highest progress so far. */
  readonly progress: number | null;
}

/** Everything that is known about a task. Times are in milliseconds since the epoch. */
export interface TaskRecord {
  readonly taskId: string;
  /** Name of the server that created the task and runs it. */
  readonly server: string;
  readonly tool: string;
  /** Scopes that the call required. Readers of the task need them too. Earlier versions of Tenon did not store them. */
  readonly scopes?: readonly string[];
  /** Owner of the task. `null` if callers are not authenticated. */
  readonly principal: string | null;
  readonly request: TaskRequest;
  readonly policy: TaskPolicy;
  readonly status: TaskStatus;
  readonly statusMessage: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  /** Time at which the engine may delete the record. `null` for never. */
  readonly deleteAt: number | null;
  /** Number of times that a worker started the handler. Writes of earlier runs are rejected. */
  readonly run: number;
  readonly isRunning: boolean;
  /** Random ID of the last run. Tells a worker that a start was stored although the engine reported a failure. */
  readonly runId: string | null;
  /** Number of workers that stopped while they ran the handler. */
  readonly lostWorkers: number;
  readonly isCancelRequested: boolean;
  readonly journal: TaskJournal;
  /** JSON text of the result, if the status is `completed`. */
  readonly result: string | null;
  readonly error: RpcError | null;
  /** Approximate memory in bytes. */
  readonly bytes: number;
}

/** Returns true for a status that never changes. */
export function isFinal({ status }: Pick<TaskRecord, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Returns the members that all forms of a task on the wire have in common. */
export function toTask(record: TaskRecord): JsonObject {
  const { taskId, status, createdAt, updatedAt, ttlMs, pollIntervalMs, journal } = record;
  const statusMessage = journal.rejection ?? record.statusMessage;
  return {
    taskId,
    status,
    ...(statusMessage === null ? {} : { statusMessage }),
    createdAt: toIso(createdAt),
    lastUpdatedAt: toIso(updatedAt),
    ttlMs,
    pollIntervalMs,
  };
}

/** Returns a task as in the result of `tasks/get`, with its result, its error, or its open questions. */
export function toDetailedTask(record: TaskRecord): JsonObject {
  const task = toTask(record);
  switch (record.status) {
    case "input_required": {
      const questions = Object.entries(record.journal.questions);
      const inputRequests = Object.fromEntries(
        questions.map(([key, { method, params }]) => [key, { method, params }]),
      );
      return { ...task, inputRequests };
    }
    case "completed":
      return { ...task, result: JSON.parse(record.result ?? "{}") as JsonObject }; // Safe: the encoder wrote it
    case "failed":
      return { ...task, error: record.error };
    case "working":
    case "cancelled":
      return task;
  }
}

/** Returns what a client can see of a task, as text. Used to skip notifications that would repeat the last one. */
export function visibleState({ status, statusMessage, updatedAt, ttlMs, journal }: TaskRecord): string {
  return JSON.stringify([status, statusMessage, updatedAt, ttlMs, Object.keys(journal.questions)]);
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
