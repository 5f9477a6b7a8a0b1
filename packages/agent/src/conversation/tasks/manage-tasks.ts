/**
 * @fileoverview Handles client messages that list, search, rename, and delete tasks.
 * @module agent/conversation/tasks/manage-tasks
 */
import { clean } from "@tenon/internal/security/safe-text";
import type { ServerMessage, UserMessage } from "../../messages/built-in-messages.js";
import type { ListedTask } from "../../storage/list/search-tasks.js";
import type { TaskVisibility } from "../../storage/list/task-list.js";
import type { TaskStore } from "../../storage/task-store.js";
import type { AgentCore } from "../agent-core.js";

/** Message that changes a task without running it. */
export type ManageMessage = Extract<UserMessage, { readonly type: "renameTask" | "deleteTask" }>;

/** Request for a list of tasks. */
export type ListMessage = Extract<UserMessage, { readonly type: "listTasks" }>;

/** Returns true if a message changes a task without running it. */
export function isManageMessage(message: UserMessage): message is ManageMessage {
  return message.type === "renameTask" || message.type === "deleteTask";
}

/** Request for a list, the user who sent it, and the tasks that the user can see. */
type ListRequest = ListMessage["data"] & {
  readonly requestedBy?: string | undefined;
  readonly isVisible?: TaskVisibility | undefined;
};

/** Lists a page of tasks, or of the tasks that match a search. @throws {StorageError} if the cursor is invalid */
export async function listTasks(
  store: TaskStore,
  { cursor, limit = DEFAULT_PAGE, search, isVisible, requestedBy }: ListRequest,
): Promise<ServerMessage> {
  const { tasks, nextCursor } = await store.page({ cursor, limit, search, isVisible, requestedBy });
  // The request is repeated, so that a client can match the response to it.
  return { type: "taskList", data: { tasks: tasks.map(toListed), nextCursor, cursor, search } };
}

/** Converts a task to the form in which clients receive it. */
export function toListed({ taskId, title, updatedAt, excerpt }: ListedTask) {
  return { taskId, title, updatedAt: new Date(updatedAt).toISOString(), excerpt };
}

/**
 * Renames or deletes a task. A running task and its subtasks are interrupted before they are deleted. Resolves to false
 * if the task does not exist. The store reports deleted tasks to the clients that watch them.
 *
 * @throws {StorageError} if the change cannot be stored
 */
export async function manageTask(message: ManageMessage, core: AgentCore): Promise<boolean> {
  const { store, tasks, watchers } = core;
  const { taskId } = message.data;
  if (message.type === "renameTask") {
    if (!(await store.rename(taskId, clean(message.data.title)))) return false;
    const title = (await store.headerOf(taskId))?.title;
    if (title !== undefined) watchers.send(taskId, { type: "taskRenamed", data: { taskId, title } });
    return true;
  }
  if (!(await store.has(taskId))) return false;
  await tasks.peek(taskId)?.interrupt();
  for (const subtask of await store.subtasksOf(taskId)) await tasks.peek(subtask)?.interrupt();
  return store.delete(taskId);
}

const DEFAULT_PAGE = 50;
