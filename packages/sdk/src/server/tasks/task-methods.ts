/**
 * @fileoverview Handles `tasks/get`, `tasks/result`, `tasks/list`, and `tasks/cancel`.
 * @module sdk/server/tasks/task-methods
 */
import { type JsonRpcNotification, type JsonRpcResponse, McpError } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { quoted } from "@tenon/internal/text";
import { messageOf } from "@tenon/internal/thrown";
import type { Dialect, OwnHandler } from "../dialect.js";
import { INVALID_PARAMS, isForClients, RequestError, toFailure } from "../requests/errors.js";
import { failureResponse, UnreadableRequest } from "../requests/own-methods.js";
import { RequestScope, type RequestScopes } from "../requests/request-scope.js";
import { isTerminal, RELATED_TASK, relatedTaskOf, type TaskStore } from "../task-types.js";
import { describeUnknown, isLegacy, type TaskSupport } from "./task-support.js";
import { toTaskResponse } from "./task-tools.js";

/** Request for a task method. */
interface TaskRequest {
  readonly store: TaskStore;
  readonly scope: RequestScope;
  readonly sessionId: string | undefined;
  readonly params: JsonObject;
}

type TaskMethod = (tasks: TaskSupport, request: TaskRequest) => Promise<JsonObject>;

/** Creates the handlers of the methods for tasks. Returns an empty array for a server without a task store. */
export function createTaskHandlers(
  tasks: TaskSupport,
  scopes: RequestScopes,
): readonly (readonly [string, OwnHandler])[] {
  const { store } = tasks;
  if (store === undefined) return [];
  return Object.entries(METHODS).map(([method, run]) => {
    const handler: OwnHandler["handler"] = async (message) => {
      const scope = scopes.current;
      if (scope === undefined || !isLegacy(scope.message, scope.exchange)) {
        throw new McpError("METHOD_NOT_FOUND", `Method not found: ${method}`);
      }
      const given = isJsonObject(message) ? message["params"] : undefined;
      const params = isJsonObject(given) ? given : {};
      return run(tasks, { store, scope, sessionId: tasks.sessionOf(scope.exchange), params });
    };
    // In the stateless revision, the Tasks extension has methods with the same names.
    return [method, { schema: undefined, handler, isLegacy: true }] as const;
  });
}

const METHODS: Readonly<Record<string, TaskMethod>> = {
  "tasks/get": getTask,
  "tasks/result": getTaskResult,
  "tasks/list": listTasks,
  "tasks/cancel": cancelTask,
};

async function getTask(_: TaskSupport, { store, sessionId, params }: TaskRequest): Promise<JsonObject> {
  const task = await store.getTask(readTaskId(params), sessionId);
  if (!task) throw new RequestError(INVALID_PARAMS, "Failed to retrieve task: Task not found");
  return { ...task };
}

async function listTasks(_: TaskSupport, { store, scope, sessionId, params }: TaskRequest) {
  // A stateless client without authorization has no identity, so its tasks cannot be told from those of others.
  if (sessionId === undefined && scope.exchange?.connection.pushes === false) {
    throw new McpError("METHOD_NOT_FOUND", "Method not found: tasks/list");
  }
  const { cursor } = params;
  if (cursor !== undefined && typeof cursor !== "string")
    throw invalid("cursor must be a string", ["cursor"]);
  try {
    const { tasks, nextCursor } = await store.listTasks(cursor, sessionId);
    return { tasks, ...(nextCursor === undefined ? {} : { nextCursor }), _meta: {} };
  } catch (error) {
    throw new RequestError(
      INVALID_PARAMS,
      `Failed to list tasks: ${quoted(messageOf(error) ?? String(error))}`,
    );
  }
}

async function cancelTask(tasks: TaskSupport, { store, sessionId, params }: TaskRequest) {
  const taskId = readTaskId(params);
  try {
    const task = await store.getTask(taskId, sessionId);
    if (!task) throw new RequestError(INVALID_PARAMS, describeUnknown(taskId));
    if (isTerminal(task.status)) {
      throw new RequestError(INVALID_PARAMS, `Cannot cancel task in terminal status: ${task.status}`);
    }
    await store.updateTaskStatus(taskId, "cancelled", "Client cancelled task execution.", sessionId);
    await tasks.clear(taskId, sessionId);
    tasks.waits.wake(taskId);
    const cancelled = await store.getTask(taskId, sessionId);
    if (!cancelled)
      throw new RequestError(INVALID_PARAMS, `Task not found after cancellation: ${quoted(taskId)}`);
    return { _meta: {}, ...cancelled };
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new RequestError(-32600, `Failed to cancel task: ${messageOf(error) ?? "Unknown error"}`);
  }
}

/** Delivers the task's queued messages until the task is over, then returns its result. */
async function getTaskResult(tasks: TaskSupport, request: TaskRequest): Promise<JsonObject> {
  const { store, scope, sessionId, params } = request;
  const taskId = readTaskId(params);
  const find = async () => {
    const task = await store.getTask(taskId, sessionId);
    if (!task) throw new RequestError(INVALID_PARAMS, describeUnknown(taskId));
    return task;
  };
  // The session must have the task before it receives the task's messages.
  await find();
  const end = tasks.waits.begin(scope.exchange?.connection);
  try {
    for (;;) {
      await deliver(tasks, taskId, request);
      const task = await find();
      if (isTerminal(task.status)) break;
      await tasks.waits.wait(taskId, task.pollInterval || tasks.pollMs, scope.signal);
    }
  } finally {
    end();
  }
  const result = await store.getTaskResult(taskId, sessionId);
  await tasks.clear(taskId, sessionId);
  const meta = isJsonObject(result["_meta"]) ? result["_meta"] : {};
  return { ...result, _meta: { ...meta, [RELATED_TASK]: { taskId } } };
}

async function deliver(tasks: TaskSupport, taskId: string, { scope, sessionId }: TaskRequest): Promise<void> {
  const { queue } = tasks;
  if (queue === undefined || scope.exchange?.notify === undefined) return;
  while (!scope.signal.aborted) {
    const queued = await queue.dequeue(taskId, sessionId);
    if (queued === undefined) return;
    const { type, message } = queued;
    if (type !== "response" && type !== "error") {
      // Safe: the queue contains what this server or the application sent. `notify` sends any message unchanged.
      await scope.exchange?.notify?.(message as JsonRpcNotification);
      continue;
    }
    const response = message as JsonRpcResponse; // Safe: the type says that it is a response
    if (tasks.settle(response)) continue;
    const noun = type === "response" ? "Response" : "Error";
    tasks.host.report(
      new Error(`${noun} handler missing for request ${String(response.id)}`),
      "tasks/result",
    );
  }
}

function readTaskId({ taskId }: JsonObject): string {
  if (typeof taskId !== "string") throw invalid("taskId must be a string", ["taskId"]);
  return taskId;
}

function invalid(message: string, path: readonly string[]): UnreadableRequest {
  return new UnreadableRequest({ issues: [{ message, path }] });
}

/** Adds tasks to a dialect: checks requests that use tasks, and sends created tasks. */
export function withTasks(dialect: Dialect, tasks: TaskSupport): Dialect {
  return {
    ...dialect,
    intercept(message, exchange) {
      const missing = message.method === "tools/call" ? tasks.missingFor(message, exchange) : undefined;
      if (missing === undefined) return dialect.intercept?.(message, exchange);
      return failureResponse(new RequestScope(message, exchange), { code: -32603, message: missing });
    },
    run(scope, callback) {
      if (relatedTaskOf(scope.message.params) === undefined) return dialect.run(scope, callback);
      return runRelated(tasks, scope, () => dialect.run(scope, callback));
    },
    async runOwn(own, scope) {
      const missing = tasks.missingFor(scope.message, scope.exchange);
      if (missing !== undefined) throw Object.assign(new Error(missing), { code: -32603 });
      await tasks.assertRelated(scope);
      return dialect.runOwn(own, scope);
    },
    convert(scope, response, conversion) {
      const converted = dialect.convert(scope, response, conversion);
      return toTaskResponse(scope, converted, conversion.encoderOf);
    },
  };
}

/** Runs a callback for a request that belongs to a task. A session without that task gets a JSON-RPC error. */
async function runRelated(tasks: TaskSupport, scope: RequestScope, run: () => unknown): Promise<unknown> {
  try {
    await tasks.assertRelated(scope);
  } catch (error) {
    if (isForClients(error)) scope.failure = toFailure(error, true);
    throw error;
  }
  return run();
}
