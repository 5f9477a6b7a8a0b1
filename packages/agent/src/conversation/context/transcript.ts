/**
 * @fileoverview The messages of one task, in memory and in its log. Sends every message about the task to the clients
 * that watch it.
 * @module agent/conversation/transcript
 */
import type { JsonObject } from "@tenon/internal/json";
import { encodeUtf8 } from "@tenon/internal/utf8";
import type { ServerMessage } from "../../messages/built-in-messages.js";
import { toFrame } from "../../messages/frames.js";
import type { ModelMessage } from "../../models/model-port.js";
import type { ShownMessage, TaskEntry, TaskStatus } from "../../storage/task-entry.js";
import type { TaskLog } from "../../storage/task-log.js";
import { foldEntries, missingResults } from "./fold-entries.js";
import type { Watchers } from "./watchers.js";

/** Dependencies for `Transcript`. */
export interface TranscriptParts {
  readonly log: TaskLog;
  readonly watchers: Watchers;
  readonly now: () => number;
}

/** Message types that are streamed in pieces. */
export type StreamedType = "message" | "think" | "tool" | "completionResult";

/** A task's messages: those that are stored, and those that are still streaming. */
export class Transcript {
  readonly taskId: string;
  readonly #log: TaskLog;
  readonly #watchers: Watchers;
  readonly now: () => number;
  /** Stored messages for clients, by key and in order. */
  readonly #shown: Map<string, ShownMessage>;
  readonly #messages: ModelMessage[];
  /** Messages that are still streaming, with their content so far. */
  readonly #inFlight = new Map<string, ShownMessage>();
  #status: TaskStatus;
  #lastTime: number;

  constructor({ log, watchers, now }: TranscriptParts) {
    const { shown, messages, status, lastTime } = foldEntries(log.entries);
    this.taskId = log.taskId;
    this.#log = log;
    this.#watchers = watchers;
    this.now = now;
    this.#shown = new Map(shown.map((message, index) => [keyOf(message, index), message]));
    this.#messages = [...messages];
    this.#status = status;
    this.#lastTime = lastTime;
  }

  /** Current status of the task. */
  get status(): TaskStatus {
    return this.#status;
  }

  /** Messages for the model. */
  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  /** `taskHistory` message for a client that joins now. Messages that are still streaming come last. */
  get history(): ServerMessage {
    const { parentTaskId } = this.#log;
    return {
      type: "taskHistory",
      data: {
        taskId: this.taskId,
        ...(parentTaskId === undefined ? {} : { parentTaskId }),
        status: this.#status,
        messages: Array.from(new Map([...this.#shown, ...this.#inFlight]).values()),
      },
    };
  }

  /** Returns the text of the last stored message with one of these types. */
  lastShown(types: readonly string[]): string | undefined {
    const found = [...this.#shown.values()].findLast(({ type }) => types.includes(type))?.data["message"];
    return typeof found === "string" ? found : undefined;
  }

  /** Returns a unique time in milliseconds, which identifies a message within the task. */
  nextTime(): number {
    this.#lastTime = Math.max(this.now(), this.#lastTime + 1);
    return this.#lastTime;
  }

  /** Sends a built-in message to every client that watches the task, without storing it. */
  send(message: ServerMessage): void {
    this.sendFrame(message);
  }

  /**
   * Sends any message to every client that watches the task, without storing it.
   *
   * @throws if the data cannot be serialized as JSON
   */
  sendFrame(message: { readonly type: string; readonly data: unknown }): void {
    if (this.#watchers.has(this.taskId)) {
      this.#watchers.send(this.taskId, encodeUtf8(toFrame({ type: message.type, data: message.data })));
    }
  }

  /** Stores an entry. Resolves when the entry is on disk. @throws {StorageError} if it cannot be stored */
  async keep(entry: TaskEntry): Promise<void> {
    await this.#log.append(entry);
    if (entry.status !== undefined) this.#status = entry.status;
    if (entry.model !== undefined) this.#messages.push(entry.model);
    if (entry.shown === undefined) return;
    // A message that is stored again keeps its position.
    const key = keyOf(entry.shown, this.#shown.size);
    this.#shown.set(key, entry.shown);
    if (entry.shown.data["partial"] !== true) this.#inFlight.delete(key);
  }

  /**
   * Stores a message and then sends it to every client that watches the task.
   *
   * @throws {StorageError} if it cannot be stored
   */
  async keepAndSend(shown: ServerMessage, rest: Omit<TaskEntry, "shown"> = {}): Promise<void> {
    await this.keep({ ...rest, shown: toShown(shown) });
    this.send(shown);
  }

  /**
   * Starts or continues a streamed message. `piece` is sent to clients that already watch the task. `whole` is kept for
   * clients that join later.
   */
  stream(type: StreamedType, whole: JsonObject, piece: JsonObject = whole): void {
    const { updateTime } = whole;
    const shared = { taskId: this.taskId, partial: true };
    const message = { type, data: { ...whole, ...shared } };
    this.#inFlight.set(keyOf(message, 0), message);
    this.sendFrame({ type, data: { ...piece, ...shared, updateTime } });
  }

  /** Discards the streaming messages with this time, and tells clients to remove them. */
  discard(updateTime: number): void {
    for (const [key, { type, data }] of this.#inFlight) {
      if (data["updateTime"] !== updateTime) continue;
      this.#inFlight.delete(key);
      const { partial: _, ...rest } = data;
      this.sendFrame({ type, data: { ...rest, message: "", status: "discarded" } });
    }
  }

  /**
   * Ends all streaming messages after the run has stopped, and adds results for open calls. Every call in the model's
   * conversation requires a result.
   */
  breakOff(): void {
    for (const [key, { type, data }] of this.#inFlight) {
      if (data["status"] !== "running") {
        this.discard(Number(data["updateTime"]));
        continue;
      }
      const { partial: _, ...rest } = data;
      const shown = { type, data: { ...rest, status: "interrupted" } };
      this.#inFlight.delete(key);
      this.#shown.set(key, shown);
      this.sendFrame(shown);
    }
    this.#messages.push(...missingResults(this.#messages));
  }

  /** Sets the status in memory without storing it. */
  settle(status: TaskStatus): void {
    this.#status = status;
  }

  /** Closes the log file. The next entry reopens it. */
  rest(): Promise<void> {
    return this.#log.close();
  }
}

/** Returns a message's key: its type and time, or its position if it has no time. */
function keyOf({ type, data }: ShownMessage, place: number): string {
  return typeof data["updateTime"] === "number" ? `${type} ${data["updateTime"]}` : `#${place}`;
}

/** Converts a message to the form in which it is stored. */
export function toShown({ type, data }: { readonly type: string; readonly data: object }): ShownMessage {
  return { type, data: { ...data } };
}
