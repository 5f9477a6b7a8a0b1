/**
 * @fileoverview State machine of tasks, as pure functions from a record to the next one. A function returns `undefined`
 * if the change does not apply to the record, for example because the task has finished.
 * @module tenon/tasks/state/transitions
 */
import type { JsonObject } from "@tenon/internal/json";
import type { RpcError } from "../../protocol/index.js";
import { isFinal, type TaskQuestion, type TaskRecord, type TaskStep } from "./record.js";
import { BASE_BYTES, jsonBytes, textBytes } from "./size.js";

/** Maximum length of a status message in characters. */
const MAX_STATUS_MESSAGE = 1_024;

/** Maximum number of times that a question is repeated after an answer that the handler does not accept. */
const MAX_REPEATS = 5;

/** Returns the time at which a task fails if it has not finished. */
export function expiryOf({ createdAt, ttlMs }: Pick<TaskRecord, "createdAt" | "ttlMs">): number {
  return ttlMs === null ? Number.POSITIVE_INFINITY : createdAt + ttlMs;
}

/** Fails a task whose lifetime has ended. */
export function expire(record: TaskRecord, now: number): TaskRecord | undefined {
  if (isFinal(record) || now < expiryOf(record)) return undefined;
  return failWith(record, now, `The task did not finish within its lifetime of ${record.ttlMs} ms.`);
}

/**
 * Starts a run of the handler. If the last run did not end, its worker was lost, and the task's policy decides.
 * Returns a finished record if the task cannot run.
 *
 * @param runId random ID of the run
 */
export function beginRun(record: TaskRecord, now: number, runId: string): TaskRecord | undefined {
  if (record.status !== "working") return undefined;
  const expired = expire(record, now);
  if (expired !== undefined) return expired;
  const next = { ...record, run: record.run + 1, isRunning: true, runId };
  if (!record.isRunning) return next;
  if (record.isCancelRequested) return cancel(record, now);
  const lostWorkers = record.lostWorkers + 1;
  const lost = { ...record, lostWorkers };
  const step = unfinishedStep(record);
  if (step !== undefined)
    return failWith(lost, now, `The worker stopped during the step "${step}", so its outcome is unknown.`);
  const { onLostWorker, maxLostWorkers } = record.policy;
  if (onLostWorker === "fail") return failWith(lost, now, "The worker stopped before the task finished.");
  if (lostWorkers > maxLostWorkers)
    return failWith(lost, now, `The task lost ${lostWorkers} workers (limit: ${maxLostWorkers}).`);
  return { ...next, lostWorkers };
}

/** Returns true while `run` is the current run of the handler. Later changes of an older run are rejected. */
export function isCurrent(record: TaskRecord, run: number): boolean {
  return record.status === "working" && record.isRunning && record.run === run;
}

/** Progress as recorded: the value and the text for clients. */
export interface TaskProgress {
  readonly progress: number;
  readonly message: string;
}

/** Records progress. The message becomes the status message. */
export function recordProgress(
  record: TaskRecord,
  now: number,
  { progress, message }: TaskProgress,
): TaskRecord {
  const statusMessage = message.slice(0, MAX_STATUS_MESSAGE);
  return { ...record, statusMessage, updatedAt: now, journal: { ...record.journal, progress } };
}

/** Records the state of a step, or removes a step that has to run again. */
export function recordStep(record: TaskRecord, key: string, step: TaskStep | undefined): TaskRecord {
  const { journal } = record;
  const { [key]: _, ...others } = journal.steps;
  const old = Object.hasOwn(journal.steps, key) ? journal.steps[key] : undefined;
  const steps = step === undefined ? others : { ...others, [key]: step };
  const bytes = record.bytes + sizeOf(key, step) - sizeOf(key, old);
  return { ...record, bytes, journal: { ...journal, steps } };
}

function sizeOf(key: string, step: TaskStep | undefined): number {
  return step === undefined ? 0 : jsonBytes([key, step]);
}

/** Questions of a run, by the handler's key, and the reasons for which earlier answers were not accepted. */
export interface AskedQuestions {
  readonly inputRequests: JsonObject;
  readonly rejected: ReadonlyMap<string, string>;
}

/** Ends a run that has questions to the client. */
export function askQuestions(
  record: TaskRecord,
  now: number,
  { inputRequests, rejected }: AskedQuestions,
): TaskRecord {
  if (record.isCancelRequested) return cancel(record, now);
  const { journal } = record;
  const usedKeys = [...journal.usedKeys];
  const asked: [string, TaskQuestion][] = [];
  for (const [key, request] of Object.entries(inputRequests)) {
    const wireKey = freshKey(key, usedKeys);
    if (wireKey === undefined) {
      const message = `The answers to "${key}" were invalid ${MAX_REPEATS} times. ${rejected.get(key) ?? ""}`;
      return finish(record, now, { status: "failed", error: { code: INVALID_PARAMS, message } });
    }
    usedKeys.push(wireKey);
    asked.push([wireKey, { key, ...(request as Omit<TaskQuestion, "key">) }]); // Safe: the call created it
  }
  const questions = Object.fromEntries(asked);
  const answers = Object.fromEntries(Object.entries(journal.answers).filter(([key]) => !rejected.has(key)));
  const rejection = [...rejected.values()].join(" ").slice(0, MAX_STATUS_MESSAGE);
  return {
    ...record,
    status: "input_required",
    updatedAt: now,
    isRunning: false,
    bytes: record.bytes + jsonBytes(asked),
    journal: { ...journal, answers, questions, usedKeys, rejection: rejection === "" ? null : rejection },
  };
}

/** Records answers by their key on the wire. When no question is left, the handler can run again. */
export function recordAnswers(record: TaskRecord, now: number, given: JsonObject): TaskRecord | undefined {
  if (record.status !== "input_required") return undefined;
  const { journal } = record;
  const answered = Object.entries(journal.questions).filter(([wireKey]) => Object.hasOwn(given, wireKey));
  if (answered.length === 0) return undefined;
  const answers = Object.fromEntries(answered.map(([wireKey, { key }]) => [key, given[wireKey]]));
  const questions = Object.fromEntries(
    Object.entries(journal.questions).filter(([wireKey]) => !Object.hasOwn(given, wireKey)),
  );
  const isAnswered = Object.keys(questions).length === 0;
  const rejection = isAnswered ? null : journal.rejection;
  return {
    ...record,
    status: isAnswered ? "working" : "input_required",
    updatedAt: now,
    bytes: record.bytes + jsonBytes(answers) - jsonBytes(answered),
    journal: { ...journal, answers: { ...journal.answers, ...answers }, questions, rejection },
  };
}

/** Cancels a task at once, or asks its running handler to stop. */
export function requestCancel(record: TaskRecord, now: number): TaskRecord | undefined {
  if (isFinal(record) || record.isCancelRequested) return undefined;
  return record.isRunning ? { ...record, isCancelRequested: true } : cancel(record, now);
}

/** Ends a task as cancelled. */
export function cancel(record: TaskRecord, now: number): TaskRecord {
  return finish(record, now, { status: "cancelled" });
}

/** Ends a run with the result of the call, as JSON text. */
export function complete(record: TaskRecord, now: number, result: string): TaskRecord {
  return finish(record, now, { status: "completed", result });
}

/** Ends a run with a JSON-RPC error. A handler that failed after a request to cancel counts as cancelled. */
export function fail(record: TaskRecord, now: number, error: RpcError): TaskRecord {
  return record.isCancelRequested ? cancel(record, now) : finish(record, now, { status: "failed", error });
}

/** Creates an internal error. Its message is visible to clients. */
export function internalError(message: string): RpcError {
  return { code: INTERNAL_ERROR, message };
}

/** Ends a task with an internal error, even if its cancellation was requested. */
function failWith(record: TaskRecord, now: number, message: string): TaskRecord {
  return finish(record, now, { status: "failed", error: internalError(message) });
}

/** Returns the key of a step whose outcome is unknown, unless the step may run again. */
/** Returns the key of a step whose outcome is unknown, unless the step may run again. */
function unfinishedStep({ journal }: TaskRecord): string | undefined {
  return Object.entries(journal.steps).find(([, step]) => step.state === "started" && !step.retry)?.[0];
}

const INTERNAL_ERROR = -32603;
const INVALID_PARAMS = -32602;

type Ending =
  | { readonly status: "completed"; readonly result: string }
  | { readonly status: "failed"; readonly error: RpcError }
  | { readonly status: "cancelled" };

/**
 * Sets the final status. Keeps the record for at least `resultTtlMs`, so that the client can read the result. A task
 * without a lifetime gets one now. The handler does not run again, so its request and its journal are removed.
 */
function finish(record: TaskRecord, now: number, ending: Ending): TaskRecord {
  const { createdAt, policy, request } = record;
  const ttlMs = Math.max(record.ttlMs ?? 0, now - createdAt + policy.resultTtlMs);
  const error = ending.status === "failed" ? ending.error : null;
  const result = ending.status === "completed" ? ending.result : null;
  return {
    ...record,
    status: ending.status,
    statusMessage: error === null ? record.statusMessage : error.message.slice(0, MAX_STATUS_MESSAGE),
    updatedAt: now,
    ttlMs,
    deleteAt: createdAt + ttlMs,
    isRunning: false,
    journal: EMPTY_JOURNAL,
    result,
    error,
    bytes: BASE_BYTES + textBytes(result ?? "") + (error === null ? 0 : jsonBytes(error)),
    request: { ...EMPTY_REQUEST, revision: request.revision },
  };
}

/** Journal of a task without answers and steps. */
export const EMPTY_JOURNAL: TaskRecord["journal"] = {
  answers: {},
  prepared: {},
  questions: {},
  rejection: null,
  usedKeys: [],
  steps: {},
  progress: null,
};

const EMPTY_REQUEST: Omit<TaskRecord["request"], "revision"> = {
  id: 0,
  args: {},
  meta: {},
  auth: null,
  capabilities: {},
  clientInfo: null,
  logLevel: null,
  hasContext: false,
};

/** Returns a key that the task has not used yet: the handler's key, or the key with a number. */
function freshKey(key: string, used: readonly string[]): string | undefined {
  if (!used.includes(key)) return key;
  const numbers = Array.from({ length: MAX_REPEATS - 1 }, (_, index) => `${key} (${index + 2})`);
  return numbers.find((one) => !used.includes(one));
}
