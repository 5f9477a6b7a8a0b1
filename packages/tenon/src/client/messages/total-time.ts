/**
 * @fileoverview Total time of an operation that consists of several requests, such as a call with rounds and a task.
 * @module tenon/client/messages/total-time
 */
import type { RequestOptions } from "../client-options.js";
import { ranTooLong } from "../limits.js";
import { startCountdown } from "./countdown.js";

/** Operation that consists of several requests. */
export interface Operation<T> {
  readonly method: string;
  readonly options: RequestOptions | undefined;
  readonly run: (options: RequestOptions) => Promise<T>;
}

/** Runs an operation with a signal that aborts after `ms` milliseconds, or when the signal of its options aborts. */
export async function runWithin<T>(ms: number, { method, options, run }: Operation<T>): Promise<T> {
  const stop = new AbortController();
  const countdown = startCountdown({ ms, maxMs: ms }, () => stop.abort(ranTooLong(method, ms)));
  try {
    return await run({ ...options, signal: anySignal(options?.signal, stop.signal) });
  } finally {
    countdown.stop();
  }
}

/** Returns a signal that aborts when either of two does. */
export function anySignal(one: AbortSignal | undefined, other: AbortSignal): AbortSignal {
  return one === undefined ? other : AbortSignal.any([one, other]);
}

/** Resolves as `task` does, or rejects with the reason of `signal` when it aborts. */
export function untilAborted<T>(task: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return task;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort);
    task.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
