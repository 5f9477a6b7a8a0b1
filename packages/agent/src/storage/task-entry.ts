/**
 * @fileoverview Entries in a task's log. Each entry is one line.
 * @module agent/storage/task-entry
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { ModelMessage, NativeCall } from "../models/model-port.js";

/** Status of a task. */
export type TaskStatus = "idle" | "streaming" | "tool_executing" | "completed" | "aborted" | "error";

/** Message as it was sent to clients. */
export interface ShownMessage {
  readonly type: string;
  readonly data: JsonObject;
}

/**
 * One line of the log: the message for clients, the message for the model, and the status. They share a line so that
 * a crash cannot separate them.
 */
export interface TaskEntry {
  readonly shown?: ShownMessage;
  readonly model?: ModelMessage;
  readonly status?: TaskStatus;
  /** Name of the tool that the model's text calls with XML tags. */
  readonly calls?: string;
}

/** ID and title of a task. */
export interface TaskHeader {
  readonly taskId: string;
  readonly title: string;
  /** ID of the parent task, for a subtask. */
  readonly parentTaskId?: string | undefined;
}

/** Parses an entry. Unknown fields are dropped. Returns `undefined` if a field is invalid or no field is known. */
export function readEntry(value: unknown): TaskEntry | undefined {
  if (!isJsonObject(value)) return undefined;
  const shown = value["shown"] === undefined ? undefined : readShown(value["shown"]);
  const model = value["model"] === undefined ? undefined : readModelMessage(value["model"]);
  const status = STATUSES.find((known) => known === value["status"]);
  // One invalid field makes the entry unreadable, because the fields of an entry belong together.
  if (value["shown"] !== undefined && shown === undefined) return undefined;
  if (value["model"] !== undefined && model === undefined) return undefined;
  if (value["status"] !== undefined && status === undefined) return undefined;
  if (shown === undefined && model === undefined && status === undefined) return undefined;
  const { calls } = value;
  return {
    ...(shown && { shown }),
    ...(model && { model }),
    ...(status && { status }),
    ...(typeof calls === "string" && { calls }),
  };
}

const STATUSES: readonly TaskStatus[] = [
  "idle",
  "streaming",
  "tool_executing",
  "completed",
  "aborted",
  "error",
];

function readShown(value: unknown): ShownMessage | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, data } = value;
  return typeof type === "string" && isJsonObject(data) ? { type, data } : undefined;
}

function readModelMessage(value: unknown): ModelMessage | undefined {
  if (!isJsonObject(value)) return undefined;
  const { role, content, toolName, callId } = value;
  if (typeof content !== "string") return undefined;
  if (role === "system" || role === "user") return { role, content };
  if (role === "tool") {
    if (typeof toolName !== "string") return undefined;
    if (callId === undefined) return { role, toolName, content };
    return typeof callId === "string" ? { role, toolName, content, callId } : undefined;
  }
  if (role !== "assistant") return undefined;
  if (value["calls"] === undefined) return { role, content };
  const calls = readCalls(value["calls"]);
  return calls && { role, content, calls };
}

function readCalls(value: unknown): readonly NativeCall[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const calls = value.map(readCall);
  return calls.every((call) => call !== undefined) ? calls : undefined;
}

function readCall(value: unknown): NativeCall | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, name, arguments: written } = value;
  if (typeof id !== "string" || typeof name !== "string" || typeof written !== "string") return undefined;
  return { id, name, arguments: written };
}
