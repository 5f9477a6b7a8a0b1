/**
 * @fileoverview Follows a task: polls it, answers its questions, and returns the result of the call.
 * @module cli/client/tasks
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { interrupted } from "@tenon/internal/command-line/command";
import { TASKS_EXTENSION } from "tenon/protocol";
import { ReplyError, TransportError } from "./transport.js";

/** Functions of the client that following a task needs. */
export interface TaskPeer {
  readonly signal: AbortSignal;
  request(method: string, params: JsonObject): Promise<JsonObject>;
  /** Answers one question. @throws if it cannot be answered */
  answer(question: unknown): Promise<JsonObject>;
  /** Sends `tasks/cancel`. Works after `signal` has aborted, and does not wait for the response. */
  cancel(taskId: string): void;
  /** Called with each new status message. */
  onStatus(message: string): void;
}

/** Adds the Tasks extension to a client's capabilities. */
export function withTasks(capabilities: JsonObject): JsonObject {
  return { ...capabilities, extensions: { [TASKS_EXTENSION]: {} } };
}

/**
 * Follows a task until it has finished. If the user stops the command or a question cannot be answered, the task is
 * cancelled.
 *
 * @throws {ReplyError} if the task failed
 * @throws {TransportError} if the task was cancelled elsewhere, or the connection fails
 */
export async function followTask(created: JsonObject, peer: TaskPeer): Promise<JsonObject> {
  const { taskId } = created;
  if (typeof taskId !== "string" || taskId === "")
    throw new TransportError("The server created a task without a `taskId`.");
  let isFinished = false;
  const finish = (task: JsonObject) => {
    isFinished = true;
    return toResult(task);
  };
  try {
    return finish(await poll(taskId, peer));
  } catch (error) {
    if (!isFinished) peer.cancel(taskId);
    throw error;
  }
}

/** Polls a task until its status is final. */
async function poll(taskId: string, peer: TaskPeer): Promise<JsonObject> {
  const answered = new Set<string>();
  let shown: unknown;
  let delayMs = FIRST_DELAY_MS;
  for (let rounds = 0; ;) {
    const task = await peer.request("tasks/get", { taskId });
    const { status, statusMessage } = task;
    // The message of a failed task repeats its error.
    const isNew = typeof statusMessage === "string" && statusMessage !== shown && status !== "failed";
    if (isNew) peer.onStatus(statusMessage);
    shown = statusMessage;
    if (status !== "working" && status !== "input_required") return task;
    const asked = Object.entries(isJsonObject(task["inputRequests"]) ? task["inputRequests"] : {});
    const open = asked.filter(([key]) => !answered.has(key));
    if (open.length === 0) {
      await wait(delayMs, peer.signal);
      delayMs = Math.min(delayMs * 2, readInterval(task["pollIntervalMs"]));
      continue;
    }
    if (rounds++ === MAX_ROUNDS)
      throw new TransportError(`The task asked for input too many times (limit: ${MAX_ROUNDS}).`);
    const inputResponses: Record<string, JsonObject> = {};
    // The user can answer only one question at a time.
    for (const [key, question] of open) {
      inputResponses[key] = await peer.answer(question);
      answered.add(key);
    }
    await peer.request("tasks/update", { taskId, inputResponses });
    delayMs = FIRST_DELAY_MS;
  }
}

/** Delay before the second request. Many tasks finish soon, so the delay grows to the server's interval. */
const FIRST_DELAY_MS = 50;
const DEFAULT_INTERVAL_MS = 1_000;
/** Maximum interval in milliseconds, so that a server cannot stop the polling. */
const MAX_INTERVAL_MS = 60_000;
/** Maximum number of times that a task may ask for input. */
const MAX_ROUNDS = 100;

function readInterval(value: unknown): number {
  const ms = typeof value === "number" && value > 0 ? value : DEFAULT_INTERVAL_MS;
  return Math.min(Math.max(ms, FIRST_DELAY_MS), MAX_INTERVAL_MS);
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw interrupted();
  }
}

/** Returns the result of a finished task. @throws if it failed or was cancelled */
function toResult({ status, result, error }: JsonObject): JsonObject {
  if (status === "completed" && isJsonObject(result)) return result;
  if (status === "cancelled") throw new TransportError("The task was cancelled.");
  if (status !== "failed" || !isJsonObject(error))
    throw new TransportError("The server's response to tasks/get does not contain a valid task.");
  const { code, message, data } = error;
  throw new ReplyError({
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? message : "no message",
    data,
  });
}
