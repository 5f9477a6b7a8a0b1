/**
 * @fileoverview Tasks in the test client: reads a task until it has finished, and lets the fakes answer its questions.
 * @module transport/memory/task-handle
 */
import type { JsonObject } from "@tenon/internal/json";
import {
  type ClientCapabilities,
  type DetailedTask,
  type RpcError,
  TASKS_EXTENSION,
} from "../../protocol/index.js";
import { ClientError } from "./client-error.js";
import type { RequestOptions } from "./client-options.js";

/** Task that a test client created. */
export interface TaskHandle<Result> {
  readonly taskId: string;
  /** Reads the task's current state. */
  get(): Promise<DetailedTask>;
  /** Answers open questions by key, as `tasks/update` does. The fakes are not used. */
  answer(inputResponses: JsonObject): Promise<void>;
  /** Cancels the task. A handler that is running stops later. */
  cancel(): Promise<void>;
  /**
   * Follows the task until it has finished, and returns the result of the call. The fakes answer its questions. If
   * `signal` aborts or a question cannot be answered, the task is cancelled.
   *
   * @throws {ClientError} if the task failed
   * @throws an `AbortError` if the task was cancelled
   */
  result(options?: RequestOptions): Promise<Result>;
}

/** Functions of the client that a handle needs. */
export interface TaskPeer {
  request(method: string, params: JsonObject): Promise<JsonObject>;
  /** Lets the fakes respond to questions, by key. */
  answer(inputRequests: DetailedTask["inputRequests"]): Promise<JsonObject>;
}

/** Adds the extension to a client's capabilities. */
export function withTasks(capabilities: ClientCapabilities): ClientCapabilities {
  return { ...capabilities, extensions: { ...capabilities.extensions, [TASKS_EXTENSION]: {} } };
}

/** Returns a handle if the result of a call is a task. */
export function toTaskHandle<Result>(peer: TaskPeer, created: JsonObject): TaskHandle<Result> | undefined {
  if (created["resultType"] !== "task") return undefined;
  const taskId = String(created["taskId"]);
  const handle: TaskHandle<Result> = {
    taskId,
    // Safe: a Tenon server sent it.
    get: async () => (await peer.request("tasks/get", { taskId })) as unknown as DetailedTask,
    async answer(inputResponses) {
      await peer.request("tasks/update", { taskId, inputResponses });
    },
    async cancel() {
      await peer.request("tasks/cancel", { taskId });
    },
    result: async (options = {}) => (await followTask(handle, peer, options)) as Result, // Safe: see `callTool`
  };
  return handle;
}

async function followTask(
  handle: TaskHandle<unknown>,
  peer: TaskPeer,
  options: RequestOptions,
): Promise<unknown> {
  try {
    return await pollTask(handle, peer, options);
  } catch (error) {
    // Has no effect on a task that has finished.
    await handle.cancel().catch(() => undefined);
    throw error;
  }
}

async function pollTask(
  handle: TaskHandle<unknown>,
  peer: TaskPeer,
  { signal, onProgress }: RequestOptions,
): Promise<unknown> {
  let message: string | undefined;
  // An answered question can be listed again if the engine stores answers with a delay.
  const answered = new Set<string>();
  for (let changes = 0; ;) {
    signal?.throwIfAborted();
    const task = await handle.get();
    // The message of a failed task repeats its error.
    if (task.status !== "failed" && task.statusMessage !== undefined && task.statusMessage !== message) {
      message = task.statusMessage;
      onProgress?.({ progress: ++changes, message });
    }
    switch (task.status) {
      case "completed":
        return task.result;
      case "failed":
        throw new ClientError(task.error as RpcError); // Safe: a failed task has an error
      case "cancelled":
        throw new DOMException("The task was cancelled.", "AbortError");
      case "input_required":
      case "working": {
        const asked = Object.entries(task.inputRequests ?? {}).filter(([key]) => !answered.has(key));
        for (const [key] of asked) answered.add(key);
        if (asked.length > 0) await handle.answer(await peer.answer(Object.fromEntries(asked)));
        else await delay(Math.min(task.pollIntervalMs ?? MAX_POLL_MS, MAX_POLL_MS), signal);
      }
    }
  }
}

/** Maximum interval between two reads in milliseconds. Reading is cheap in memory, so tests need not wait longer. */
const MAX_POLL_MS = 5;

function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      signal?.removeEventListener("abort", end);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}
