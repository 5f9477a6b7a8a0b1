/**
 * @fileoverview Sends the changes of tasks on `subscriptions/listen` streams.
 * @module tenon/tasks/listen
 */
import { kindOf } from "@tenon/internal/kind-of";
import type { Ports } from "@tenon/internal/ports";
import { Call } from "../core/call/call.js";
import type { ListenHook, ListenSource } from "../core/definitions/attached-extension.js";
import type { Auth } from "../core/wire/exchange.js";
import { McpError } from "../protocol/index.js";
import { startExpiryTimer } from "./state/expiry-timer.js";
import { isFinal, type TaskRecord, toDetailedTask, visibleState } from "./state/record.js";
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
        const { ports } = tasks.host.services;
        const stream = { send, queue: new SendQueue(ports), auth: call.auth };
        const followers = known.map((taskId) => new Follower(tasks, taskId, stream));
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

/** Delays in milliseconds before a failed read or watch is repeated. They double up to the last one. */
const FIRST_DELAY = 100;
const LAST_DELAY = 10_000;

/** Sender that waits in a queue. */
interface Sender {
  /** Sends at most one notification. Resolves when it has been sent. Never rejects. */
  sendNewest(): Promise<void>;
}

/**
 * Senders of one stream, which send one after the other. A record is read and serialized only after the previous
 * notification has been sent, so a slow client does not fill the memory.
 */
class SendQueue {
  readonly #ports: Ports;
  readonly #waiting = new Set<Sender>();
  #isSending = false;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Adds a sender. Has no effect if it waits already. */
  add(sender: Sender): void {
    this.#waiting.add(sender);
    if (!this.#isSending) void this.#sendAll();
  }

  /** Removes a sender that has nothing more to send. */
  delete(sender: Sender): void {
    this.#waiting.delete(sender);
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    for (const sender of this.#waiting) {
      this.#waiting.delete(sender);
      await sender.sendNewest();
      // Other work of the process runs between two records, even if the transport can send at once.
      if (this.#waiting.size > 0) await new Promise<void>((resolve) => this.#ports.startTimer(resolve, 0));
    }
    this.#isSending = false;
  }
}

/** Stream that followers share. */
interface FollowedStream {
  readonly send: Parameters<ListenSource["open"]>[0];
  readonly queue: SendQueue;
  /** Caller that opened the stream. */
  readonly auth: Auth | undefined;
}

/**
 * Sends a task's current state and then every change, until the task has finished. While it waits in the queue, further
 * changes are combined into one. If the engine fails, it tries again for as long as the stream is open.
 */
class Follower implements Sender {
  readonly #tasks: TaskRuntime;
  readonly #taskId: string;
  readonly #stream: FollowedStream;
  #isOpen = true;
  #isReported = false;
  #retryDelay = FIRST_DELAY;
  #sent = "";
  #unwatch: (() => void) | undefined;
  #stopExpiry: (() => void) | undefined;
  #stopRetry: (() => void) | undefined;

  constructor(tasks: TaskRuntime, taskId: string, stream: FollowedStream) {
    this.#tasks = tasks;
    this.#taskId = taskId;
    this.#stream = stream;
  }

  /** Watches the task, and sends its current state. Never rejects. */
  async start(): Promise<void> {
    try {
      const unwatch = await this.#tasks.engine.watch(this.#taskId, () => this.#onChange());
      if (this.#isOpen) this.#unwatch = unwatch;
      else unwatch();
      this.#onChange();
    } catch (error) {
      this.#retryLater(error, () => void this.start());
    }
  }

  /** Sends nothing more. */
  stop(): void {
    this.#isOpen = false;
    this.#stream.queue.delete(this);
    this.#unwatch?.();
    this.#stopExpiry?.();
    this.#stopRetry?.();
  }

  async sendNewest(): Promise<void> {
    try {
      // The tool may require other scopes by now.
      const isVisible = (found: TaskRecord) => this.#tasks.isVisible(found, this.#stream.auth);
      const record = await this.#tasks.store.read(this.#taskId, isVisible);
      this.#retryDelay = FIRST_DELAY;
      if (this.#isOpen) await this.#sendRecord(record);
    } catch (error) {
      this.#retryLater(error, () => this.#onChange());
    }
  }

  async #sendRecord(record: TaskRecord | undefined): Promise<void> {
    if (record === undefined) return this.stop();
    const state = visibleState(record);
    if (state === this.#sent) return;
    const task = toDetailedTask(record);
    this.#sent = state;
    if (isFinal(record)) this.stop();
    else this.#watchExpiry(record);
    await this.#stream.send("notifications/tasks", task);
  }

  #onChange(): void {
    if (this.#isOpen) this.#stream.queue.add(this);
  }

  /** Reads the task when its lifetime ends, because reading it is what marks it as failed. */
  #watchExpiry(record: TaskRecord): void {
    this.#stopExpiry?.();
    this.#stopExpiry = startExpiryTimer(this.#tasks.host.services.ports, record, () => this.#onChange());
  }

  /** Repeats what failed, after a delay. Only the first failure is logged. */
  #retryLater(error: unknown, retry: () => void): void {
    if (!this.#isOpen) return;
    if (!this.#isReported) this.#tasks.report("subscriptions/listen", error);
    this.#isReported = true;
    this.#stopRetry?.();
    this.#stopRetry = this.#tasks.host.services.ports.startTimer(retry, this.#retryDelay, true);
    this.#retryDelay = Math.min(this.#retryDelay * 2, LAST_DELAY);
  }
}
