/**
 * @fileoverview Tasks of one server: the store and the queue that the application provides, and access to them for
 * requests.
 * @module sdk/server/tasks/task-support
 */
import { randomUUID } from "node:crypto";
import type { Exchange } from "tenon";
import type { Connection, Question } from "tenon/host";
import { classifyEra, type JsonRpcNotification, type JsonRpcResponse, type RequestId } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { quoted } from "@tenon/internal/text";
import type { McpExtra, OutgoingNotification } from "../../types.js";
import { INTERNAL_ERROR, INVALID_PARAMS, RequestError } from "../requests/errors.js";
import type { DropInExchange, Request, RequestScope } from "../requests/request-scope.js";
import {
  isTerminal,
  type QueuedMessage,
  relatedTaskOf,
  requestedTaskOf,
  type RequestTaskStore,
  type TaskMessageQueue,
  type TaskStore,
  type TaskStoreOptions,
  toTask,
  withRelatedTask,
} from "../task-types.js";
import { TaskQuestions, TaskWaits } from "./task-queues.js";

/** Server functions that tasks use. */
export interface TaskHost {
  /** Returns the capabilities that the server declares. */
  capabilities(): JsonObject;
  /** Sends a notification over the connection of a request, independent of the request's own stream. */
  push(scope: RequestScope, notification: OutgoingNotification): Promise<void>;
  /** Reports an error that no caller receives. */
  report(error: unknown, operation: string): void;
}

/** Maximum number of messages in the queue of one task, unless the application sets another limit. */
const DEFAULT_QUEUE_SIZE = 1_000;
const DEFAULT_POLL_MS = 1_000;

/** Tasks of one server. */
export class TaskSupport {
  readonly host: TaskHost;
  readonly store: TaskStore | undefined;
  readonly queue: TaskMessageQueue | undefined;
  readonly waits = new TaskWaits();
  readonly questions = new TaskQuestions();
  /** Time between two checks of a task without its own interval, in milliseconds. */
  readonly pollMs: number;
  readonly #maxQueueSize: number;
  /** Session of each connection. The value is `undefined` for official transports without sessions. */
  readonly #sessionIds = new WeakMap<Connection, string | undefined>();

  constructor(options: TaskStoreOptions, host: TaskHost) {
    this.host = host;
    this.store = options.taskStore;
    this.queue = options.taskMessageQueue;
    this.pollMs = options.defaultTaskPollInterval ?? DEFAULT_POLL_MS;
    this.#maxQueueSize = options.maxTaskQueueSize ?? DEFAULT_QUEUE_SIZE;
  }

  /** Returns the members of `extra` for tasks. */
  extraOf(scope: RequestScope): Pick<McpExtra, "taskId" | "taskStore" | "taskRequestedTtl"> {
    const { params } = scope.message;
    const taskId = relatedTaskOf(params);
    const ttl = requestedTaskOf(params)?.ttl;
    const { store } = this;
    return {
      ...(taskId === undefined ? {} : { taskId }),
      ...(store === undefined ? {} : { taskStore: this.#storeFor(store, scope) }),
      ...(ttl === undefined ? {} : { taskRequestedTtl: ttl }),
    };
  }

  /** Returns the task that a request belongs to. Messages to the client are queued for that task. */
  relatedTo({ message, exchange }: RequestScope): { readonly taskId: string } | undefined {
    const taskId = relatedTaskOf(message.params);
    return taskId === undefined || !isLegacy(message, exchange) ? undefined : { taskId };
  }

  /** Returns the reason why a request cannot have a task, or `undefined` if it can or does not request one. */
  missingFor(message: Request, exchange: DropInExchange | undefined): string | undefined {
    const { method, params } = message;
    if (requestedTaskOf(params) === undefined || !isLegacy(message, exchange)) return undefined;
    return describeMissing(this.host.capabilities()["tasks"], method);
  }

  /**
   * Asserts that the session of a request has the task that the request belongs to, if any. Otherwise, a client could
   * fill the queues of other tasks, or create any number of queues.
   */
  async assertRelated({ message, exchange }: RequestScope): Promise<void> {
    const related = relatedTaskOf(message.params);
    const { store, queue } = this;
    if (related === undefined || store === undefined || queue === undefined) return;
    const task = await store.getTask(related, this.sessionOf(exchange));
    if (!task) throw new RequestError(INVALID_PARAMS, describeUnknown(related));
  }

  /**
   * Returns the session that a request's tasks belong to. Official transports provide its ID. For other transports,
   * it is the connection or, without one, the authenticated caller.
   */
  sessionOf(exchange: DropInExchange | undefined): string | undefined {
    if (exchange === undefined) return undefined;
    const { connection, sdk, auth } = exchange;
    if (sdk !== undefined) this.#sessionIds.set(connection, sdk.sessionId);
    else if (!connection.pushes) return auth === undefined ? undefined : `principal:${auth.principal}`;
    else if (!this.#sessionIds.has(connection)) this.#sessionIds.set(connection, randomUUID());
    return this.#sessionIds.get(connection);
  }

  /** Adds a notification to a task's queue. The client receives it while it waits for the task's result. */
  async notify(
    taskId: string,
    { method, params }: OutgoingNotification,
    exchange: DropInExchange | undefined,
  ): Promise<void> {
    const given = isJsonObject(params) ? params : {};
    const message: JsonRpcNotification = {
      jsonrpc: "2.0",
      method,
      params: withRelatedTask(given, { taskId }),
    };
    await this.#enqueue(taskId, { type: "notification", message, timestamp: Date.now() }, exchange);
  }

  /** Adds a request to a task's queue. @throws if the queue rejects it */
  async ask(
    { taskId, exchange }: { readonly taskId: string; readonly exchange: DropInExchange },
    request: { readonly method: string; readonly params: JsonObject },
    signal: AbortSignal,
  ): Promise<Question> {
    const { connection } = exchange;
    const { message, answer } = this.questions.ask({ taskId, connection }, request, signal);
    try {
      await this.#enqueue(taskId, { type: "request", message, timestamp: Date.now() }, exchange);
    } catch (error) {
      const failed = { code: INTERNAL_ERROR, message: "The request was not queued." };
      if (message.id !== undefined) this.questions.settle({ jsonrpc: "2.0", id: message.id, error: failed });
      throw error;
    }
    return { message, answer };
  }

  /** Passes a response to a queued request. Returns false if it does not belong to one. */
  settle(response: JsonRpcResponse): boolean {
    return this.questions.settle(response);
  }

  /** Ends the queue of a task that is over. Requests without a response fail. */
  async clear(taskId: string, sessionId: string | undefined): Promise<void> {
    this.questions.end(taskId);
    try {
      await this.queue?.dequeueAll(taskId, sessionId);
    } catch (error) {
      this.host.report(error, "tasks/result");
    }
  }

  #storeFor(store: TaskStore, scope: RequestScope): RequestTaskStore {
    const { message } = scope;
    const sessionId = this.sessionOf(scope.exchange);
    const changed = async (taskId: string) => {
      this.waits.wake(taskId);
      const task = toTask(await store.getTask(taskId, sessionId));
      if (task === undefined) return;
      await this.host.push(scope, { method: "notifications/tasks/status", params: task });
    };
    return createRequestTaskStore(store, { message, sessionId, changed });
  }

  async #enqueue(
    taskId: string,
    message: QueuedMessage,
    exchange: DropInExchange | undefined,
  ): Promise<void> {
    if (this.store === undefined || this.queue === undefined) {
      throw new Error("Cannot enqueue task message: taskStore and taskMessageQueue are not configured");
    }
    await this.queue.enqueue(taskId, message, this.sessionOf(exchange), this.#maxQueueSize);
    this.waits.wake(taskId);
  }
}

/** Describes a task that does not exist. Long IDs from clients are cut. */
export function describeUnknown(taskId: string): string {
  return `Task not found: ${quoted(taskId)}`;
}

/** Returns true if a request belongs to a legacy revision. The stateless revision does not have these tasks. */
export function isLegacy(message: Request, exchange: Exchange | undefined): boolean {
  if (exchange === undefined) return true;
  const { connection } = exchange;
  const header = exchange.header?.("mcp-protocol-version") ?? undefined;
  return (connection.era ?? classifyEra(message, header)) === "legacy";
}

/** Describes a capability that the server lacks, with the official SDK's text. */
function describeMissing(tasks: unknown, method: string): string | undefined {
  const requests = isJsonObject(tasks) ? tasks["requests"] : undefined;
  if (!isJsonObject(requests)) return `Server does not support task creation (required for ${method})`;
  const tools = requests["tools"];
  if (method !== "tools/call" || (isJsonObject(tools) && tools["call"])) return undefined;
  return `Server does not support task creation for tools/call (required for ${method})`;
}

/** The request that uses the store. */
interface StoreRequest {
  readonly message: { readonly id: RequestId; readonly method: string; readonly params?: JsonObject };
  readonly sessionId: string | undefined;
  /** Called after a task's status has changed. */
  changed(taskId: string): Promise<void>;
}

/** Creates a request's task store. */
export function createRequestTaskStore(store: TaskStore, request: StoreRequest): RequestTaskStore {
  const { sessionId } = request;
  const { id, method, params } = request.message;
  return {
    createTask: (options) => store.createTask(options, id, { method, params }, sessionId),
    async getTask(taskId) {
      const task = await store.getTask(taskId, sessionId);
      if (!task) throw new RequestError(INVALID_PARAMS, "Failed to retrieve task: Task not found");
      return task;
    },
    async storeTaskResult(taskId, status, result) {
      await store.storeTaskResult(taskId, status, result, sessionId);
      await request.changed(taskId);
    },
    getTaskResult: (taskId) => store.getTaskResult(taskId, sessionId),
    async updateTaskStatus(taskId, status, statusMessage) {
      const task = await store.getTask(taskId, sessionId);
      if (!task) {
        throw new RequestError(
          INVALID_PARAMS,
          `Task "${quoted(taskId)}" not found - it may have been cleaned up`,
        );
      }
      if (isTerminal(task.status)) {
        throw new RequestError(
          INVALID_PARAMS,
          `Cannot update task "${quoted(taskId)}" from terminal status "${task.status}" to "${status}". ` +
            "Terminal states (completed, failed, cancelled) cannot transition to other states.",
        );
      }
      await store.updateTaskStatus(taskId, status, statusMessage, sessionId);
      await request.changed(taskId);
    },
    listTasks: (cursor) => store.listTasks(cursor, sessionId),
  };
}
