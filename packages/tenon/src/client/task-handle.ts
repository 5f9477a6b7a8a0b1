/**
 * @fileoverview Tasks in the client: reads a task until it has finished, and answers its questions.
 * @module tenon/client/task-handle
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { DetailedTask } from "../protocol/tasks.js";
import type { RequestOptions } from "./client-options.js";
import { ConnectionError, toClientError } from "./errors.js";
import { delay } from "./transports/delay.js";

/** Task that a client created. */
export interface TaskHandle<Result> {
  readonly taskId: string;
  /** Reads the task's current state. */
  get(): Promise<DetailedTask>;
  /** Answers open questions by key, as `tasks/update` does. The client's handlers are not used. */
  answer(inputResponses: JsonObject): Promise<void>;
  /** Cancels the task. A handler that is running stops later. */
  cancel(): Promise<void>;
  /**
   * Follows the task until it has finished, and returns the result of the call. The client's handlers answer its
   * questions. If `signal` aborts or a question cannot be answered, the task is cancelled.
   *
   * @throws {ClientError} if the task failed
   * @throws an `AbortError` if the task was cancelled
   */
  result(options?: RequestOptions): Promise<Result>;
}

/** Functions of the client that a handle needs. */
export interface TaskPeer {
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** Cancels a task, also after the client's signal has aborted. Never rejects. */
  cancelLast(taskId: string): Promise<void>;
  /** Answers questions, by key. */
  answer(inputRequests: unknown, signal: AbortSignal | undefined): Promise<JsonObject>;
  /** Aborts when the client stops. */
  readonly signal: AbortSignal | undefined;
  /** Longest interval between two reads, in milliseconds. */
  readonly maxPollMs: number;
}

/** Returns a handle if the result of a call is a task. @throws {ConnectionError} if the task has no ID */
export function toTaskHandle<Result>(peer: TaskPeer, created: JsonObject): TaskHandle<Result> | undefined {
  const { resultType, taskId } = created;
  if (resultType !== "task") return undefined;
  if (typeof taskId !== "string" || taskId === "")
    throw new ConnectionError("The server created a task without a `taskId`.", "protocol");
  return {
    taskId,
    get: () => readTask(peer, taskId, {}),
    async answer(inputResponses) {
      await peer.request("tasks/update", { taskId, inputResponses });
    },
    async cancel() {
      await peer.request("tasks/cancel", { taskId });
    },
    result: async (options = {}) => (await followTask(taskId, peer, options)) as Result, // Safe: see `callTool`
  };
}

async function followTask(taskId: string, peer: TaskPeer, options: RequestOptions): Promise<JsonObject> {
  let isFinished = false;
  try {
    const task = await pollTask(taskId, peer, options);
    isFinished = true;
    return resultOf(task);
  } catch (error) {
    if (!isFinished) await peer.cancelLast(taskId);
    throw error;
  }
}

/** Delay before the second read, and the shortest one. Many tasks finish soon, so it grows to the server's interval. */
const FIRST_DELAY_MS = 50;
const DEFAULT_INTERVAL_MS = 1_000;
/** Maximum number of times that a task may ask for input, and maximum length of all keys of its questions. */
const MAX_ROUNDS = 100;
const MAX_KEYS_LENGTH = 1_000_000;

/** Reads a task until its status is final. */
async function pollTask(taskId: string, peer: TaskPeer, options: RequestOptions): Promise<DetailedTask> {
  const signals = [options.signal, peer.signal].filter((one) => one !== undefined);
  const signal = signals.length === 0 ? undefined : AbortSignal.any(signals);
  const watched = signal === undefined ? {} : { signal };
  // An answered question can be listed again if the engine stores answers with a delay.
  const answered = new Set<string>();
  let keysLength = 0;
  const report = createReporter(options);
  let delayMs = FIRST_DELAY_MS;
  for (let rounds = 0; ;) {
    signal?.throwIfAborted();
    const task = await readTask(peer, taskId, watched);
    report(task);
    if (task.status !== "working" && task.status !== "input_required") return task;
    const asked = Object.entries(task.inputRequests ?? {}).filter(([key]) => !answered.has(key));
    if (asked.length === 0) {
      const interval = readInterval(task.pollIntervalMs);
      await delay(Math.min(delayMs, interval, peer.maxPollMs), signal);
      delayMs = Math.min(delayMs * 2, interval);
      continue;
    }
    if (rounds++ === MAX_ROUNDS)
      throw new ConnectionError(
        `The task asked for input too many times (limit: ${MAX_ROUNDS}).`,
        "protocol",
      );
    for (const [key] of asked) keysLength += key.length;
    if (keysLength > MAX_KEYS_LENGTH)
      throw new ConnectionError(
        `The keys of the task's questions are too long (limit: ${MAX_KEYS_LENGTH} characters).`,
        "protocol",
      );
    for (const [key] of asked) answered.add(key);
    const inputResponses = await peer.answer(Object.fromEntries(asked), signal);
    await peer.request("tasks/update", { taskId, inputResponses }, watched);
    delayMs = FIRST_DELAY_MS;
  }
}

/** Creates a function that passes each new status message on. */
function createReporter({ onStatus, onProgress }: RequestOptions): (task: DetailedTask) => void {
  let last: string | undefined;
  let changes = 0;
  return ({ status, statusMessage: message }) => {
    // The message of a failed task repeats its error.
    if (typeof message !== "string" || message === last || status === "failed") return;
    last = message;
    if (onStatus !== undefined) onStatus(message);
    else onProgress?.({ progress: ++changes, message });
  };
}

async function readTask(peer: TaskPeer, taskId: string, options: RequestOptions): Promise<DetailedTask> {
  const task = await peer.request("tasks/get", { taskId }, options);
  if (STATUSES.has(task["status"])) return task as unknown as DetailedTask; // Safe: `resultOf` checks the members
  throw invalidTask();
}

const STATUSES: ReadonlySet<unknown> = new Set([
  "working",
  "input_required",
  "completed",
  "failed",
  "cancelled",
]);

/** Returns the polling interval within limits, so that a server cannot cause a busy loop. */
function readInterval(value: unknown): number {
  return typeof value === "number" && value > 0 ? Math.max(value, FIRST_DELAY_MS) : DEFAULT_INTERVAL_MS;
}

/** Returns the result of a finished task. @throws if it failed or was cancelled */
function resultOf({ status, result, error }: DetailedTask): JsonObject {
  if (status === "completed" && isJsonObject(result)) return result;
  if (status === "cancelled") throw new DOMException("The task was cancelled.", "AbortError");
  if (status !== "failed" || !isJsonObject(error)) throw invalidTask();
  throw toClientError(error);
}

function invalidTask(): ConnectionError {
  return new ConnectionError("The server's response to tasks/get does not contain a valid task.", "protocol");
}
