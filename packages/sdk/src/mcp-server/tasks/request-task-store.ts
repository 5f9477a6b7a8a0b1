/**
 * @fileoverview `extra.taskStore`: the task store for one request, limited to its session.
 * @module sdk/mcp-server/tasks/request-task-store
 */
import type { RequestId } from "tenon/protocol";
import type { JsonObject } from "@tenon/internal/json";
import { quoted } from "@tenon/internal/text";
import { INVALID_PARAMS, RequestError } from "../requests/errors.js";
import { isTerminal, type RequestTaskStore, type TaskStore } from "../requests/task-types.js";

/** The request that uses the store. */
interface StoreRequest {
  readonly message: { readonly id: RequestId; readonly method: string; readonly params?: JsonObject };
  readonly sessionId: string | undefined;
  /** Called after a task's status has changed. */
  changed(taskId: string): Promise<void>;
}

/** Creates a request's task store. */
export function createRequestTaskStore(store: TaskStore, request: StoreRequest): RequestTaskStore {
  const { sessionId } = request;
  const { id, method, params } = request.message;
  return {
    createTask: (options) => store.createTask(options, id, { method, params }, sessionId),
    async getTask(taskId) {
      const task = await store.getTask(taskId, sessionId);
      if (!task) throw new RequestError(INVALID_PARAMS, "Failed to retrieve task: Task not found");
      return task;
    },
    async storeTaskResult(taskId, status, result) {
      await store.storeTaskResult(taskId, status, result, sessionId);
      await request.changed(taskId);
    },
    getTaskResult: (taskId) => store.getTaskResult(taskId, sessionId),
    async updateTaskStatus(taskId, status, statusMessage) {
      const task = await store.getTask(taskId, sessionId);
      if (!task) {
        throw new RequestError(
          INVALID_PARAMS,
          `Task "${quoted(taskId)}" not found - it may have been cleaned up`,
        );
      }
      if (isTerminal(task.status)) {
        throw new RequestError(
          INVALID_PARAMS,
          `Cannot update task "${quoted(taskId)}" from terminal status "${task.status}" to "${status}". ` +
            "Terminal states (completed, failed, cancelled) cannot transition to other states.",
        );
      }
      await store.updateTaskStatus(taskId, status, statusMessage, sessionId);
      await request.changed(taskId);
    },
    listTasks: (cursor) => store.listTasks(cursor, sessionId),
  };
}
