/**
 * @fileoverview Counterparts of the official SDK's types for experimental tasks.
 * @module sdk/server/task-types
 */
import type { RequestId } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { custom, number } from "@tenon/internal/options/option-rows";

/** Key in `_meta` that relates a message to a task. */
export const RELATED_TASK = "io.modelcontextprotocol/related-task";

const STATUSES = ["working", "input_required", "completed", "failed", "cancelled"] as const;

/** State of a task. A task that is completed, failed, or cancelled never changes again. */
export type TaskStatus = (typeof STATUSES)[number];

/** A task as clients see it. */
export interface Task {
  readonly taskId: string;
  readonly status: TaskStatus;
  /** Lifetime in milliseconds. `null` means unlimited. */
  readonly ttl: number | null;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Recommended time between two status requests, in milliseconds. */
  readonly pollInterval?: number | undefined;
  readonly statusMessage?: string | undefined;
}

/** Options for a new task. */
export interface CreateTaskOptions {
  readonly ttl?: number | null | undefined;
  readonly pollInterval?: number | undefined;
  readonly context?: Record<string, unknown> | undefined;
}

/** The request that created a task. */
interface TaskOrigin {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

/** One page of tasks. */
interface TaskPage {
  readonly tasks: readonly Task[];
  readonly nextCursor?: string | undefined;
}

/** Stores tasks and their results. The official SDK's `InMemoryTaskStore` is one. */
export interface TaskStore {
  createTask(
    options: CreateTaskOptions,
    requestId: RequestId,
    request: TaskOrigin,
    sessionId?: string,
  ): Promise<Task>;
  getTask(taskId: string, sessionId?: string): Promise<Task | null>;
  storeTaskResult(
    taskId: string,
    status: "completed" | "failed",
    result: JsonObject,
    sessionId?: string,
  ): Promise<void>;
  getTaskResult(taskId: string, sessionId?: string): Promise<JsonObject>;
  updateTaskStatus(
    taskId: string,
    status: TaskStatus,
    statusMessage?: string,
    sessionId?: string,
  ): Promise<void>;
  listTasks(cursor?: string, sessionId?: string): Promise<TaskPage>;
}

/** A message that waits until the client requests the task's result. */
export interface QueuedMessage {
  readonly type: "request" | "notification" | "response" | "error";
  /** The JSON-RPC message. Its type is open, because the official SDK's message types are narrower than ours. */
  readonly message: object;
  readonly timestamp: number;
}

/** Queues the messages of tasks. The official SDK's `InMemoryTaskMessageQueue` is one. */
export interface TaskMessageQueue {
  enqueue(taskId: string, message: QueuedMessage, sessionId?: string, maxSize?: number): Promise<void>;
  dequeue(taskId: string, sessionId?: string): Promise<QueuedMessage | undefined>;
  dequeueAll(taskId: string, sessionId?: string): Promise<readonly QueuedMessage[]>;
}

/** Options of `McpServer` for tasks. */
export const TASK_OPTIONS = /* @__PURE__ */ defineOptions("tasks", {
  /** Stores tasks. Without a store, clients cannot use tasks. */
  taskStore: custom<TaskStore>(),
  /** Queues requests and notifications of tasks until the client requests a result. */
  taskMessageQueue: custom<TaskMessageQueue>(),
  /**
   * Time between two checks of a task without `pollInterval`, in milliseconds.
   * @default 1000
   */
  defaultTaskPollInterval: number(),
  /**
   * Maximum number of messages in the queue of one task.
   * @default 1000
   */
  maxTaskQueueSize: number(),
});

/** Options of `McpServer` for tasks. */
export interface TaskStoreOptions extends OptionsOf<typeof TASK_OPTIONS> {}

/** The store as a callback sees it: limited to the client's session. Changes notify the client. */
export interface RequestTaskStore {
  createTask(options: CreateTaskOptions): Promise<Task>;
  /** Rejects if the task does not exist. */
  getTask(taskId: string): Promise<Task>;
  storeTaskResult(taskId: string, status: "completed" | "failed", result: JsonObject): Promise<void>;
  getTaskResult(taskId: string): Promise<JsonObject>;
  /** Rejects if the task does not exist or cannot change any more. */
  updateTaskStatus(taskId: string, status: TaskStatus, statusMessage?: string): Promise<void>;
  listTasks(cursor?: string): Promise<TaskPage>;
}

/** Returns true if a task with this status never changes again. */
export function isTerminal(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Copies the defined members of a task. Returns `undefined` if the value is not a task. */
export function toTask(value: unknown): Task | undefined {
  if (!isJsonObject(value)) return undefined;
  const { taskId, ttl, createdAt, lastUpdatedAt, pollInterval, statusMessage } = value;
  const status = STATUSES.find((one) => one === value["status"]);
  const isTask =
    typeof taskId === "string" &&
    status !== undefined &&
    (ttl === null || typeof ttl === "number") &&
    typeof createdAt === "string" &&
    typeof lastUpdatedAt === "string";
  if (!isTask) return undefined;
  return {
    taskId,
    status,
    ttl,
    createdAt,
    lastUpdatedAt,
    ...(typeof pollInterval === "number" ? { pollInterval } : {}),
    ...(typeof statusMessage === "string" ? { statusMessage } : {}),
  };
}

/** Returns the task that a client requests for its call, or `undefined` if it does not request one. */
export function requestedTaskOf(params: unknown): { readonly ttl?: number } | undefined {
  const task = isJsonObject(params) ? params["task"] : undefined;
  if (!isJsonObject(task)) return undefined;
  const { ttl } = task;
  return typeof ttl === "number" ? { ttl } : ttl === undefined ? {} : undefined;
}

/** Returns the ID of the task that a message belongs to. */
export function relatedTaskOf(params: unknown): string | undefined {
  const meta = isJsonObject(params) ? params["_meta"] : undefined;
  const related = isJsonObject(meta) ? meta[RELATED_TASK] : undefined;
  const taskId = isJsonObject(related) ? related["taskId"] : undefined;
  return typeof taskId === "string" ? taskId : undefined;
}

/** Adds a message's task to its parameters. */
export function withRelatedTask(params: JsonObject, relatedTask: unknown): JsonObject {
  const meta = isJsonObject(params["_meta"]) ? params["_meta"] : {};
  return { ...params, _meta: { ...meta, [RELATED_TASK]: relatedTask } };
}
