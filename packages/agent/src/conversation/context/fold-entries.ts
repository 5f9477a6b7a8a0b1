/**
 * @fileoverview Restores what clients see of a task from its log: the messages and the status. If the server crashed
 * during a run, the task is restored as interrupted.
 * @module agent/conversation/context/fold-entries
 */
import type { ModelMessage } from "../../models/model-port.js";
import type { ShownMessage, TaskEntry, TaskStatus } from "../../storage/task-entry.js";

/** Restores the client's view of a task from its log entries. `lastTime` is the latest `updateTime`, or 0. */
export function foldEntries(entries: readonly TaskEntry[]) {
  const shown = new Map<string, ShownMessage>();
  let status: TaskStatus = "idle";
  let lastTime = 0;
  for (const [index, entry] of entries.entries()) {
    if (entry.status !== undefined) status = entry.status;
    if (entry.shown === undefined) continue;
    const { updateTime } = entry.shown.data;
    // A later entry for the same message replaces the earlier one.
    shown.set(
      typeof updateTime === "number" ? `${entry.shown.type} ${updateTime}` : `#${index}`,
      withFiles(entry.shown, entry.model),
    );
    if (typeof updateTime === "number") lastTime = Math.max(lastTime, updateTime);
  }
  const isCutOff = status === "streaming" || status === "tool_executing";
  return {
    shown: Array.from(shown.values(), (message) => endApproval(endPartial(message))),
    status: isCutOff ? "aborted" : status,
    lastTime,
  };
}

/** Adds the content of a user's files, which the log contains only in the message for the model. */
export function withFiles(shown: ShownMessage, model: ModelMessage | undefined): ShownMessage {
  if (shown.type !== "userSendMessage" || model?.role !== "user" || model.parts === undefined) return shown;
  const files = model.parts.flatMap((part) =>
    part.type === "text" ? [] : [{ mediaType: part.mediaType, data: part.data, name: part.name }],
  );
  return { type: shown.type, data: { ...shown.data, files } };
}

/** Cancels the approval of a subtask. The subtask waited for it in memory, so it does not survive a restart. */
function endApproval(message: ShownMessage): ShownMessage {
  const { subtaskId, status } = message.data;
  const isOver = message.type === "approval" && subtaskId !== undefined && status === "waiting";
  return isOver ? { type: message.type, data: { ...message.data, status: "cancelled" } } : message;
}

/** Sets the status of a message to `interrupted` if it was still streaming when the server stopped. */
function endPartial(message: ShownMessage): ShownMessage {
  const { partial, ...data } = message.data;
  return partial === true ? { type: message.type, data: { ...data, status: "interrupted" } } : message;
}
