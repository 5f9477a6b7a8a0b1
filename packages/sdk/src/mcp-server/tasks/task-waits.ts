/**
 * @fileoverview Waits for changes of tasks. A store cannot notify the server, so waiting means checking again.
 * @module sdk/mcp-server/tasks/task-waits
 */
import type { Connection } from "tenon/host";
import { McpError } from "tenon/protocol";

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
