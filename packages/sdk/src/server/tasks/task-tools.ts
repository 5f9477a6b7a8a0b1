/**
 * @fileoverview Runs tools that create tasks, and checks which calls may request a task.
 * @module sdk/server/tasks/task-tools
 */
import type { McpResponse } from "tenon";
import { ArgumentsError, isToolResult, resultResponse } from "tenon/host";
import type { ResultEncoder } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Callback, McpExtra } from "../../types.js";
import { INVALID_PARAMS, numbered } from "../requests/errors.js";
import { failureResponse } from "../requests/own-methods.js";
import type { RequestScope, RequestScopes } from "../requests/request-scope.js";
import { resultOf } from "../requests/responses.js";
import { isTerminal, requestedTaskOf, type RequestTaskStore, toTask } from "../task-types.js";
import type { TaskWaits } from "./task-queues.js";

/** Support for tasks in a tool's definition. */
export interface ToolExecution {
  readonly taskSupport?: "required" | "optional" | "forbidden";
}

/** Handler of a tool that creates tasks. Its methods receive the arguments only if the tool has an input schema. */
export interface TaskToolHandler {
  readonly createTask: Callback;
  readonly getTask: Callback;
  readonly getTaskResult: Callback;
}

/** Recognizes the handler of a tool that creates tasks. */
export function isTaskToolHandler(handler: unknown): handler is TaskToolHandler {
  const isObject = (typeof handler === "object" && handler !== null) || typeof handler === "function";
  return isObject && "createTask" in handler;
}

/** Returns true if the client requests a task for a tool call. The stateless revision does not have these tasks. */
export function requestsTask({ message, era }: RequestScope): boolean {
  return message.method === "tools/call" && requestedTaskOf(message.params) !== undefined && era === "legacy";
}

/** Tool that is called. */
interface CalledTool {
  readonly name: string;
  readonly execution: ToolExecution | undefined;
  readonly handler: unknown;
}

/** Asserts that the client may call a tool in this way: with or without a task. @throws {ArgumentsError} */
export function assertTaskUse(tool: CalledTool, scope: RequestScope | undefined): void {
  const { name, execution, handler } = tool;
  const { taskSupport = "forbidden" } = execution ?? {};
  const wantsTask = scope !== undefined && requestsTask(scope);
  const creates = isTaskToolHandler(handler);
  if (taskSupport !== "forbidden" && !creates) {
    const text = `Tool ${name} has taskSupport '${taskSupport}' but was not registered with registerToolTask`;
    throw new ArgumentsError(text, numbered(-32603, text));
  }
  if (taskSupport === "required" && !wantsTask) {
    const text = `Tool ${name} requires task augmentation (taskSupport: 'required')`;
    throw new ArgumentsError(text, numbered(-32601, text));
  }
  // The official SDK runs the callback first, and then rejects its result.
  if (wantsTask && !creates) throw new ArgumentsError(`Tool ${name} does not create tasks`);
}

/** Parts of a server that run tools. */
interface TaskToolHost {
  readonly requestScopes: RequestScopes;
  readonly waits: TaskWaits;
}

/**
 * Creates the callback of a tool that creates tasks. If the client requests a task, the task is the result. Otherwise,
 * the callback waits until the task is over, and returns its result. The callback has the handler's methods.
 */
export function createTaskCallback(handler: TaskToolHandler, host: TaskToolHost): Callback & TaskToolHandler {
  const callback = async (...given: readonly unknown[]): Promise<unknown> => {
    const scope = host.requestScopes.current;
    const { signal, taskStore } = given.at(-1) as McpExtra; // Safe: `extra` is the last argument of every callback
    const isRequested = scope !== undefined && requestsTask(scope);
    if (taskStore === undefined) {
      throw new Error(
        isRequested ? "No task store provided." : "No task store provided for task-capable tool.",
      );
    }
    // Safe: the handler was type-checked against the tool's schema at registration.
    const createTask = handler.createTask as (...given: readonly unknown[]) => unknown;
    const created: unknown = await createTask.call(handler, ...given);
    const task = isJsonObject(created) ? toTask(created["task"]) : undefined;
    if (!isJsonObject(created) || task === undefined) {
      throw new Error("`createTask` must return an object with the created task: { task }.");
    }
    if (!isRequested) {
      return waitForResult(task.taskId, { taskStore, waits: host.waits, signal, ms: task.pollInterval });
    }
    scope.reply = { ...created, task };
    return { content: [] };
  };
  const { createTask, getTask, getTaskResult } = handler;
  return Object.assign(callback, { createTask, getTask, getTaskResult });
}

interface Wait {
  readonly taskStore: RequestTaskStore;
  readonly waits: TaskWaits;
  readonly signal: AbortSignal;
  readonly ms: number | undefined;
}

const AUTOMATIC_POLL_MS = 5_000;

async function waitForResult(taskId: string, { taskStore, waits, signal, ms }: Wait): Promise<unknown> {
  for (;;) {
    const { status } = await taskStore.getTask(taskId);
    if (isTerminal(status)) return taskStore.getTaskResult(taskId);
    await waits.wait(taskId, ms ?? AUTOMATIC_POLL_MS, signal);
  }
}

/**
 * Converts the reply to a call that requests a task: to the created task, or to an error if the tool did not create
 * one. Such a call must not get a tool result.
 */
export function toTaskResponse(
  scope: RequestScope,
  response: McpResponse,
  encoderOf: () => ResultEncoder,
): McpResponse {
  if (response.isEmpty() || response.error !== undefined || !requestsTask(scope)) return response;
  const { id } = scope.message;
  if (scope.reply !== undefined) return resultResponse(id, encoderOf().custom(scope.reply));
  const reason = `Invalid task creation result: ${textOf(resultOf(response))}`;
  return failureResponse(scope, { code: INVALID_PARAMS, message: numbered(INVALID_PARAMS, reason) });
}

function textOf(result: JsonObject): string {
  const first = isToolResult(result) ? result.content[0] : undefined;
  return first?.type === "text" ? first.text : "The tool did not create a task.";
}
