/**
 * @fileoverview Interface for handlers that run after their request has been answered, as in a task. Progress,
 * questions, and the results of steps go to a record instead of the connection.
 * @module tenon/core/call/detached-call
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";

/** Options for `call.once`. */
export interface OnceOptions {
  /**
   * True if the step may run again after an interruption that leaves its outcome unknown. Set it only for steps that
   * have the same effect when they run twice. Matters only in tasks.
   * @default false
   */
  readonly retry?: boolean;
}

/** Progress of a handler. */
export interface ProgressReport {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Functions of a call that runs after its request has been answered. */
export interface DetachedCall {
  readonly taskId: string;
  /** Highest progress that earlier runs of the handler reported. */
  readonly lastProgress: number;
  /** Records progress. @throws if the call was cancelled */
  reportProgress(report: ProgressReport): MaybePromise<void>;
  /** Runs a step unless its result is recorded already. @throws if an earlier run was interrupted during the step */
  runStep<T>(key: string, step: () => MaybePromise<T>, options: OnceOptions): Promise<T>;
  /** Throws if the call was cancelled. */
  throwIfStopped(): void;
}
