/**
 * @fileoverview Entries in a task's log. Each entry is one line.
 * @module agent/storage/task-entry
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import {
  type ContentPart,
  type ModelMessage,
  type ModelUsage,
  type NativeCall,
  toCount,
} from "../models/model-port.js";
import { isResultId, isUserId } from "./task-id.js";

/** Statuses of tasks. */
export const TASK_STATUSES = [
  "idle",
  "streaming",
  "tool_executing",
  "waiting",
  "completed",
  "aborted",
  "error",
] as const;

/** Status of a task. A task that waits for approvals keeps the status `waiting` after a restart. */
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Message as it was sent to clients. */
export interface ShownMessage {
  readonly type: string;
  readonly data: JsonObject;
}

/** Start of a tool call. A call without this entry did not start before a crash, so it can be run again. */
export interface CallBegan {
  readonly toolName: string;
  /** ID of the native call. Missing for XML calls. */
  readonly callId?: string | undefined;
}

/** Call that waits for a user's approval. */
export interface ApprovalAsked extends CallBegan {
  readonly approvalId: string;
  readonly params?: JsonObject | undefined;
  /** `updateTime` of the message that shows the approval. The same message shows the decision. */
  readonly shownTime?: number | undefined;
  /** ID of the user whose run made the call. The run continues as this user, whoever decides. */
  readonly userId?: string | undefined;
}

/** Call that no longer waits for an approval, because the run ended or the user sent another message first. */
export interface ApprovalCancelled {
  readonly approvalId: string;
}

/**
 * User's decision about a call. `always` also approves later calls to the same tool in this task, in runs of the same
 * user.
 */
export interface ApprovalGiven {
  readonly approvalId: string;
  readonly decision: "approve" | "deny" | "always";
  /** Reason for a denial. */
  readonly reason?: string | undefined;
  /** ID of the user who decided. */
  readonly userId?: string | undefined;
}

/** Tokens that one model response used, and the user whose run it belongs to. */
export interface ResponseUsage extends ModelUsage {
  readonly userId?: string | undefined;
}

/** Summary that replaces the start of the conversation for the model. Clients still see every message. */
export interface Compaction {
  readonly summary: string;
  /** Number of log entries that the summary covers, counted from the start of the log. */
  readonly upTo: number;
}

/** Large result in a separate file, which is read in pages. */
export interface StoredResult {
  readonly resultId: string;
  /** Size of the result in bytes of UTF-8. */
  readonly bytes: number;
}

/**
 * One line of the log: the message for clients, the message for the model, the status, and facts about calls and
 * responses. They share a line so that a crash cannot separate them.
 */
export interface TaskEntry {
  readonly shown?: ShownMessage | undefined;
  readonly model?: ModelMessage | undefined;
  readonly status?: TaskStatus | undefined;
  /** Name of the tool that the model's text calls with XML tags. */
  readonly calls?: string | undefined;
  readonly callBegan?: CallBegan | undefined;
  readonly approvalAsked?: ApprovalAsked | undefined;
  readonly approvalGiven?: ApprovalGiven | undefined;
  readonly approvalCancelled?: ApprovalCancelled | undefined;
  readonly usage?: ResponseUsage | undefined;
  readonly compaction?: Compaction | undefined;
  readonly storedResult?: StoredResult | undefined;
  /** Reason for the end of a run, if the user must be told. */
  readonly ending?: string | undefined;
}

/** ID, title, and owner of a task. */
export interface TaskHeader {
  readonly taskId: string;
  readonly title: string;
  /** ID of the parent task, for a subtask. */
  readonly parentTaskId?: string | undefined;
  /** ID of the user who owns the task. Missing if the server does not identify users. */
  readonly owner?: string | undefined;
}

/** Parses an entry. Unknown fields are dropped. Returns `undefined` if a field is invalid or no field is known. */
export function readEntry(value: unknown): TaskEntry | undefined {
  const entry = readFields(value);
  if (entry === undefined || Object.keys(entry).length === 0 || !isJsonObject(value)) return undefined;
  return typeof value["calls"] === "string" ? { ...entry, calls: value["calls"] } : entry;
}

/** Parses a value. Returns `undefined` if the value is invalid. */
type Reader<T> = (value: unknown) => T | undefined;

/** Creates the reader of an object. One invalid field makes the object invalid, because its fields belong together. */
function objectOf<T extends object>(
  fields: { readonly [Name in keyof T]-?: Reader<T[Name]> },
  required: readonly (keyof T & string)[],
): Reader<T> {
  const readers = Object.entries<Reader<unknown>>(fields);
  return (value) => {
    if (!isJsonObject(value) || required.some((name) => value[name] === undefined)) return undefined;
    const read: Record<string, unknown> = {};
    for (const [name, readField] of readers) {
      if (value[name] === undefined) continue;
      read[name] = readField(value[name]);
      if (read[name] === undefined) return undefined;
    }
    return read as T; // Safe: each field was returned by its reader
  };
}

function arrayOf<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const items: (T | undefined)[] = value.map(read);
    return items.every((item) => item !== undefined) ? items : undefined;
  };
}

function oneOf<const T extends string>(...values: readonly T[]): Reader<T> {
  return (value) => values.find((known) => known === value);
}

/** Creates the reader of a value that a function checks. */
function checked<T>(isValid: (value: unknown) => value is T): Reader<T> {
  return (value) => (isValid(value) ? value : undefined);
}

const text = /* @__PURE__ */ checked((value) => typeof value === "string");
const object = /* @__PURE__ */ checked(isJsonObject);
const userId = /* @__PURE__ */ checked(isUserId);
const MAX_ENDING = 40;
/** Maximum length of a response's metadata as JSON. Longer metadata is dropped: a model can respond without it. */
const MAX_METADATA = 262_144;

type Part<Type> = Extract<ContentPart, { readonly type: Type }>;
const readTextPart = /* @__PURE__ */ objectOf<Part<"text">>({ type: oneOf("text"), text }, ["type", "text"]);
const readFilePart = /* @__PURE__ */ objectOf<Exclude<ContentPart, Part<"text">>>(
  { type: oneOf("image", "file"), mediaType: text, data: text, name: text },
  ["type", "mediaType", "data"],
);
const parts = /* @__PURE__ */ arrayOf((value): ContentPart | undefined => {
  return readTextPart(value) ?? readFilePart(value);
});
const calls = /* @__PURE__ */ arrayOf(
  objectOf<NativeCall>({ id: text, name: text, arguments: text }, ["id", "name", "arguments"]),
);

type MessageOf<Role> = Extract<ModelMessage, { readonly role: Role }>;
const readSystem = /* @__PURE__ */ objectOf<MessageOf<"system">>({ role: oneOf("system"), content: text }, [
  "role",
  "content",
]);
const readUser = /* @__PURE__ */ objectOf<MessageOf<"user">>({ role: oneOf("user"), content: text, parts }, [
  "role",
  "content",
]);
const readTool = /* @__PURE__ */ objectOf<MessageOf<"tool">>(
  { role: oneOf("tool"), toolName: text, content: text, callId: text, parts },
  ["role", "toolName", "content"],
);
const readAssistant = /* @__PURE__ */ objectOf<MessageOf<"assistant">>(
  { role: oneOf("assistant"), content: text, calls, metadata: object },
  ["role", "content"],
);

function readModelMessage(value: unknown): ModelMessage | undefined {
  const message = readSystem(value) ?? readUser(value) ?? readTool(value) ?? readAssistant(value);
  if (message?.role !== "assistant" || message.metadata === undefined) return message;
  const { metadata, ...rest } = message;
  return JSON.stringify(metadata).length <= MAX_METADATA ? message : rest;
}

const readFields = /* @__PURE__ */ objectOf<Omit<TaskEntry, "calls">>(
  {
    shown: objectOf<ShownMessage>({ type: text, data: object }, ["type", "data"]),
    model: readModelMessage,
    status: oneOf(...TASK_STATUSES),
    callBegan: objectOf<CallBegan>({ toolName: text, callId: text }, ["toolName"]),
    approvalAsked: objectOf<ApprovalAsked>(
      { approvalId: text, toolName: text, callId: text, params: object, shownTime: toCount, userId },
      ["approvalId", "toolName"],
    ),
    approvalGiven: objectOf<ApprovalGiven>(
      { approvalId: text, decision: oneOf("approve", "deny", "always"), reason: text, userId },
      ["approvalId", "decision"],
    ),
    approvalCancelled: objectOf<ApprovalCancelled>({ approvalId: text }, ["approvalId"]),
    usage: objectOf<ResponseUsage>(
      {
        inputTokens: toCount,
        outputTokens: toCount,
        reasoningTokens: toCount,
        cachedInputTokens: toCount,
        userId,
      },
      [],
    ),
    compaction: objectOf<Compaction>({ summary: text, upTo: toCount }, ["summary", "upTo"]),
    storedResult: objectOf<StoredResult>({ resultId: checked(isResultId), bytes: toCount }, [
      "resultId",
      "bytes",
    ]),
    ending: (value) => (typeof value === "string" && value.length <= MAX_ENDING ? value : undefined),
  },
  [],
);
