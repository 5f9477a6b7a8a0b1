/**
 * @fileoverview The task loop: requests a response from the model, runs its tool calls, and sends the results back to
 * the model. The loop ends when the run completes, fails, is interrupted, or reaches a limit.
 * @module agent/conversation/tasks/run-task
 */
import { safeReport } from "@tenon/internal/security/safe-text";
import type { JsonObject } from "@tenon/internal/json";
import { BlockedError } from "../../hooks/hooks.js";
import type { ENDINGS, ServerMessage } from "../../messages/built-in-messages.js";
import { type ModelConversation, ModelError, type ModelMessage } from "../../models/model-port.js";
import { StorageError } from "../../storage/storage-error.js";
import type { TaskStatus } from "../../storage/task-entry.js";
import { type FetchedResponse, type FetchParts, fetchResponse } from "../answer/fetch-response.js";
import { type CallSurroundings, skipCall, skipOpenCalls } from "../calls/perform-call.js";
import { toAlert, type Transcript } from "../context/transcript.js";
import type { ShownCall, StartedText } from "../answer/model-response.js";
import { cancelApprovals } from "./decide-approval.js";
import { performCalls } from "../calls/perform-calls.js";
import { fitContext } from "../context/fit-context.js";
import { compact, isNearLimit } from "./compact.js";
import type { Meter } from "./meter.js";
import type { Toolbox } from "../answer/toolbox.js";

/** Dependencies and limits for a run. */
export interface TaskRun extends CallSurroundings, Omit<FetchParts, "count" | "step"> {
  readonly maxSteps: number;
  readonly maxContext: number;
  readonly meter: Meter;
  /** JSON Schema for the model's final response. */
  readonly responseSchema?: JsonObject | undefined;
}

/** Reason a run ended. */
export type Ending = (typeof ENDINGS)[number];

/** Runs a task until it is the user's turn. Returns the reason the run ended. Never rejects. */
export async function runTask(parts: TaskRun, signal: AbortSignal): Promise<Ending> {
  const ended = await work(parts, signal).catch((error: unknown): Outcome => toOutcome(error, signal));
  const { transcript, logger } = parts;
  // Errors caused by an interrupt are expected and not logged.
  if (ended.ending === "error" || ended.error instanceof StorageError)
    logger?.error(`agent: task ${transcript.taskId}: ${safeReport(ended.error)}`);
  transcript.breakOff();
  if (ended.ending === "interrupted") await cancelOpenCalls(transcript).catch(() => undefined); // reported below
  const last = describeEnding(ended, parts);
  try {
    const { ending } = ended;
    if (last.shown !== undefined) await transcript.keepAndSend(last.shown, { status: last.status, ending });
    else if (last.status !== transcript.status) await transcript.keep({ status: last.status });
  } catch (error) {
    // Clients receive the last message even if the disk is full.
    logger?.error(`agent: task ${transcript.taskId}: could not store the last message: ${safeReport(error)}`);
    if (last.shown !== undefined) transcript.send(last.shown);
    transcript.settle(last.status);
  }
  parts.span.end({ reason: ended.ending, usage: parts.meter.usage, error: ended.error });
  return ended.ending;
}

/** Cancels what an interrupted run leaves behind: waiting approvals, and calls that did not start. */
async function cancelOpenCalls(transcript: Transcript): Promise<void> {
  await cancelApprovals(transcript);
  await skipOpenCalls(transcript);
}

interface Outcome {
  readonly ending: Ending;
  readonly error?: unknown;
  /** Text for users, if the ending needs an explanation. */
  readonly reason?: string | undefined;
}

function toOutcome(error: unknown, signal: AbortSignal): Outcome {
  if (signal.aborted) return { ending: "interrupted", error };
  if (error instanceof BlockedError) return { ending: "blocked", reason: error.message };
  return { ending: "error", error };
}

async function work(parts: TaskRun, signal: AbortSignal): Promise<Outcome> {
  const { transcript, maxSteps, meter } = parts;
  const ended = await performOpenCalls(parts, signal);
  if (ended !== undefined) return ended;
  let continued: StartedText | undefined;
  let canCompact = true;
  for (let step = 1; step <= maxSteps; step++) {
    const release = await meter.reserve(signal);
    if (typeof release === "string") return { ending: "budget", reason: release };
    const { response, usage, isEstimated, isCompacted } = await respond(
      { ...parts, step, continued, canCompact },
      signal,
    ).finally(release);
    canCompact &&= isCompacted;
    meter.report(usage, isEstimated);
    if (response.calls.length > 0 && response.end?.reason !== "content-filter") {
      continued = undefined;
      const outcome = await performAll(response.calls, parts, signal);
      if (outcome !== undefined) return outcome;
      continue;
    }
    const finish = response.end?.reason;
    if (finish === "content-filter") {
      for (const shown of response.calls) await skipCall(transcript, shown);
      return { ending: "filtered" };
    }
    if (finish !== "length") {
      if (response.isEmpty) throw new ModelError("The model returned an empty response.");
      return { ending: "answered" };
    }
    if (continued !== undefined || response.isEmpty) return { ending: "length" };
    continued = response.startedText;
    await transcript.keep({ model: { role: "user", content: CONTINUE } });
  }
  return { ending: "stepLimit" };
}

const CONTINUE = [
  "Your response was cut off because it reached the length limit. Continue exactly where it stopped, without repeating",
  "anything. If it stopped inside a tool call, write the whole call again.",
].join(" ");

/** Runs the calls that were stored but did not start: after a restart, or because they waited for approval. */
async function performOpenCalls(parts: TaskRun, signal: AbortSignal): Promise<Outcome | undefined> {
  const { transcript, toolbox } = parts;
  const calls = restoreCalls(transcript, toolbox);
  const outcome = calls.length === 0 ? undefined : await performAll(calls, parts, signal);
  // Calls that cannot be restored get a result that says so.
  if (outcome === undefined) transcript.closeCalls("all");
  return outcome;
}

/** Runs calls. If a user decides about waiting calls while others run, the run goes on. */
async function performAll(
  calls: Parameters<typeof performCalls>[0],
  parts: TaskRun,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { transcript, toolbox } = parts;
  let ending = await performCalls(calls, parts, signal);
  while (ending === "approval" && transcript.facts.openApprovals.length === 0) {
    ending = await performCalls(restoreCalls(transcript, toolbox), parts, signal);
  }
  return ending && { ending };
}

/** Parts that change from response to response. */
interface Step extends TaskRun {
  readonly step: number;
  readonly continued: StartedText | undefined;
  /** False after a summary failed, so that it is not tried again in each step. */
  readonly canCompact: boolean;
}

/** Fetches a response. A conversation that is too long is summarized before. */
async function respond(
  parts: Step,
  signal: AbortSignal,
): Promise<FetchedResponse & { readonly isCompacted: boolean }> {
  const count = (usage: Parameters<Meter["add"]>[0]) => parts.meter.add(usage);
  const fetchParts = { ...parts, count };
  const isCompacted = !parts.canCompact || !isNearLimit(parts) || (await compact(fetchParts, signal));
  try {
    const fetched = await fetchResponse(toConversation(parts, parts.maxContext), fetchParts, signal);
    return { ...fetched, isCompacted };
  } catch (error) {
    if (!(error instanceof ModelError) || error.kind !== "context-length") throw error;
    // The model's limit is lower than the configured one.
    await compact({ ...fetchParts, maxContext: Math.ceil(parts.maxContext / 2) }, signal);
    const half = Math.ceil(lengthOf(parts) / 2);
    return { ...(await fetchResponse(toConversation(parts, half), fetchParts, signal)), isCompacted };
  }
}

function lengthOf({ transcript, maxContext }: TaskRun): number {
  return Math.min(maxContext, JSON.stringify(transcript.messages).length);
}

function toConversation(parts: TaskRun, maxContext: number): ModelConversation {
  const { transcript, toolbox, responseSchema } = parts;
  const messages = fitContext(transcript.messages, maxContext);
  return {
    taskId: transcript.taskId,
    messages: [{ role: "system", content: toolbox.systemPrompt }, ...messages],
    tools: toolbox.modelTools,
    responseSchema,
  };
}

/** Returns the last message for clients and the task's status after the run. */
function describeEnding(
  { ending, error, reason }: Outcome,
  { transcript, maxSteps }: TaskRun,
): { readonly shown?: ServerMessage; readonly status: TaskStatus } {
  const { taskId } = transcript;
  const updateTime = transcript.nextTime();
  const alert = (text: string) => ({ shown: toAlert(taskId, text, updateTime), status: "aborted" }) as const;
  switch (ending) {
    case "interrupted":
      return { shown: { type: "interrupt", data: { taskId, updateTime } }, status: "aborted" };
    case "error":
      return {
        shown: { type: "error", data: { message: describeFailure(error), taskId, updateTime } },
        status: "error",
      };
    case "stepLimit":
      return alert(
        `The agent stopped after too many steps (limit: ${maxSteps}). Resume the task to continue.`,
      );
    case "length":
      return alert(
        "The response is incomplete: the model reached its length limit twice. Resume the task to continue.",
      );
    case "filtered":
      return alert("The response is incomplete: the provider's content filter ended it.");
    case "budget":
    case "blocked":
      return alert(reason ?? "The run was stopped.");
    case "approval":
      return { status: "waiting" };
    default:
      return { status: ending === "completed" ? "completed" : "idle" };
  }
}

/** Describes a failure to users. Only `ModelError` and `StorageError` messages are shown. */
function describeFailure(error: unknown): string {
  if (error instanceof ModelError && error.kind === "context-length") return TOO_LONG;
  const isMeant = error instanceof ModelError || error instanceof StorageError;
  return isMeant ? error.message : "The model failed because of an internal error.";
}

const TOO_LONG = "The conversation is too long for the model, even after it was shortened. Start a new task.";

/** Parses the calls of the last response that do not have a result and did not start. */
function restoreCalls(transcript: Transcript, toolbox: Toolbox): readonly ShownCall[] {
  const open = transcript.openCalls.filter(({ hasBegun }) => !hasBegun);
  const last = transcript.messages.findLast(({ role }) => role === "assistant");
  if (open.length === 0 || last?.role !== "assistant") return [];
  const ids = new Set(open.map(({ callId }) => callId));
  return parseCalls(last, toolbox)
    .filter(({ call }) => ids.has(call.id))
    .map(({ call }) => ({ call, time: transcript.nextTime() }));
}

function parseCalls(
  { content, calls = [] }: Extract<ModelMessage, { readonly role: "assistant" }>,
  toolbox: Toolbox,
): readonly Pick<ShownCall, "call">[] {
  const reader = toolbox.createReader();
  const pieces = calls.length === 0 ? [content] : calls.map((call, index) => ({ call: { index, ...call } }));
  const isNative = toolbox.modelTools.length > 0;
  // The model may have changed to another format of calls since. Such calls cannot be read.
  if (isNative !== calls.length > 0) return [];
  const events = [...pieces.flatMap((piece) => reader.feed(piece)), ...reader.finish()];
  return events.flatMap((event) => (event.type === "call" ? [{ call: event.call }] : []));
}
