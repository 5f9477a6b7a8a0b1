/**
 * @fileoverview One task in memory: what was said in it, what is being said, and the log that keeps it. Everything that
 * watchers see of a task goes through here.
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

/** What a transcript needs. */
export interface TranscriptParts {
  readonly log: TaskLog;
  readonly watchers: Watchers;
  readonly now: () => number;
}

/** A kind of message that comes in pieces. */
export type StreamedType = "message" | "think" | "tool" | "completionResult";

/** What was said in a task and what is being said. */
export class Transcript {
  readonly taskId: string;
  readonly #log: TaskLog;
  readonly #watchers: Watchers;
  readonly now: () => number;
  /** By what tells them apart, in order. */
  readonly #shown: Map<string, ShownMessage>;
  readonly #messages: ModelMessage[];
  /** Messages that come in pieces, as far as they are there. */
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

  /** Where the task stands. */
  get status(): TaskStatus {
    return this.#status;
  }

  /** What the model reads. */
  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  /** All that a client is shown who comes now; what is under way stands last, with all that is there of it. */
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

  /** The text of the last message of one of these types. */
  lastShown(types: readonly string[]): string | undefined {
    const found = [...this.#shown.values()].findLast(({ type }) => types.includes(type))?.data["message"];
    return typeof found === "string" ? found : undefined;
  }

  /** A time that no other message of the task has: it tells messages apart. */
  nextTime(): number {
    this.#lastTime = Math.max(this.now(), this.#lastTime + 1);
    return this.#lastTime;
  }

  /** Sends a message to all who watch; it is not stored. */
  send(message: ServerMessage): void {
    this.sendFrame(message);
  }

  /** Sends any frame to all who watch. @throws where it is no JSON */
  sendFrame(message: { readonly type: string; readonly data: unknown }): void {
    if (this.#watchers.has(this.taskId)) {
      this.#watchers.send(this.taskId, encodeUtf8(toFrame({ type: message.type, data: message.data })));
    }
  }

  /** Keeps a line, and resolves when it is safe. @throws {StorageError} where it cannot be kept */
  async keep(entry: TaskEntry): Promise<void> {
    await this.#log.append(entry);
    if (entry.status !== undefined) this.#status = entry.status;
    if (entry.model !== undefined) this.#messages.push(entry.model);
    if (entry.shown === undefined) return;
    // What is kept again at its end stays where it was.
    const key = keyOf(entry.shown, this.#shown.size);
    this.#shown.set(key, entry.shown);
    if (entry.shown.data["partial"] !== true) this.#inFlight.delete(key);
  }

  /** Stores a message, then sends it to all who watch. */
  async keepAndSend(shown: ServerMessage, rest: Omit<TaskEntry, "shown"> = {}): Promise<void> {
    await this.keep({ ...rest, shown: toShown(shown) });
    this.send(shown);
  }

  /** Begins or goes on with a message: `whole` is what a client that comes now sees, `piece` what the others are sent. */
  stream(type: StreamedType, whole: JsonObject, piece: JsonObject = whole): void {
    const { updateTime } = whole;
    const shared = { taskId: this.taskId, partial: true };
    const message = { type, data: { ...whole, ...shared } };
    this.#inFlight.set(keyOf(message, 0), message);
    this.sendFrame({ type, data: { ...piece, ...shared, updateTime } });
  }

  /** Takes back all that is under way of one time. */
  discard(updateTime: number): void {
    for (const [key, { type, data }] of this.#inFlight) {
      if (data["updateTime"] !== updateTime) continue;
      this.#inFlight.delete(key);
      const { partial: _, ...rest } = data;
      this.sendFrame({ type, data: { ...rest, message: "", status: "discarded" } });
    }
  }

  /** The run stopped: what is under way will not end, and the model must not see a call without a result. */
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

  /** Where the task stands, whatever its log says. */
  settle(status: TaskStatus): void {
    this.#status = status;
  }

  /** Closes the file until something is kept again. */
  rest(): Promise<void> {
    return this.#log.close();
  }
}

/** What tells a message apart: its type and its time, or else its place. */
function keyOf({ type, data }: ShownMessage, place: number): string {
  return typeof data["updateTime"] === "number" ? `${type} ${data["updateTime"]}` : `#${place}`;
}

/** A message as it is kept. */
export function toShown({ type, data }: { readonly type: string; readonly data: object }): ShownMessage {
  return { type, data: { ...data } };
}
