/**
 * @fileoverview One run of a task's handler. Records progress and steps, and stops the handler when the task is
 * cancelled, expires, or is taken over by another worker.
 * @module tenon/tasks/running/task-run
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Ports } from "@tenon/internal/ports";
import { isInstance, messageOf } from "@tenon/internal/thrown";
import { isInputInterrupt } from "../../core/call/questions.js";
import type { DetachedCall, OnceOptions, ProgressReport } from "../../core/call/detached-call.js";
import { isErrorName, McpError } from "../../protocol/index.js";
import { RequestError } from "../../protocol/errors.js";
import { toPublicError } from "../../protocol/public-error.js";
import { isFinal, type StepError, type TaskRecord, type TaskStep } from "../state/record.js";
import { isCurrent, recordProgress, recordStep, type TaskProgress } from "../state/transitions.js";
import type { TaskChange, TaskStore } from "./task-store.js";

/** Limits and the clock for a run. */
export interface TaskRunOptions {
  readonly ports: Ports;
  /** Minimum time in milliseconds between two stored status messages. */
  readonly progressIntervalMs: number;
  /** Maximum size in bytes of a task's arguments, answers, and steps. */
  readonly maxTaskBytes: number;
  /** Called with each failure to record a step. Throws the error to give up. */
  readonly onFailure: (error: unknown) => void;
}

/** A run of a handler, as its call sees it. */
export class TaskRun implements DetachedCall {
  readonly taskId: string;
  readonly tool: string;
  readonly run: number;
  /** Resolves some time after the handler was told to stop, because the task was cancelled or has ended. */
  readonly overdue: Promise<void>;
  readonly lastProgress: number;
  readonly #store: TaskStore;
  readonly #options: TaskRunOptions;
  readonly #steps: TaskRecord["journal"]["steps"];
  #stopReason: unknown;
  #onStop: ((reason: unknown) => void) | undefined;
  #setOverdue: () => void = () => undefined;
  #stopGrace: (() => void) | undefined;
  #report: ProgressReport | undefined;
  #isEnded = false;
  #stopTimer: (() => void) | undefined;
  #lastWrite = -Infinity;
  #writing: Promise<void> | undefined;

  constructor(record: TaskRecord, store: TaskStore, options: TaskRunOptions) {
    this.taskId = record.taskId;
    this.tool = record.tool;
    this.overdue = new Promise((resolve) => {
      this.#setOverdue = resolve;
    });
    this.run = record.run;
    this.lastProgress = record.journal.progress ?? -Infinity;
    this.#steps = record.journal.steps;
    this.#store = store;
    this.#options = options;
  }

  /** Calls `listener` when the handler must stop. */
  onStop(listener: (reason: unknown) => void): void {
    this.#onStop = listener;
    if (this.#stopReason !== undefined) listener(this.#stopReason);
  }

  /** Stops the handler. */
  stop(reason: unknown): void {
    if (this.#stopReason !== undefined) return;
    this.#stopReason = reason;
    this.#onStop?.(reason);
  }

  /** True if the handler was told to stop. */
  get isStopped(): boolean {
    return this.#stopReason !== undefined;
  }

  throwIfStopped(): void {
    if (this.#stopReason !== undefined) throw this.#stopReason;
  }

  /** Stops the handler if the task is cancelled, has ended, or runs elsewhere. */
  check(record: TaskRecord | undefined): void {
    if (record === undefined || !isCurrent(record, this.run)) this.#end(record);
    else if (record.isCancelRequested) {
      this.stop(cancelled());
      this.#startGrace();
    }
  }

  /** Stops a handler whose outcome no longer counts. */
  #end(record: TaskRecord | undefined): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const isExpired = record === undefined || isFinal(record);
    this.stop(new DOMException(isExpired ? EXPIRED : SUPERSEDED, "AbortError"));
    this.#startGrace();
  }

  /** Gives the handler some time to stop. */
  #startGrace(): void {
    this.#stopGrace ??= this.#options.ports.startTimer(this.#setOverdue, GRACE_MS, true);
  }

  reportProgress(report: ProgressReport): void {
    this.#report = report;
    if (this.#stopTimer !== undefined || this.#writing !== undefined) return;
    const { ports, progressIntervalMs } = this.#options;
    const wait = this.#lastWrite + progressIntervalMs - ports.now();
    if (wait <= 0) this.#writeProgress();
    else this.#stopTimer = ports.startTimer(() => this.#writeProgress(), wait, true);
  }

  async runStep<T>(key: string, step: () => MaybePromise<T>, { retry = false }: OnceOptions): Promise<T> {
    this.throwIfStopped();
    const known = Object.hasOwn(this.#steps, key) ? this.#steps[key] : undefined;
    // Safe: the same step stored the value.
    if (known?.state === "done") return (known.json === undefined ? undefined : JSON.parse(known.json)) as T;
    if (known?.state === "failed") throw toError(known.error);
    if (known?.state === "started" && !known.retry)
      throw new Error(`The outcome of the step "${key}" is unknown, because its result was not recorded.`);
    await this.#recordStep(key, { state: "started", retry });
    let value: T;
    try {
      value = await step();
    } catch (error) {
      const isAsking = isInputInterrupt(error);
      // The step was interrupted, so its outcome is unknown: it counts as started.
      if (this.isStopped && !isAsking) throw error;
      // A step that may run again, or that asked for input, is repeated by a later run.
      const isRepeated = retry || isAsking;
      const outcome = isRepeated ? undefined : ({ state: "failed", error: toStepError(error) } as const);
      await this.#recordStep(key, outcome);
      throw error;
    }
    const json: string | undefined = JSON.stringify(value);
    await this.#recordStep(key, { state: "done", ...(json === undefined ? {} : { json }) });
    return value;
  }

  /**
   * Ends the run: waits for progress that is being stored, which later changes must not overtake. Returns progress that
   * has not been stored yet.
   */
  async finish(): Promise<TaskProgress | undefined> {
    // The handler has ended, so the change that stores its outcome must not abort its signal.
    this.#onStop = undefined;
    this.#isEnded = true;
    this.#stopGrace?.();
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const report = this.#report;
    this.#report = undefined;
    await this.#writing;
    return report && toTaskProgress(report);
  }

  async #recordStep(key: string, step: TaskStep | undefined): Promise<void> {
    const { maxTaskBytes, onFailure } = this.#options;
    let isTooLarge = false;
    const change: TaskChange = (current) => {
      if (!isCurrent(current, this.run)) return undefined;
      const next = recordStep(current, key, step);
      isTooLarge = next.bytes > maxTaskBytes && step?.state === "done";
      return isTooLarge ? undefined : next;
    };
    const record = await this.#store.retry(
      () => this.#store.change(this.taskId, change),
      (error) => {
        this.throwIfStopped();
        onFailure(error);
      },
    );
    if (isTooLarge)
      throw new Error(
        `The results of \`call.once\` are too large (limit: ${maxTaskBytes} bytes in total). ` +
          "Return less from each step, or raise `maxTaskBytes` in `tasks()`.",
      );
    this.check(record);
    // A step that has ended stays recorded, so only the start of one is prevented.
    if (step?.state === "started") this.throwIfStopped();
  }

  #writeProgress(): void {
    this.#stopTimer = undefined;
    const report = this.#report;
    if (report === undefined) return;
    this.#report = undefined;
    this.#lastWrite = this.#options.ports.now();
    const progress = toTaskProgress(report);
    const write = async () => {
      const record = await this.#store.change(this.taskId, (current, now) =>
        isCurrent(current, this.run) ? recordProgress(current, now, progress) : undefined,
      );
      this.check(record);
    };
    // Progress is not essential: if it cannot be stored, the next write of the run fails and reports the reason.
    this.#writing = write()
      .catch(() => undefined)
      .finally(() => {
        this.#writing = undefined;
        if (this.#report !== undefined) this.reportProgress(this.#report);
      });
  }
}

function toTaskProgress(report: ProgressReport): TaskProgress {
  return { progress: report.progress, message: describeProgress(report) };
}

/** Returns the handler's message, or the progress in percent or as a number. */
function describeProgress({ progress, total, message }: ProgressReport): string {
  if (message !== undefined && message !== "") return message;
  if (total === undefined || !Number.isFinite(total) || total <= 0) return String(progress);
  return `${Math.round((100 * progress) / total)}%`;
}

function cancelled(): DOMException {
  return new DOMException("The task was cancelled.", "AbortError");
}

const EXPIRED = "The lifetime of the task has ended.";
const SUPERSEDED = "The task runs on another worker.";

/** Time in milliseconds that a handler gets to stop after its task was cancelled or has ended. */
const GRACE_MS = 10_000;

/** Reduces an error to data. The text of unexpected errors stays on the server. */
function toStepError(error: unknown): StepError {
  const told = toPublicError(error);
  if (told === undefined) {
    const name = isInstance(error, Error) && typeof error.name === "string" ? error.name : "Error";
    return { name, message: messageOf(error) ?? "The step failed.", isPublic: false };
  }
  const { message, code, details } = told;
  return {
    name: "McpError",
    message,
    isPublic: true,
    isRequestError: isInstance(error, RequestError),
    code,
    ...(details === undefined ? {} : { details: { ...details } }),
  };
}

function toNamedError(name: string, message: string): Error {
  const error = new Error(message);
  if (name !== error.name) Object.defineProperty(error, "name", { value: name });
  return error;
}

/** Restores the error of a step that failed in an earlier run. */
function toError({ name, message, isPublic, isRequestError = false, code, details }: StepError): Error {
  if (!isPublic || !isErrorName(code)) return toNamedError(name, message);
  return isRequestError ? new RequestError(code, message, details) : new McpError(code, message, details);
}
