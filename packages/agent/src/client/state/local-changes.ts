/**
 * @fileoverview Changes of the state that the client makes itself: opening tasks and sending messages. All functions are
 * pure.
 * @module agent/client/state/local-changes
 */
import { withTask } from "./reduce.js";
import { withFields } from "./share.js";
import { withMessage } from "./task-messages.js";
import type { AgentState, TaskMessage, TaskState, UserMessageOfTask } from "../types.js";

/** Opens a task, and closes the oldest ones over the limit. A task that is already open becomes the newest one. */
export function withOpenTask(
  state: AgentState,
  task: { readonly taskId: string; readonly isLoading: boolean },
  maxOpenTasks: number,
): AgentState {
  const { taskId, isLoading } = task;
  const open = new Map(state.open);
  const known = open.get(taskId);
  open.delete(taskId);
  while (open.size > 0 && open.size >= maxOpenTasks) {
    const oldest = [...open.values()].find(isIdle) ?? [...open.values()][0];
    if (oldest !== undefined) open.delete(oldest.taskId);
  }
  const next = known ?? {
    taskId,
    title: state.tasks.find((one) => one.taskId === taskId)?.title,
    status: "idle",
    isRunning: false,
    isLoading,
    canWrite: state.user?.canWrite ?? true,
    messages: [],
    approvals: [],
    subtasks: [],
  };
  const isNewest = known !== undefined && [...state.open.keys()].at(-1) === taskId;
  return isNewest && open.size + 1 === state.open.size ? state : { ...state, open: open.set(taskId, next) };
}

/** Adds a message that is being sent, or marks it as being sent again. */
export function withSending(state: AgentState, data: UserMessageOfTask["data"]): AgentState {
  const message = { type: "userSendMessage", data, delivery: "sending" } as const;
  return withTask(state, data.taskId, (task) =>
    withFields(task, { messages: withMessage(task.messages, message) }),
  );
}

/** Marks a message as not delivered. Its task is no longer loading: the server may not know it. */
export function withUndelivered(state: AgentState, taskId: string, messageId: string): AgentState {
  return withTask(state, taskId, (task) => {
    const index = task.messages.findLastIndex((one) => isUnstored(one) && one.data.messageId === messageId);
    const message = task.messages[index];
    if (message === undefined || !isUnstored(message)) return task;
    const failed: UserMessageOfTask = { ...message, delivery: "failed" };
    const messages = message.delivery === "failed" ? task.messages : task.messages.with(index, failed);
    return withFields(task, { messages, isLoading: false });
  });
}

/** Returns true if the server may know a task: at least one of its messages was stored, or it was loaded. */
export function mayExist({ messages }: TaskState): boolean {
  return messages.length === 0 || !messages.every(isUnstored);
}

/** Returns true if a task can be closed without losing anything. */
function isIdle(task: TaskState): boolean {
  return !task.isRunning && !task.messages.some((one) => isUnstored(one) && one.delivery === "sending");
}

/** Returns true for a message that the server has not stored, as far as the client knows. */
function isUnstored(message: TaskMessage): message is UserMessageOfTask {
  return message.type === "userSendMessage" && message.delivery !== undefined;
}
