/**
 * @fileoverview Runs a task's handler once: starts a run in the record, calls the tool as its request would, and stores
 * the outcome.
 * @module tenon/tasks/running/run-task
 */
import { toBase64Url } from "@tenon/internal/base64";
import { isInstance } from "@tenon/internal/thrown";
import type { Closing } from "../../core/wire/closing.js";
import { type StoredTask, type TaskEngine, TaskEngineError } from "../engine/task-engine.js";
import { startExpiryTimer } from "../state/expiry-timer.js";
import { isFinal, type TaskRecord } from "../state/record.js";
import {
  askQuestions,
  beginRun,
  cancel,
  complete,
  expiryOf,
  fail,
  internalError,
  isCurrent,
  recordProgress,
  type TaskProgress,
} from "../state/transitions.js";
import type { AbandonedHandlers } from "./abandoned-handlers.js";
import { type CallHost, callInTask, type RunOutcome } from "./call-in-task.js";
import { TaskRun } from "./task-run.js";
import type { TaskChange, TaskStore } from "./task-store.js";

/** The parts of a server's tasks that a run needs. */
export interface RunHost extends CallHost {
  readonly engine: TaskEngine;
  readonly store: TaskStore;
  readonly abandoned: AbandonedHandlers;
  /** Logs that the handler of a tool does not stop. */
  reportAbandoned(tool: string): void;
}

/**
 * Runs a task until it finishes or has questions to the client. Does nothing if the task has finished or waits for
 * answers. Rejects if the engine fails.
 *
 * @param closing closes when the handlers must stop because the server closes
 */
export async function runTask(
  tasks: RunHost,
  { taskId, stored }: Delivered,
  closing: Closing,
): Promise<void> {
  const { record, run } = await begin(tasks, { taskId, stored }, closing);
  if (record !== undefined && run !== undefined && isCurrent(record, run)) {
    await runHandler(tasks, record, closing);
  } else if (record !== undefined && isFinal(record)) {
    tasks.contexts.drop(taskId);
  }
}

/**
 * Starts a run in the record. If the engine fails, the start may be stored or not. Another attempt tells, and without it
 * the next worker would find a run that did not end.
 */
async function begin(
  tasks: RunHost,
  { taskId, stored }: Delivered,
  closing: Closing,
): Promise<{ readonly record: TaskRecord | undefined; readonly run: number | undefined }> {
  const runId = toBase64Url(tasks.host.services.ports.randomBytes(RUN_ID_BYTES));
  let run: number | undefined;
  let wasLost = false;
  let onFailure: ((error: unknown) => void) | undefined;
  const change: TaskChange = (current, now) => {
    const isBegun = current.isRunning && current.runId === runId;
    wasLost ||= current.isRunning && !isBegun;
    const next = isBegun ? undefined : beginRun(current, now, runId);
    run = isBegun ? current.run : next?.isRunning === true ? next.run : undefined;
    if (run !== undefined) onFailure ??= createFailureHandler(tasks, current, closing);
    return next;
  };
  const record = await tasks.store.retry(
    () => tasks.store.change(taskId, change, stored),
    (error) => {
      // Nothing was written, so the engine can deliver the task again.
      if (onFailure === undefined) throw error;
      onFailure(error);
    },
  );
  if (wasLost && record !== undefined)
    tasks.warn(record.tool, run === undefined ? TAKEN_OVER_ENDED : TAKEN_OVER_RUNS);
  return { record, run };
}

const TAKEN_OVER_RUNS = "The worker of a task was lost. The task runs again on this node.";
const TAKEN_OVER_ENDED = "The worker of a task was lost. This node has ended the task.";

const RUN_ID_BYTES = 12;

/** Task that an engine delivered, with its record if the engine has just read it. */
export interface Delivered {
  readonly taskId: string;
  readonly stored?: StoredTask | undefined;
}

async function runHandler(tasks: RunHost, record: TaskRecord, closing: Closing): Promise<void> {
  const { host, engine, settings, store } = tasks;
  const { ports } = host.services;
  const { taskId } = record;
  const onFailure = createFailureHandler(tasks, record, closing);
  const run = new TaskRun(record, store, { ...settings, ports, onFailure });
  const check = () => void store.read(taskId).then((current) => run.check(current), ignore);
  // The handler does not wait for the watch. A cancellation in the meantime is found by the check afterwards.
  const watching = store.retry(() => engine.watch(taskId, check), onFailure);
  watching.then(check, ignore);
  const stopTimer = startExpiryTimer(ports, record, check);
  const forget = closing.onClose(() => run.stop(CLOSING));
  if (closing.isClosed) run.stop(CLOSING);
  try {
    const handler = callSafely(tasks, record, run);
    const abandoned = run.overdue.then(() => tasks.abandoned.add(record.principal, handler));
    const end = await Promise.race([handler, abandoned]);
    if (end === "abandoned") tasks.reportAbandoned(record.tool);
    const outcome = end === "abandoned" ? STOPPED : end;
    await settle(tasks, run, { outcome, progress: await run.finish(), onFailure });
  } finally {
    forget();
    stopTimer();
    watching.then((unwatch) => unwatch(), ignore);
  }
}

const CLOSING = /* @__PURE__ */ new DOMException("The server is closing.", "AbortError");

const STOPPED: RunOutcome = { kind: "stopped" };

function ignore(): void {
  // The next write of the run fails for the same reason and reports it.
}

/** Returns a function that reports the first failure, and gives up when the server closes or the task has expired. */
function createFailureHandler(
  tasks: RunHost,
  record: TaskRecord,
  closing: Closing,
): (error: unknown) => void {
  let isReported = false;
  return (error) => {
    if (closing.isClosed || tasks.host.services.ports.now() >= expiryOf(record)) throw error;
    if (!isReported) tasks.report(record.tool, error);
    isReported = true;
  };
}

async function callSafely(tasks: RunHost, record: TaskRecord, run: TaskRun): Promise<RunOutcome> {
  try {
    return await callInTask(tasks, record, run);
  } catch (error) {
    // For example, the application could not create the context.
    tasks.report(record.tool, error);
    return { kind: "error", error: internalError("Internal error") };
  }
}

/** End of a run, and progress that has not been stored yet. */
interface RunEnd {
  readonly outcome: RunOutcome;
  readonly progress: TaskProgress | undefined;
  readonly onFailure: (error: unknown) => void;
}

/** Stores the outcome of a run, unless the task has ended or runs elsewhere. */
async function settle(
  tasks: RunHost,
  { taskId, tool, run }: TaskRun,
  { outcome, progress, onFailure }: RunEnd,
): Promise<void> {
  const apply = (change: TaskChange) =>
    tasks.store.retry(
      () =>
        tasks.store.change(taskId, (record, now) =>
          isCurrent(record, run) ? change(record, now) : undefined,
        ),
      onFailure,
    );
  const { maxTaskBytes } = tasks.settings;
  let record: TaskRecord | undefined;
  try {
    record = await apply((latest, now) => {
      const current = progress === undefined ? latest : recordProgress(latest, now, progress);
      const next = applyOutcome(current, now, outcome);
      if (next?.status !== "input_required" || next.bytes <= maxTaskBytes) return next;
      const message = `The questions of the task are too large (limit: ${maxTaskBytes} bytes).`;
      return fail(current, now, internalError(message));
    });
  } catch (error) {
    if (!isInstance(error, TaskEngineError) || error.code !== "full") throw error;
    tasks.report(tool, error);
    const message = "The server does not have enough memory to store the outcome of the task.";
    record = await apply((current, now) => fail(current, now, internalError(message)));
  }
  if (record === undefined || isFinal(record)) tasks.contexts.drop(taskId);
}

function applyOutcome(record: TaskRecord, now: number, outcome: RunOutcome): TaskRecord | undefined {
  switch (outcome.kind) {
    case "asked":
      return askQuestions(record, now, outcome);
    case "result":
      return complete(record, now, outcome.text);
    case "error":
      return fail(record, now, outcome.error);
    case "stopped":
      // If the server is closing, the record stays as it is, and the next worker finds a run that did not end.
      return record.isCancelRequested ? cancel(record, now) : undefined;
  }
}
