/**
 * @fileoverview Checks frames from the server, so that the state always matches its types. Only the fields that the
 * client reads are checked. Unknown fields and message types are accepted, because newer servers may send them.
 * @module agent/client/state/check-frame
 */
import type { ServerMessage } from "../../messages/built-in-messages.js";
import type { TaskMessage } from "../types.js";

/** Result of a frame check: a message, or the reason for its rejection. */
export type FrameCheck =
  { readonly ok: true; readonly message: ReceivedMessage } | { readonly ok: false; readonly reason: string };

/** Checked message. A message with an unknown type is a registered one. */
export interface ReceivedMessage {
  readonly type: string;
  readonly data: Data;
}

type Data = Readonly<Record<string, unknown>>;

/** Checks the content of a WebSocket message. Never throws. */
export function checkFrame(content: unknown): FrameCheck {
  if (typeof content !== "string") return reject("it is not text");
  let frame: unknown;
  try {
    frame = JSON.parse(content);
  } catch {
    return reject("it is not JSON");
  }
  if (!isObject(frame) || typeof frame["type"] !== "string" || !isObject(frame["data"]))
    return reject('it does not have the form { "type": …, "data": … }');
  const { type, data } = frame;
  if (isBuiltIn(type) && !hasFields(data, REQUIRED[type])) return reject(`its data is not valid (${type})`);
  return { ok: true, message: { type, data } };
}

/** Returns true if a checked message is built in. */
export function isServerMessage(message: ReceivedMessage): message is ReceivedMessage & ServerMessage {
  return isBuiltIn(message.type);
}

/** Message in a task, without its key. */
export type KeylessMessage = TaskMessage extends infer Message
  ? Message extends TaskMessage
    ? Omit<Message, "key">
    : never
  : never;

/** Returns an item of a `taskHistory`, or `undefined` if it is not a valid message of a conversation. */
export function readTaskMessage(value: unknown, taskId: string): KeylessMessage | undefined {
  if (!isObject(value) || !isObject(value["data"])) return undefined;
  const { type, data } = value;
  if (type === "userSendMessage") return readUserMessage(data, taskId);
  if (typeof type !== "string" || !isConversationType(type) || !hasFields(data, REQUIRED[type]))
    return undefined;
  return { type, data } as unknown as KeylessMessage; // Safe: the fields of this type were checked
}

/** Returns a user's message, or `undefined` if its fields are not valid. */
export function readUserMessage(data: Data, taskId: string): KeylessMessage | undefined {
  if (!hasFields(data, ["message"])) return undefined;
  // Safe: `hasFields` checks all fields of a user's message.
  return { type: "userSendMessage", data: { ...data, taskId } as unknown as UserData };
}

/** Returns true if a message type belongs to conversations. */
export function isConversationType(type: string): type is keyof typeof CONVERSATION {
  return Object.hasOwn(CONVERSATION, type);
}

/** Returns true if a value is an object, but not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns true if a value can be an entry in a list of tasks. */
function isSummary(value: unknown): boolean {
  return isObject(value) && hasFields(value, ["taskId", "title", "updatedAt"]);
}

type UserData = Extract<TaskMessage, { readonly type: "userSendMessage" }>["data"];

/** Required fields of the messages in a conversation. */
const CONVERSATION = {
  message: ["message"],
  think: ["message"],
  tool: ["message"],
  file: ["mediaType", "data"],
  approval: ["taskId", "approvalId", "toolName", "status"],
  compaction: ["taskId", "summary"],
  askFollowupQuestion: ["question"],
  completionResult: ["message"],
  assignTaskUpdated: ["index", "taskId"],
  interrupt: ["taskId"],
  error: ["message"],
  alert: ["message", "severity"],
} as const;

/** Required fields of all built-in messages. */
const REQUIRED: Readonly<Record<ServerMessage["type"], readonly string[]>> = {
  ...CONVERSATION,
  connected: [],
  sessionHistories: ["sessionHistories"],
  ack: ["taskId", "status"],
  usage: ["taskId", "task"],
  taskHistory: ["taskId", "messages"],
  taskList: ["tasks"],
  taskRenamed: ["taskId", "title"],
  taskRemoved: ["taskId"],
  conversationOver: [],
};

const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => typeof value === "number";
const isBoolean = (value: unknown) => typeof value === "boolean";
const isListOf = (isItem: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isItem);
const isCounts = (value: unknown) => isObject(value) && Object.values(value).every(isNumber);
const isFile = (value: unknown) => isObject(value) && hasFields(value, ["mediaType", "data"]);

const TEXT_FIELDS =
  "message messageId taskId parentTaskId subtaskId approvalId userId title updatedAt excerpt cursor nextCursor search " +
  "status taskStatus toolName error mediaType data name reason decidedBy summary question severity";

/** Checks by field. A field has the same type in all messages. */
const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...Object.fromEntries(TEXT_FIELDS.split(" ").map((name) => [name, isText])),
  updateTime: isNumber,
  index: isNumber,
  contextTokens: isNumber,
  contextWindow: isNumber,
  partial: isBoolean,
  canWrite: isBoolean,
  always: isBoolean,
  isEstimated: isBoolean,
  suggestOptions: isListOf(isText),
  files: isListOf(isFile),
  messages: Array.isArray,
  tasks: isListOf(isSummary),
  sessionHistories: isListOf(isSummary),
  usage: isCounts,
  task: isCounts,
  run: isCounts,
  response: isCounts,
};

/** Returns true if the required fields are present and all known fields have the right type. */
function hasFields(data: Data, required: readonly string[]): boolean {
  return (
    required.every((name) => data[name] !== undefined) &&
    Object.keys(data).every((name) => !Object.hasOwn(FIELDS, name) || FIELDS[name]?.(data[name]) === true)
  );
}

function isBuiltIn(type: string): type is ServerMessage["type"] {
  return Object.hasOwn(REQUIRED, type);
}

function reject(reason: string): FrameCheck {
  return { ok: false, reason };
}
