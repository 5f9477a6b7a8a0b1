/**
 * @fileoverview The messages of a task: merges streamed pieces, replaces messages that are sent again, and removes
 * discarded ones.
 * @module agent/client/state/task-messages
 */
import { type KeylessMessage, readTaskMessage } from "./check-frame.js";
import { share, shareList } from "./share.js";
import type { Approval, Subtask, TaskMessage } from "../types.js";

type Messages = readonly TaskMessage[];

/** Maximum number of messages in an open task. The oldest ones are removed first. */
const MAX_MESSAGES = 10_000;

/** Maximum length of a streamed text, which is also the server's limit. */
const MAX_TEXT = 1_000_000;

/** Adds a message, or updates the existing one. The text of a partial message is appended. */
export function withMessage(messages: Messages, message: KeylessMessage): Messages {
  const ids = idsOf(message);
  const index = messages.findLastIndex((one) => one.type === message.type && overlaps(idsOf(one), ids));
  const before = messages[index];
  if (isDiscarded(message)) return before === undefined ? messages : messages.filter((one) => one !== before);
  const key = before?.key ?? createKey(new Set(messages.map((one) => one.key)), message);
  const next = share<TaskMessage>(before, { ...withTextBefore(before, message), key });
  if (before === next) return messages;
  return before === undefined ? [...messages.slice(1 - MAX_MESSAGES), next] : messages.with(index, next);
}

/**
 * Returns the messages of a `taskHistory`, whose partial messages contain the text so far. Unchanged ones are shared with
 * the messages before it, and messages that the server has not stored yet are kept at the end. Invalid items are
 * skipped.
 */
export function withHistoryMessages(before: Messages, items: readonly unknown[], taskId: string): Messages {
  const keyBefore = new Map(before.flatMap((one) => idsOf(one).map((id) => [id, one.key])));
  const list = new IndexedMessages(keyBefore);
  for (const item of items.slice(-MAX_MESSAGES)) {
    const message = readTaskMessage(item, taskId);
    if (message !== undefined && !isDiscarded(message)) list.set(message);
  }
  for (const one of before)
    if (one.type === "userSendMessage" && one.delivery !== undefined && !list.has(one)) list.set(one);
  return shareList(before, list.messages, ({ key }) => key);
}

/** Messages that are found by ID, so that a long history is read in linear time. */
class IndexedMessages {
  readonly messages: TaskMessage[] = [];
  readonly #places = new Map<string, number>();
  readonly #keys = new Set<string>();
  readonly #keyBefore: ReadonlyMap<string, string>;

  /** @param keyBefore keys by ID. A message keeps the key that it received when it was sent. */
  constructor(keyBefore: ReadonlyMap<string, string>) {
    this.#keyBefore = keyBefore;
  }

  has(message: KeylessMessage): boolean {
    return this.#placeOf(message) !== undefined;
  }

  /** Adds a message, or replaces the existing one. */
  set(message: KeylessMessage): void {
    const ids = idsOf(message);
    const place = this.#placeOf(message) ?? this.messages.length;
    const known = ids.map((id) => this.#keyBefore.get(id)).find((key) => key !== undefined);
    const isFree = known !== undefined && !this.#keys.has(known);
    const key = this.messages[place]?.key ?? (isFree ? known : createKey(this.#keys, message));
    this.#keys.add(key);
    for (const id of ids) this.#places.set(id, place);
    this.messages[place] = { ...message, key };
  }

  #placeOf(message: KeylessMessage): number | undefined {
    return idsOf(message)
      .map((id) => this.#places.get(id))
      .find((place) => place !== undefined);
  }
}

/** Returns the calls that wait for approval. */
export function waitingApprovals(before: readonly Approval[], messages: Messages): readonly Approval[] {
  const waiting = messages.flatMap(({ type, data }) =>
    type === "approval" && data.status === "waiting" ? [data] : [],
  );
  return shareList(before, waiting, ({ approvalId }) => approvalId);
}

/** Returns the subtasks that the messages tell of. */
export function subtasksIn(before: readonly Subtask[], messages: Messages): readonly Subtask[] {
  const subtasks = messages.flatMap(({ type, data }) =>
    type === "assignTaskUpdated"
      ? [{ taskId: data.taskId, index: data.index, status: data.taskStatus ?? "running" }]
      : [],
  );
  return shareList(before, subtasks, ({ taskId }) => taskId);
}

/** Returns true if two messages are versions of the same one: a later version replaces an earlier one. */
export function isSameMessage(one: KeylessMessage, other: KeylessMessage): boolean {
  return one.type === other.type && overlaps(idsOf(one), idsOf(other));
}

/** Returns the IDs of a message. Versions of the same message have at least one ID in common. */
function idsOf(message: KeylessMessage): readonly string[] {
  const { type, data } = message;
  if (type === "approval") return [`${type} ${data.approvalId}`];
  if (type === "assignTaskUpdated") return [`${type} ${data.taskId}`];
  const { updateTime } = data;
  const byTime = updateTime === undefined ? [] : [`${type} ${updateTime}`];
  if (type !== "userSendMessage" || data.messageId === undefined) return byTime;
  return [`${type} ID ${data.messageId}`, ...byTime];
}

function overlaps(some: readonly string[], others: readonly string[]): boolean {
  return some.some((id) => others.includes(id));
}

/** Creates a key that no other message of the task has. */
function createKey(keys: ReadonlySet<string>, message: KeylessMessage): string {
  const [id] = idsOf(message);
  if (id !== undefined && !keys.has(id)) return id;
  let count = keys.size;
  while (keys.has(`${message.type} #${count}`)) count++;
  return `${message.type} #${count}`;
}

function isDiscarded({ type, data }: KeylessMessage): boolean {
  return type !== "approval" && "status" in data && data.status === "discarded";
}

/** Returns a message whose text starts with the text of the pieces before it. */
function withTextBefore(before: TaskMessage | undefined, message: KeylessMessage): KeylessMessage {
  if (!isStreamedText(message) || message.data.partial !== true) return message;
  if (before === undefined || !isStreamedText(before) || before.data.partial !== true) return message;
  const text = (before.data.message + message.data.message).slice(0, MAX_TEXT);
  return { ...message, data: { ...before.data, ...message.data, message: text } };
}

type StreamedText = Extract<KeylessMessage, { readonly type: "message" | "think" | "completionResult" }>;

function isStreamedText<Message extends KeylessMessage>(message: Message): message is Message & StreamedText {
  return message.type === "message" || message.type === "think" || message.type === "completionResult";
}
