/**
 * @fileoverview Cancellation of work that several callers wait for.
 * @module oauth/client-auth/abort
 */

/** Rejects with the signal's reason as soon as it aborts. The task itself continues. */
export async function untilAborted<T>(signal: AbortSignal, task: Promise<T>): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    stop = () => signal.removeEventListener("abort", abort);
  });
  try {
    return await Promise.race([task, aborted]);
  } finally {
    stop?.();
  }
}

/** Runs a task, or joins the task in flight that has the same key. */
export type SharedTasks = <T>(
  key: string,
  run: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

interface InFlight {
  readonly result: Promise<unknown>;
  readonly controller: AbortController;
  callers: number;
}

/** Creates a set of tasks. A task is aborted when all of its callers have been aborted. */
export function createSharedTasks(): SharedTasks {
  const inFlight = new Map<string, InFlight>();

  const start = (key: string, run: (signal: AbortSignal) => Promise<unknown>): InFlight => {
    const controller = new AbortController();
    const result = run(controller.signal).finally(() => {
      if (inFlight.get(key) === task) inFlight.delete(key);
    });
    const task: InFlight = { result, controller, callers: 0 };
    // Prevents an unhandled rejection if all callers have been aborted.
    result.catch(() => undefined);
    inFlight.set(key, task);
    return task;
  };

  return async <T>(key: string, run: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    const task = inFlight.get(key) ?? start(key, run);
    const result = task.result as Promise<T>; // Safe: tasks with the same key have the same type of result
    task.callers += 1;
    try {
      return await (signal === undefined ? result : untilAborted(signal, result));
    } finally {
      task.callers -= 1;
      if (task.callers === 0) {
        if (inFlight.get(key) === task) inFlight.delete(key);
        task.controller.abort(signal?.reason);
      }
    }
  };
}
