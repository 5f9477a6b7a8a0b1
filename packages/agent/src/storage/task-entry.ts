/**
 * @fileoverview Entries in a task's log. Each entry is one line.
 * @module agent/storage/task-entry
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { ContentPart, ModelMessage, ModelUsage, NativeCall } from "../models/model-port.js";
import { isResultId, isUserId } from "./task-id.js";

/** Status of a task. A task that waits for approvals keeps the status `waiting` after a restart. */
export type TaskStatus =
  "idle" | "streaming" | "tool_executing" | "waiting" | "completed" | "aborted" | "error";

/** Message as it was sent to clients. */
export interface ShownMessage {
  readonly type: string;
  readonly data: JsonObject;
}

/** Start of a tool call. A call without this entry did not start before a crash, so it can be run again. */
export interface CallBegan {
  readonly toolName: string;
  /** ID of the native call. Missing for XML calls. */
  readonly callId?: string;
}

/** Call that waits for a user's approval. */
export interface ApprovalAsked {
  readonly approvalId: string;
  readonly toolName: string;
  /** ID of the native call. Missing for XML calls. */
  readonly callId?: string;
  readonly params?: JsonObject;
  /** `updateTime` of the message that shows the approval. The same message shows the decision. */
  readonly shownTime?: number | undefined;
}

/** Call that no longer waits for an approval, because the run ended or the user sent another message first. */
export interface ApprovalCancelled {
  readonly approvalId: string;
}

/** User's decision about a call. `always` also approves later calls to the same tool in this task. */
export interface ApprovalGiven {
  readonly approvalId: string;
  readonly decision: "approve" | "deny" | "always";
  /** Reason for a denial. */
  readonly reason?: string;
  /** ID of the user who decided. */
  readonly userId?: string;
}

/** Tokens that one model response used, and the user whose message caused it. */
export interface ResponseUsage extends ModelUsage {
  readonly userId?: string;
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
  readonly shown?: ShownMessage;
  readonly model?: ModelMessage;
  readonly status?: TaskStatus;
  /** Name of the tool that the model's text calls with XML tags. */
  readonly calls?: string;
  readonly callBegan?: CallBegan;
  readonly approvalAsked?: ApprovalAsked;
  readonly approvalGiven?: ApprovalGiven;
  readonly approvalCancelled?: ApprovalCancelled;
  readonly usage?: ResponseUsage;
  readonly compaction?: Compaction;
  readonly storedResult?: StoredResult;
  /** Reason for the end of a run, if the user must be told. */
  readonly ending?: string;
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
  if (!isJsonObject(value)) return undefined;
  const entry: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(READERS)) {
    if (value[name] === undefined) continue;
    const field = read(value[name]);
    // One invalid field makes the entry unreadable, because the fields of an entry belong together.
    if (field === undefined) return undefined;
    entry[name] = field;
  }
  if (Object.keys(entry).length === 0) return undefined;
  if (typeof value["calls"] === "string") entry["calls"] = value["calls"];
  return entry; // each field was returned by its reader
}

/** Functions that parse the fields of an entry. They return `undefined` for an invalid value. */
const READERS: {
  readonly [Name in Exclude<keyof TaskEntry, "calls">]-?: (value: unknown) => TaskEntry[Name] | undefined;
} = {
  shown: readShown,
  model: readModelMessage,
  status: (value) => STATUSES.find((known) => known === value),
  callBegan: readCallBegan,
  approvalAsked: readApprovalAsked,
  approvalGiven: readApprovalGiven,
  approvalCancelled: readApprovalCancelled,
  usage: readUsage,
  compaction: readCompaction,
  storedResult: readStoredResult,
  ending: (value) => (typeof value === "string" && value.length <= MAX_ENDING ? value : undefined),
};

const MAX_ENDING = 40;

const STATUSES: readonly TaskStatus[] = [
  "idle",
  "streaming",
  "tool_executing",
  "waiting",
  "completed",
  "aborted",
  "error",
];

const DECISIONS: readonly ApprovalGiven["decision"][] = ["approve", "deny", "always"];

/** Maximum length of a response's metadata as JSON. Longer metadata is dropped: a model can respond without it. */
const MAX_METADATA = 262_144;

const COUNTS = ["inputTokens", "outputTokens", "reasoningTokens", "cachedInputTokens"] as const;

function readShown(value: unknown): ShownMessage | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, data } = value;
  return typeof type === "string" && isJsonObject(data) ? { type, data } : undefined;
}

function readModelMessage(value: unknown): ModelMessage | undefined {
  if (!isJsonObject(value)) return undefined;
  const { role, content, toolName, callId } = value;
  if (typeof content !== "string") return undefined;
  if (role === "system") return { role, content };
  const parts = value["parts"] === undefined ? undefined : readAll(value["parts"], readPart);
  if (value["parts"] !== undefined && parts === undefined) return undefined;
  if (role === "user") return { role, content, ...(parts && { parts }) };
  if (role === "tool") {
    if (typeof toolName !== "string" || !isOptionalText(callId)) return undefined;
    return { role, toolName, content, ...(callId !== undefined && { callId }), ...(parts && { parts }) };
  }
  if (role !== "assistant") return undefined;
  const { metadata } = value;
  if (!(metadata === undefined || isJsonObject(metadata))) return undefined;
  const calls = value["calls"] === undefined ? undefined : readAll(value["calls"], readCall);
  if (value["calls"] !== undefined && calls === undefined) return undefined;
  const isKept = metadata !== undefined && JSON.stringify(metadata).length <= MAX_METADATA;
  return { role, content, ...(calls && { calls }), ...(isKept && { metadata }) };
}

function readCall(value: unknown): NativeCall | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, name, arguments: written } = value;
  if (typeof id !== "string" || typeof name !== "string" || typeof written !== "string") return undefined;
  return { id, name, arguments: written };
}

function readPart(value: unknown): ContentPart | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, text, mediaType, data, name } = value;
  if (type === "text") return typeof text === "string" ? { type, text } : undefined;
  if (type !== "image" && type !== "file") return undefined;
  if (typeof mediaType !== "string" || typeof data !== "string" || !isOptionalText(name)) return undefined;
  return { type, mediaType, data, ...(name !== undefined && { name }) };
}

function readCallBegan(value: unknown): CallBegan | undefined {
  if (!isJsonObject(value)) return undefined;
  const { toolName, callId } = value;
  if (typeof toolName !== "string" || !isOptionalText(callId)) return undefined;
  return { toolName, ...(callId !== undefined && { callId }) };
}

function readApprovalAsked(value: unknown): ApprovalAsked | undefined {
  const call = readCallBegan(value);
  if (call === undefined || !isJsonObject(value)) return undefined;
  const { approvalId, params, shownTime } = value;
  if (typeof approvalId !== "string" || !(params === undefined || isJsonObject(params))) return undefined;
  if (!(shownTime === undefined || isCount(shownTime))) return undefined;
  return {
    approvalId,
    ...call,
    ...(params !== undefined && { params }),
    ...(shownTime !== undefined && { shownTime }),
  };
}

function readApprovalGiven(value: unknown): ApprovalGiven | undefined {
  if (!isJsonObject(value)) return undefined;
  const { approvalId, reason, userId } = value;
  const decision = DECISIONS.find((known) => known === value["decision"]);
  if (typeof approvalId !== "string" || decision === undefined) return undefined;
  if (!isOptionalText(reason) || !(userId === undefined || isUserId(userId))) return undefined;
  return {
    approvalId,
    decision,
    ...(reason !== undefined && { reason }),
    ...(userId !== undefined && { userId }),
  };
}

function readApprovalCancelled(value: unknown): ApprovalCancelled | undefined {
  if (!isJsonObject(value)) return undefined;
  const { approvalId } = value;
  return typeof approvalId === "string" ? { approvalId } : undefined;
}

function readUsage(value: unknown): ResponseUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const { userId } = value;
  if (!(userId === undefined || isUserId(userId))) return undefined;
  const usage: { -readonly [Name in keyof ModelUsage]: ModelUsage[Name] } = {};
  for (const name of COUNTS) {
    const count = value[name];
    if (count === undefined) continue;
    if (!isCount(count)) return undefined;
    usage[name] = count;
  }
  return userId === undefined ? usage : { ...usage, userId };
}

function readCompaction(value: unknown): Compaction | undefined {
  if (!isJsonObject(value)) return undefined;
  const { summary, upTo } = value;
  return typeof summary === "string" && isCount(upTo) ? { summary, upTo } : undefined;
}

function readStoredResult(value: unknown): StoredResult | undefined {
  if (!isJsonObject(value)) return undefined;
  const { resultId, bytes } = value;
  return isResultId(resultId) && isCount(bytes) ? { resultId, bytes } : undefined;
}

function readAll<T>(value: unknown, read: (value: unknown) => T | undefined): readonly T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: (T | undefined)[] = value.map(read);
  return items.every((item) => item !== undefined) ? items : undefined;
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
