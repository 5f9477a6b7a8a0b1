/**
 * @fileoverview The messages of one task, in memory and in its log. Sends every message about the task to the clients
 * that watch it.
 * @module agent/conversation/context/transcript
 */
import type { JsonObject } from "@tenon/internal/json";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { ENDINGS, type ServerMessage } from "../../messages/built-in-messages.js";
import { type Frame, toFrame } from "../../messages/frames.js";
import type { ModelMessage } from "../../models/model-port.js";
import type { ApprovalGiven, ShownMessage, TaskEntry, TaskStatus } from "../../storage/task-entry.js";
import type { TaskLog } from "../../storage/task-log.js";
import { foldEntries, withFiles } from "./fold-entries.js";
import { ModelHistory, type OpenCall } from "./model-history.js";
import { TaskFacts } from "./task-facts.js";
import { untilAborted } from "../../shared/until-aborted.js";
import type { Watchers } from "./watchers.js";

/** Dependencies for `Transcript`. */
export interface TranscriptParts {
  readonly log: TaskLog;
  readonly watchers: Watchers;
  readonly now: () => number;
}

/** Facts in a `taskHistory` message that depend on the client and the model. */
export interface HistoryFacts {
  readonly contextWindow: number | undefined;
  readonly canWrite: boolean | undefined;
}

/** Message types that are streamed in pieces. */
export type StreamedType = "message" | "think" | "tool" | "completionResult";

/** A task's messages: those that are stored, and those that are still streaming. */
export class Transcript {
  readonly taskId: string;
  /** ID of the user who owns the task. */
  readonly owner: string | undefined;
  /** True if another task started this one. */
  readonly isSubtask: boolean;
  readonly #log: TaskLog;
  readonly #watchers: Watchers;
  readonly now: () => number;
  /** Stored messages for clients, by key and in order. */
  readonly #shown: Map<string, ShownMessage>;
  readonly #history: ModelHistory;
  readonly #facts: TaskFacts;
  /** Functions that wait for a decision, by approval ID. */
  readonly #deciding = new Map<string, (given: ApprovalGiven) => void>();
  /** Messages that are still streaming, with their content so far. */
  readonly #inFlight = new Map<string, ShownMessage>();
  /** Encoded histories that are being sent, by the facts that differ between clients. */
  readonly #encoded = new Map<string, WeakRef<Uint8Array>>();
  #status: TaskStatus;
  #lastTime: number;

  constructor({ log, watchers, now }: TranscriptParts) {
    const { shown, status, lastTime } = foldEntries(log.entries);
    this.taskId = log.taskId;
    this.owner = log.owner;
    this.isSubtask = log.parentTaskId !== undefined;
    this.#log = log;
    this.#watchers = watchers;
    this.now = now;
    this.#shown = new Map(shown.map((message, index) => [keyOf(message, index), message]));
    this.#history = new ModelHistory(log.entries);
    this.#facts = new TaskFacts(log.entries);
    this.#status = toWaiting(status, this.#facts.openApprovals.length > 0 && !this.#isAbandoned(status));
    this.#lastTime = lastTime;
  }

  /** Current status of the task. */
  get status(): TaskStatus {
    return this.#status;
  }

  /** Messages for the model. Text from users and tools cannot contain the tag of a tool's result. */
  get messages(): readonly ModelMessage[] {
    return this.#history.messages;
  }

  /** Messages for the model, with their positions in the log. */
  get modelHistory(): Pick<ModelHistory, "messages" | "before"> {
    return this.#history;
  }

  /** Calls of the last response that do not have a result. */
  get openCalls(): readonly OpenCall[] {
    return this.#history.openCalls;
  }

  /** Approvals and token counts. */
  get facts(): Omit<TaskFacts, "add"> {
    return this.#facts;
  }

  /**
   * Encodes the `taskHistory` message for a client that joins now. Clients that join while the bytes are still being sent
   * to others get the same bytes, because a conversation can be large.
   */
  encodeHistory(facts: HistoryFacts): Uint8Array {
    const key = JSON.stringify(facts);
    const shared = this.#encoded.get(key)?.deref();
    if (shared !== undefined) return shared;
    const bytes = encodeUtf8(toFrame(this.#toHistory(facts)));
    this.#encoded.set(key, new WeakRef(bytes));
    return bytes;
  }

  /** Creates the `taskHistory` message. Messages that are still streaming come last. */
  #toHistory(facts: HistoryFacts): ServerMessage {
    const { parentTaskId } = this.#log;
    const { usage, contextTokens } = this.#facts;
    const reason = ENDINGS.find((known) => known === this.#facts.ending);
    return {
      type: "taskHistory",
      data: {
        taskId: this.taskId,
        parentTaskId,
        status: this.#status,
        messages: Array.from(new Map([...this.#shown, ...this.#inFlight]).values()),
        usage: Object.keys(usage).length > 0 ? usage : undefined,
        contextTokens,
        reason,
        ...facts,
      },
    };
  }

  /** Returns the stored user message with an ID that its client chose. */
  findMessage(messageId: string): ShownMessage | undefined {
    return [...this.#shown.values()].find(
      ({ type, data }) => type === "userSendMessage" && data["messageId"] === messageId,
    );
  }

  /** Returns the text of the last stored message with one of these types. */
  lastShown(types: readonly string[]): string | undefined {
    const found = [...this.#shown.values()].findLast(({ type }) => types.includes(type))?.data["message"];
    return typeof found === "string" ? found : undefined;
  }

  /** Size of the log, in bytes. */
  get bytes(): number {
    return this.#log.bytes;
  }

  /** Time of the newest message. */
  get lastTime(): number {
    return this.#lastTime;
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
  sendFrame(message: Frame): void {
    this.#watchers.send(this.taskId, message);
  }

  /** Stores an entry. Resolves when the entry is on disk. @throws {StorageError} if it cannot be stored */
  async keep(entry: TaskEntry): Promise<void> {
    await this.#log.append(entry);
    this.#encoded.clear();
    if (entry.status !== undefined) this.#status = entry.status;
    this.#history.add(entry);
    this.#facts.add(entry);
    if (entry.approvalGiven !== undefined) this.#tellDecision(entry.approvalGiven.approvalId);
    if (entry.shown === undefined) return;
    // A message that is stored again keeps its position.
    const key = keyOf(entry.shown, this.#shown.size);
    this.#shown.set(key, withFiles(entry.shown, entry.model));
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
    this.#encoded.clear();
    this.sendFrame({ type, data: { ...piece, ...shared, updateTime } });
  }

  /** Discards the streaming messages with this time, and tells clients to remove them. */
  discard(updateTime: number): void {
    for (const [key, { type, data }] of this.#inFlight) {
      if (data["updateTime"] !== updateTime) continue;
      this.#inFlight.delete(key);
      this.#encoded.clear();
      const { partial: _, ...rest } = data;
      this.sendFrame({ type, data: { ...rest, message: "", status: "discarded" } });
    }
  }

  /** Waits until a call is decided. Rejects with the signal's reason if the signal aborts first. */
  whenDecided(approvalId: string, signal: AbortSignal): Promise<ApprovalGiven> {
    const waiting = new Promise<ApprovalGiven>((resolve) => this.#deciding.set(approvalId, resolve));
    this.#tellDecision(approvalId);
    return untilAborted(waiting, signal).finally(() => this.#deciding.delete(approvalId));
  }

  /** Adds results for open calls: for all of them, or only for those that started. */
  closeCalls(which: "all" | "begun"): void {
    this.#history.closeCalls(which);
  }

  /** Ends all streaming messages after the run has stopped. Calls that started and did not end get a result. */
  breakOff(): void {
    for (const [key, { type, data }] of this.#inFlight) {
      if (data["status"] !== "running") {
        this.discard(Number(data["updateTime"]));
        continue;
      }
      const { partial: _, ...rest } = data;
      const shown = { type, data: { ...rest, status: "interrupted" } };
      this.#inFlight.delete(key);
      this.#encoded.clear();
      this.#shown.set(key, shown);
      this.sendFrame(shown);
    }
    this.closeCalls("begun");
  }

  /** Sets the status in memory without storing it. */
  settle(status: TaskStatus): void {
    this.#status = status;
    this.#encoded.clear();
  }

  /** Closes the log file. The next entry reopens it. */
  rest(): Promise<void> {
    return this.#log.close();
  }

  /** Returns true for a subtask that a crash interrupted. Nobody waits for its approvals. */
  #isAbandoned(status: TaskStatus): boolean {
    return this.isSubtask && status === "aborted";
  }

  #tellDecision(approvalId: string): void {
    const given = this.#facts.decisionOn(approvalId);
    if (given !== undefined) this.#deciding.get(approvalId)?.(given);
  }
}

/** Returns the status of a restored task: a crash can leave open approvals behind, or decisions without a run. */
function toWaiting(status: TaskStatus, hasOpenApprovals: boolean): TaskStatus {
  if (status !== "aborted" && status !== "waiting") return status;
  return hasOpenApprovals ? "waiting" : "aborted";
}

/** Returns a message's key: its type and time, or its position if it has no time. */
function keyOf({ type, data }: ShownMessage, place: number): string {
  return typeof data["updateTime"] === "number" ? `${type} ${data["updateTime"]}` : `#${place}`;
}

/** Creates a warning for users. */
export function toAlert(taskId: string, message: string, updateTime: number): ServerMessage {
  return { type: "alert", data: { taskId, message, severity: "warning", updateTime } };
}

/** Converts a message to the form in which it is stored. */
export function toShown({ type, data }: { readonly type: string; readonly data: object }): ShownMessage {
  return { type, data: { ...data } };
}
