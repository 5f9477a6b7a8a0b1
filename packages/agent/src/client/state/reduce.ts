/**
 * @fileoverview Applies messages from the server to the state. All functions are pure. A message for a task that is not
 * open does not change the open tasks.
 * @module agent/client/state/reduce
 */
import type { ServerMessage } from "../../messages/built-in-messages.js";
import { isConversationType, isObject, type KeylessMessage, readUserMessage } from "./check-frame.js";
import { share, withFields } from "./share.js";
import { withListed, withNewMessage, withoutTask, withTitle } from "./task-list.js";
import {
  isSameMessage,
  subtasksIn,
  waitingApprovals,
  withHistoryMessages,
  withMessage,
} from "./task-messages.js";
import type {
  AgentState,
  AgentTaskStatus,
  RunEnding,
  ServerMessageData,
  TaskState,
  TaskSummary,
} from "../types.js";

/** State before the first message. */
export const INITIAL_STATE: AgentState = { connection: "closed", tasks: [], open: /* @__PURE__ */ new Map() };

/** Number of tasks in a full `sessionHistories`. The server may have more. */
const MAX_HISTORIES = 100;

/** Applies a message from the server. */
export function reduce(state: AgentState, message: ServerMessage): AgentState {
  switch (message.type) {
    case "connected": {
      const { userId, canWrite = true } = message.data;
      return withFields(state, { user: share(state.user, { id: userId, canWrite }) });
    }
    case "sessionHistories": {
      const tasks = message.data.sessionHistories;
      const part = { tasks, isFirst: true, isLast: tasks.length < MAX_HISTORIES };
      return withTasks(state, withListed(state.tasks, part));
    }
    case "taskList":
      return withPage(state, message.data);
    case "taskRenamed":
      return withTasks(
        withTask(state, message.data.taskId, (task) => withFields(task, { title: message.data.title })),
        withTitle(state.tasks, message.data.taskId, message.data.title),
      );
    case "taskRemoved":
      return withTaskRemoved(state, message.data.taskId);
    case "ack":
      return withAck(state, message.data);
    case "taskHistory":
      return withTask(state, message.data.taskId, (task) => withHistory(task, message.data, state));
    case "usage":
      return withTask(state, message.data.taskId, (task) => withUsage(task, message.data));
    case "conversationOver":
      return withTask(state, message.data.taskId, (task) => withEnd(task, message.data.reason));
    default:
      return withConversationMessage(state, message);
  }
}

/** Removes a task from the list and from the open tasks. */
function withTaskRemoved(state: AgentState, taskId: string): AgentState {
  return withFields(withoutOpenTask(state, taskId), { tasks: withoutTask(state.tasks, taskId) });
}

/** Closes a task. */
export function withoutOpenTask(state: AgentState, taskId: string): AgentState {
  if (!state.open.has(taskId)) return state;
  const open = new Map(state.open);
  open.delete(taskId);
  return { ...state, open };
}

/** Changes an open task. */
export function withTask(
  state: AgentState,
  taskId: string | undefined,
  change: (task: TaskState) => TaskState,
): AgentState {
  const task = taskId === undefined ? undefined : state.open.get(taskId);
  if (task === undefined) return state;
  const next = change(task);
  return next === task ? state : { ...state, open: new Map(state.open).set(task.taskId, next) };
}

function withPage(state: AgentState, page: ServerMessageData["taskList"]): AgentState {
  if (page.search !== undefined) return state;
  const { tasks, cursor, nextCursor } = page;
  const part = { tasks, isFirst: cursor === undefined, isLast: nextCursor === undefined };
  return withTasks(state, withListed(state.tasks, part));
}

/** Sets the list of tasks, and the titles of the open tasks. */
function withTasks(state: AgentState, tasks: readonly TaskSummary[]): AgentState {
  if (tasks === state.tasks) return state;
  return tasks.reduce(
    (next, { taskId, title }) => withTask(next, taskId, (task) => withFields(task, { title })),
    { ...state, tasks },
  );
}

function withAck(state: AgentState, { taskId, targetMessage, status, updateTime }: Ack): AgentState {
  if (!isObject(targetMessage) || !isObject(targetMessage["data"])) return state;
  const { type, data } = targetMessage;
  const isAcked = status === "acked";
  if (type === "userSendMessage") {
    const timed = updateTime === undefined || !isAcked ? data : { ...data, updateTime };
    const message = readUserMessage(timed, taskId);
    if (message === undefined) return state;
    if (!isAcked) return withTask(state, taskId, (task) => withFailed(task, message));
    const tasks = updateTime === undefined ? state.tasks : withNewMessage(state.tasks, taskId, updateTime);
    return withTask(withFields(state, { tasks }), taskId, (task) => withAckedMessage(task, message));
  }
  if (!isAcked) return state;
  if (type === "resume") return withTask(state, taskId, (task) => withRun(task, "streaming"));
  if (type === "deleteTask") return withTaskRemoved(state, taskId);
  // A client that watches the task receives the final title in a `taskRenamed` before the `ack`.
  if (type === "renameTask" && typeof data["title"] === "string" && !state.open.has(taskId))
    return withFields(state, { tasks: withTitle(state.tasks, taskId, data["title"]) });
  return state;
}

type Ack = ServerMessageData["ack"];

/** Adds a message that the server has stored. A message that is acknowledged again does not start a run. */
function withAckedMessage(task: TaskState, message: KeylessMessage): TaskState {
  const before = task.messages.find((one) => isSameMessage(one, message));
  if (before?.type === "userSendMessage" && before.delivery === undefined) return task;
  // The server repeats only the names and types of the files.
  const files = before?.type === "userSendMessage" ? before.data.files : undefined;
  const data = { ...before?.data, ...message.data, ...(files && { files }) };
  const whole = { ...message, data } as KeylessMessage; // Safe: both are user messages
  return withFields(withRun(task, "streaming"), { messages: withMessage(task.messages, whole) });
}

/** Returns true if an `ack` tells of a message with files whose content the client does not have. */
export function lacksFiles(state: AgentState, { taskId, updateTime }: Ack): boolean {
  if (updateTime === undefined) return false;
  return (state.open.get(taskId)?.messages ?? []).some(
    ({ type, data }) =>
      type === "userSendMessage" &&
      data.updateTime === updateTime &&
      data.files?.some((file) => file.data === "") === true,
  );
}

function withFailed(task: TaskState, message: KeylessMessage): TaskState {
  const messages = task.messages.map((one) =>
    one.type === "userSendMessage" && one.delivery === "sending" && isSameMessage(one, message)
      ? { ...one, delivery: "failed" as const }
      : one,
  );
  return messages.every((one, index) => one === task.messages[index]) ? task : { ...task, messages };
}

function withHistory(task: TaskState, data: ServerMessageData["taskHistory"], state: AgentState): TaskState {
  const { status = "idle", parentTaskId, canWrite = state.user?.canWrite ?? true } = data;
  const messages = withHistoryMessages(task.messages, data.messages, task.taskId);
  const isRunning = isRunningStatus(status);
  return withFields(withMessages(task, messages), {
    parentTaskId,
    status,
    isRunning,
    isLoading: false,
    canWrite,
    usage: data.usage === undefined ? task.usage : share(task.usage, data.usage),
    contextTokens: data.contextTokens ?? task.contextTokens,
    contextWindow: data.contextWindow ?? task.contextWindow,
    lastReason: isRunning ? undefined : reasonIn(task, data),
  });
}

/** Returns the reason for the end of the last run. The server sends it only if the run did not end well. */
function reasonIn(task: TaskState, { reason }: ServerMessageData["taskHistory"]): RunEnding | undefined {
  if (reason !== undefined && Object.hasOwn(STATUS_AFTER, reason)) return reason as RunEnding; // Safe: just checked
  return task.isRunning ? undefined : task.lastReason;
}

function withUsage(task: TaskState, data: ServerMessageData["usage"]): TaskState {
  const { contextTokens = task.contextTokens, contextWindow = task.contextWindow } = data;
  return withFields(task, { usage: share(task.usage, data.task), contextTokens, contextWindow });
}

function withEnd(task: TaskState, reason: RunEnding | undefined): TaskState {
  const status = reason !== undefined && Object.hasOwn(STATUS_AFTER, reason) ? STATUS_AFTER[reason] : "idle";
  return withFields(task, { isRunning: false, status, lastReason: reason });
}

/** Status of a task after a run, by the reason for the end of the run. */
const STATUS_AFTER: Readonly<Record<RunEnding, AgentTaskStatus>> = {
  answered: "idle",
  completed: "completed",
  question: "idle",
  approval: "waiting",
  interrupted: "aborted",
  error: "error",
  stepLimit: "aborted",
  length: "aborted",
  budget: "aborted",
  filtered: "aborted",
  blocked: "aborted",
};

function withConversationMessage(state: AgentState, message: ServerMessage): AgentState {
  if (!isConversationType(message.type)) return state;
  const one = message as KeylessMessage; // Safe: a message of a conversation
  const taskId = one.type === "assignTaskUpdated" ? one.data.parentTaskId : one.data.taskId;
  return withTask(state, taskId, (task) =>
    withRunSign(withMessages(task, withMessage(task.messages, one)), one),
  );
}

/** Sets the messages, and what is derived from them. */
function withMessages(task: TaskState, messages: TaskState["messages"]): TaskState {
  return withFields(task, {
    messages,
    approvals: waitingApprovals(task.approvals, messages),
    subtasks: subtasksIn(task.subtasks, messages),
  });
}

/** Marks a task as running if a message shows that it is. */
function withRunSign(task: TaskState, message: KeylessMessage): TaskState {
  const { type, data } = message;
  if (type === "approval") {
    const isDecided = data.status === "approved" || data.status === "denied";
    const isLast = task.status === "waiting" && task.approvals.length === 0;
    return isDecided && isLast ? withRun(task, "tool_executing") : task;
  }
  if (!("partial" in data) || data.partial !== true) return task;
  return withRun(task, type === "tool" && data.status === "running" ? "tool_executing" : "streaming");
}

function withRun(task: TaskState, status: "streaming" | "tool_executing"): TaskState {
  return withFields(task, { status, isRunning: true, lastReason: undefined });
}

function isRunningStatus(status: AgentTaskStatus): boolean {
  return status === "streaming" || status === "tool_executing";
}
