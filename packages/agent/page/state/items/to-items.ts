/**
 * @fileoverview Turns the messages of a task into items. A message that has not changed keeps its item, so that only changed
 * items are rendered again.
 * @module agent/page-app/state/items/to-items
 */
import type { TaskMessage, UserMessageOfTask } from "@tenon/agent/client";
import { isJsonObject } from "@tenon/internal/json";
import {
  type Item,
  type SubtaskEntry,
  type TextItem,
  TOOL_STATUSES,
  type ToolItem,
  type ToolStatus,
} from "./item.js";

type MessageOf<Type extends TaskMessage["type"]> = Extract<TaskMessage, { readonly type: Type }>;

const cache = new WeakMap<TaskMessage, Item>();

/** Returns the items of a conversation, in order. */
export function toItems(messages: readonly TaskMessage[]): readonly Item[] {
  const items: Item[] = [];
  for (const message of messages) {
    if (message.type === "assignTaskUpdated") addSubtask(items, message);
    else items.push(toItem(message));
  }
  return items;
}

function toItem(message: Exclude<TaskMessage, MessageOf<"assignTaskUpdated">>): Item {
  const known = cache.get(message);
  if (known !== undefined) return known;
  const item = createItem(message);
  cache.set(message, item);
  return item;
}

function createItem(message: Exclude<TaskMessage, MessageOf<"assignTaskUpdated">>): Item {
  const { key } = message;
  switch (message.type) {
    case "userSendMessage":
      return toUser(message);
    case "message":
      return toText("text", message);
    case "think":
      return toText("think", message);
    case "completionResult":
      return toText("result", message);
    case "tool":
      return toTool(message);
    case "file":
      return { kind: "file", key, file: message.data };
    case "approval":
      return { kind: "approval", key, approval: message.data };
    case "askFollowupQuestion":
      return {
        kind: "question",
        key,
        text: message.data.question,
        options: message.data.suggestOptions ?? [],
      };
    case "compaction":
      return { kind: "compaction", key, summary: message.data.summary };
    case "interrupt":
      return { kind: "notice", key, tone: "info", text: "Stopped by the user" };
    case "error":
      return { kind: "notice", key, tone: "danger", text: message.data.message };
    case "alert":
      return { kind: "notice", key, tone: TONES[message.data.severity], text: message.data.message };
  }
}

const TONES = { info: "info", warning: "warning", error: "danger" } as const;

function toUser({ key, data, delivery }: UserMessageOfTask): Item {
  return {
    kind: "user",
    key,
    text: data.message,
    files: data.files ?? [],
    time: data.updateTime,
    messageId: data.messageId,
    delivery,
  };
}

function toText(
  kind: TextItem["kind"],
  { key, data }: MessageOf<"message" | "think" | "completionResult">,
): TextItem {
  return {
    kind,
    key,
    text: data.message,
    time: data.updateTime,
    isPartial: data.partial === true,
    isCut: data.status === "interrupted",
  };
}

function toTool({ key, data }: MessageOf<"tool">): ToolItem {
  return {
    kind: "tool",
    key,
    name: data.toolName ?? "tool",
    status: toStatus(data),
    params: data.params,
    text: data.message,
    result: data.toolResult,
    error: data.error,
  };
}

/** Returns the status of a call. A call without a known status has failed if it has ended with an error. */
function toStatus({ status, partial, error = "" }: MessageOf<"tool">["data"]): ToolStatus {
  const known = TOOL_STATUSES.find((one) => one === status);
  if (known !== undefined) return known;
  if (partial === true) return "running";
  return error === "" ? "done" : "failed";
}

/** Adds a subtask to the list of its call, or starts a list. The next call starts at index 0 again. */
function addSubtask(items: Item[], { data }: MessageOf<"assignTaskUpdated">): void {
  const entry: SubtaskEntry = {
    taskId: data.taskId,
    index: data.index,
    status: data.taskStatus ?? "running",
    label: labelOf(items, data.index),
  };
  const at = items.findLastIndex(
    (item) =>
      item.kind === "subtasks" &&
      item.entries.every(({ index, taskId }) => (index === entry.index) === (taskId === entry.taskId)),
  );
  const group = items[at];
  if (group?.kind !== "subtasks") {
    items.push({ kind: "subtasks", key: `subtasks:${entry.taskId}`, entries: [entry] });
    return;
  }
  const others = group.entries.filter(({ taskId }) => taskId !== entry.taskId);
  const entries = [...others, entry].toSorted((a, b) => a.index - b.index);
  items[at] = { ...group, entries };
}

/** Returns the description of a subtask in the call that has started it. */
function labelOf(items: readonly Item[], index: number): string {
  const call = items.findLast((item) => item.kind === "tool" && item.name === "assignTasks");
  const params = call?.kind === "tool" && isJsonObject(call.params) ? call.params : {};
  const list: unknown = params["tasklist"];
  const label: unknown = Array.isArray(list) ? list[index] : undefined;
  return typeof label === "string" ? label : "";
}
