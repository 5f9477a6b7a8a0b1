/**
 * @fileoverview Waits for changes of tasks. A store cannot notify the server, so waiting means checking again.
 * @module sdk/server/tasks/task-queues
 */
import { randomUUID } from "node:crypto";
import type { Connection, Question } from "tenon/host";
import { type JsonRpcResponse, McpError, type RequestId } from "tenon/protocol";
import type { JsonObject } from "@tenon/internal/json";

/** Maximum number of requests for the result of a task that may wait on one connection. */
const MAX_REQUESTS = 100;

/** Callers that wait for a task, by task ID. */
export class TaskWaits {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #requests = new WeakMap<Connection, number>();

  /**
   * Counts a request that waits for a result, until the returned function is called. Each one checks the store again
   * and again, so a client may have only a limited number.
   *
   * @throws {McpError} if the limit is reached
   */
  begin(connection: Connection | undefined): () => void {
    if (connection === undefined) return () => {};
    const count = this.#requests.get(connection) ?? 0;
    if (count >= MAX_REQUESTS) {
      throw new McpError(
        "TOO_MANY_CALLS",
        `Too many requests wait for task results on this connection (limit: ${MAX_REQUESTS}). Try again later.`,
      );
    }
    this.#requests.set(connection, count + 1);
    return () => this.#requests.set(connection, (this.#requests.get(connection) ?? 1) - 1);
  }

  /** Ends all waits for a task. Changes that this server makes itself need not wait for the next check. */
  wake(taskId: string): void {
    for (const resume of this.#waiting.get(taskId) ?? []) resume();
  }

  /** Waits for a change of a task, at most `ms` milliseconds. Rejects when the signal aborts. */
  async wait(taskId: string, ms: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const waiting = this.#waiting.get(taskId) ?? new Set();
    this.#waiting.set(taskId, waiting);
    let settle = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        const onAbort = () => reject(new Error("Request cancelled"));
        const timer = setTimeout(resolve, toInterval(ms));
        waiting.add(resolve);
        signal?.addEventListener("abort", onAbort);
        settle = () => {
          clearTimeout(timer);
          waiting.delete(resolve);
          signal?.removeEventListener("abort", onAbort);
        };
      });
    } finally {
      settle();
      if (waiting.size === 0) this.#waiting.delete(taskId);
    }
  }
}

const MIN_INTERVAL = 10;
/** Longest delay of a timer. Longer delays would end at once. */
const MAX_INTERVAL = 2_147_483_647;

function toInterval(ms: number): number {
  return Number.isFinite(ms) ? Math.min(Math.max(ms, MIN_INTERVAL), MAX_INTERVAL) : MAX_INTERVAL;
}

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
