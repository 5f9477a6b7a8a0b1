/**
 * @fileoverview Sends the changes of tasks on `subscriptions/listen` streams.
 * @module tasks/listen
 */
import { kindOf } from "@tenon/internal/kind-of";
import { Call } from "../core/call/call.js";
import type { ListenHook, ListenSource } from "../core/definitions/attached-extension.js";
import { McpError } from "../protocol/index.js";
import { isFinal, type TaskRecord, toDetailedTask, visibleState } from "./state/record.js";
import { expiryOf } from "./state/transitions.js";
import { assertTasksDeclared } from "./task-kind.js";
import type { TaskRuntime } from "./task-runtime.js";

/** Maximum number of tasks on one stream. */
const MAX_TASKS = 1_000;

/** Creates the function that reads `taskIds` from a client's filter. */
export function createListenHook(tasks: TaskRuntime): ListenHook {
  return async (notifications, incoming) => {
    const { taskIds } = notifications;
    if (taskIds === undefined) return undefined;
    const call = new Call(incoming);
    assertTasksDeclared(call);
    const asked = readTaskIds(taskIds);
    const found = await Promise.all(
      asked.map((taskId) => tasks.find(taskId, call).then(() => [taskId], ifUnknown)),
    );
    const known = found.flat();
    return {
      accepted: { taskIds: known },
      open(send) {
        const followers = known.map((taskId) => new Follower(tasks, taskId, send));
        for (const follower of followers) void follower.start();
        return () => {
          for (const follower of followers) follower.stop();
        };
      },
    };
  };
}

function readTaskIds(value: unknown): readonly string[] {
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string"))
    throw new McpError("INVALID_PARAMS", `\`taskIds\` must be an array of strings; got ${kindOf(value)}.`);
  if (value.length > MAX_TASKS)
    throw new McpError("INVALID_PARAMS", `\`taskIds\` has ${value.length} items (limit: ${MAX_TASKS}).`);
  return [...new Set(value)];
}

/** Leaves out tasks that are unknown or belong to a different caller. */
function ifUnknown(error: unknown): readonly string[] {
  if (error instanceof McpError && error.code === "INVALID_PARAMS") return [];
  throw error;
}

type Send = Parameters<ListenSource["open"]>[0];

/**
 * Sends a task's current state and then every change, until the task has finished. While a notification is being sent,
 * further changes are combined into one.
 */
class Follower {
  readonly #tasks: TaskRuntime;
  readonly #taskId: string;
  readonly #send: Send;
  #isOpen = true;
  #isSending = false;
  #isChanged = false;
  #sent = "";
  #unwatch: (() => void) | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(tasks: TaskRuntime, taskId: string, send: Send) {
    this.#tasks = tasks;
    this.#taskId = taskId;
    this.#send = send;
  }

  /** Starts with the current state. */
  async start(): Promise<void> {
    try {
      const unwatch = await this.#tasks.engine.watch(this.#taskId, () => this.#onChange());
      if (this.#isOpen) this.#unwatch = unwatch;
      else unwatch();
      this.#onChange();
    } catch (error) {
      this.#tasks.report("subscriptions/listen", error);
    }
  }

  /** Sends nothing more. */
  stop(): void {
    this.#isOpen = false;
    this.#unwatch?.();
    this.#stopTimer?.();
  }

  #onChange(): void {
    this.#isChanged = true;
    if (!this.#isSending && this.#isOpen) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    try {
      while (this.#isChanged && this.#isOpen) {
        this.#isChanged = false;
        await this.#sendNewest();
      }
    } catch (error) {
      this.#tasks.report("subscriptions/listen", error);
    } finally {
      this.#isSending = false;
    }
  }

  async #sendNewest(): Promise<void> {
    const record = await this.#tasks.store.read(this.#taskId);
    if (!this.#isOpen) return;
    if (record === undefined) return this.stop();
    const state = visibleState(record);
    if (state === this.#sent) return;
    this.#sent = state;
    if (isFinal(record)) this.stop();
    else this.#watchExpiry(record);
    await this.#send("notifications/tasks", toDetailedTask(record));
  }

  /** Looks at the task when its lifetime ends. Nobody else may do so. */
  #watchExpiry(record: TaskRecord): void {
    const { ports } = this.#tasks.host.services;
    this.#stopTimer?.();
    const delay = expiryOf(record) - ports.now();
    if (delay <= MAX_DELAY)
      this.#stopTimer = ports.startTimer(() => this.#onChange(), Math.max(delay, 1), true);
  }
}

/** Maximum delay of a timer. A longer one would fire at once. */
const MAX_DELAY = 2 ** 31 - 1;
