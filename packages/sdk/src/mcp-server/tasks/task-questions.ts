/**
 * @fileoverview Requests to the client that wait in the queue of a task. The client receives them while it waits for
 * the task's result.
 * @module sdk/mcp-server/tasks/task-questions
 */
import { randomUUID } from "node:crypto";
import type { Connection, Question } from "tenon/host";
import { type JsonRpcResponse, McpError, type RequestId } from "tenon/protocol";
import type { JsonObject } from "@tenon/internal/json";

interface Pending {
  readonly taskId: string;
  readonly connection: Connection;
  /** ID under which the connection waits for the response. */
  readonly id: RequestId;
}

/** Maximum number of queued requests that wait for a response, on all connections. */
const MAX_PENDING = 10_000;

/**
 * Queued requests without a response. Their IDs are random, because a queue may be shared: a client could otherwise
 * respond to another client's request.
 */
export class TaskQuestions {
  readonly #pending = new Map<RequestId, Pending>();

  /** Creates a request for a task's queue. @throws if too many requests are waiting for a response */
  ask(
    { taskId, connection }: Omit<Pending, "id">,
    request: { readonly method: string; readonly params: JsonObject },
    signal: AbortSignal,
  ): Question {
    if (this.#pending.size >= MAX_PENDING) {
      throw new McpError(
        "RATE_LIMITED",
        `Too many queued requests wait for a response (limit: ${MAX_PENDING}). Try again later.`,
      );
    }
    const { message, answer } = connection.ask(request, signal);
    const { id } = message;
    const publicId = `task-${randomUUID()}`;
    if (id !== undefined) this.#pending.set(publicId, { taskId, connection, id });
    const forget = () => void this.#pending.delete(publicId);
    answer.then(forget, forget);
    return { message: { ...message, id: publicId }, answer };
  }

  /** Passes a response to the code that waits for it. Returns false if it does not belong to a queued request. */
  settle(response: JsonRpcResponse): boolean {
    const pending = response.id === null ? undefined : this.#pending.get(response.id);
    if (pending === undefined) return false;
    return pending.connection.settle({ ...response, id: pending.id });
  }

  /** Ends all requests of a task that is over, including those that the client has already received. */
  end(taskId: string): void {
    for (const [id, pending] of this.#pending) {
      if (pending.taskId === taskId) this.settle({ jsonrpc: "2.0", id, error: OVER });
    }
  }
}

const OVER = { code: -32603, message: "Task cancelled or completed" };
