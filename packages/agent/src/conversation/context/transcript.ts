/**
 * @fileoverview Messages of one task in memory, and the log that stores them. All messages about a task pass
 * through here to its watchers.
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

/** Dependencies of a transcript. */
export interface TranscriptParts {
  readonly log: TaskLog;
  readonly watchers: Watchers;
  readonly now: () => number;
}

/** Types of messages that are streamed in pieces. */
export type StreamedType = "message" | "think" | "tool" | "completionResult";

/** Messages of a task: stored ones and those that are still streaming. */
export class Transcript {
  readonly taskId: string;
  readonly #log: TaskLog;
  readonly #watchers: Watchers;
  readonly now: () => number;
  /** Shown messages by key, in order. */
  readonly #shown: Map<string, ShownMessage>;
  readonly #messages: ModelMessage[];
  /** Messages that are still streaming, as far as they have arrived. */
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

  /** Status of the task. */
  get status(): TaskStatus {
    return this.#status;
  }

  /** Messages for the model. */
  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  /** History for a client that joins now. Messages that are still streaming are last, with their text so far. */
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

  /** Returns the text of the last message of one of these types. */
  lastShown(types: readonly string[]): string | undefined {
    const found = [...this.#shown.values()].findLast(({ type }) => types.includes(type))?.data["message"];
    return typeof found === "string" ? found : undefined;
  }

  /** Returns a time that no other message of the task has. It identifies a message. */
  nextTime(): number {
    this.#lastTime = Math.max(this.now(), this.#lastTime + 1);
    return this.#lastTime;
  }

  /** Sends a message to all watchers without storing it. */
  send(message: ServerMessage): void {
    this.sendFrame(message);
  }

  /** Sends a frame to all watchers. @throws if the data cannot be serialized as JSON */
  sendFrame(message: { readonly type: string; readonly data: unknown }): void {
    if (this.#watchers.has(this.taskId)) {
      this.#watchers.send(this.taskId, encodeUtf8(toFrame({ type: message.type, data: message.data })));
    }
  }

  /** Stores an entry. Resolves when it is on disk. @throws {StorageError} if it cannot be stored */
  async keep(entry: TaskEntry): Promise<void> {
    await this.#log.append(entry);
    if (entry.status !== undefined) this.#status = entry.status;
    if (entry.model !== undefined) this.#messages.push(entry.model);
    if (entry.shown === undefined) return;
    // A message that is stored a second time keeps its position.
    const key = keyOf(entry.shown, this.#shown.size);
    this.#shown.set(key, entry.shown);
    if (entry.shown.data["partial"] !== true) this.#inFlight.delete(key);
  }

  /** Stores a message, then sends it to all watchers. */
  async keepAndSend(shown: ServerMessage, rest: Omit<TaskEntry, "shown"> = {}): Promise<void> {
    await this.keep({ ...rest, shown: toShown(shown) });
    this.send(shown);
  }

  /**
   * Starts or continues a streamed message. `whole` is for clients that join now, `piece` is sent to current
   * watchers.
   */
  stream(type: StreamedType, whole: JsonObject, piece: JsonObject = whole): void {
    const { updateTime } = whole;
    const shared = { taskId: this.taskId, partial: true };
    const message = { type, data: { ...whole, ...shared } };
    this.#inFlight.set(keyOf(message, 0), message);
    this.sendFrame({ type, data: { ...piece, ...shared, updateTime } });
  }

  /** Discards the streaming messages with this time. */
  discard(updateTime: number): void {
    for (const [key, { type, data }] of this.#inFlight) {
      if (data["updateTime"] !== updateTime) continue;
      this.#inFlight.delete(key);
      const { partial: _, ...rest } = data;
      this.sendFrame({ type, data: { ...rest, message: "", status: "discarded" } });
    }
  }

  /**
   * Ends streaming messages after the run stopped, and adds results for open calls, because a model must not see
   * a call without one.
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

  /** Sets the status in memory, independent of the log. */
  settle(status: TaskStatus): void {
    this.#status = status;
  }

  /** Closes the log file. It is opened again by the next entry. */
  rest(): Promise<void> {
    return this.#log.close();
  }
}

/** Returns the key of a message: its type and time, or its position if it has no time. */
function keyOf({ type, data }: ShownMessage, place: number): string {
  return typeof data["updateTime"] === "number" ? `${type} ${data["updateTime"]}` : `#${place}`;
}

/** Converts a message to its stored form. */
export function toShown({ type, data }: { readonly type: string; readonly data: object }): ShownMessage {
  return { type, data: { ...data } };
}
