/**
 * @fileoverview The task loop: requests a response from the model, runs its tool calls, and sends the results back to
 * the model. The loop ends when the run completes, fails, is interrupted, or reaches the step limit.
 * @module agent/conversation/run-task
 */
import { setImmediate as nextLoop, setTimeout as wait } from "node:timers/promises";
import { safeReport } from "@tenon/internal/security/safe-text";
import type { ServerMessage } from "../../messages/built-in-messages.js";
import { type ModelConversation, ModelError, type ModelPort } from "../../models/model-port.js";
import { StorageError } from "../../storage/storage-error.js";
import type { TaskStatus } from "../../storage/task-entry.js";
import { itemsUntilAborted } from "../../shared/until-aborted.js";
import { fitContext } from "../context/fit-context.js";
import { type CallSurroundings, performCall, skipCall } from "../answer/perform-call.js";
import { ModelResponse } from "../answer/model-response.js";

/** Dependencies and limits for a run. */
export interface TaskRun extends CallSurroundings {
  readonly model: ModelPort;
  readonly maxSteps: number;
  readonly maxContext: number;
  /** Delay before a response that was cut off is requested again, in milliseconds. */
  readonly restartDelay: number;
}

/** Reason a run ended. */
export type Ending = "answered" | "completed" | "question" | "interrupted" | "error" | "stepLimit";

/** Runs a task until it is the user's turn. Returns the reason the run ended. Never rejects. */
export async function runTask(parts: TaskRun, signal: AbortSignal): Promise<Ending> {
  const ended = await work(parts, signal).then(
    (ending): Outcome => ({ ending }),
    (error: unknown): Outcome => ({ ending: signal.aborted ? "interrupted" : "error", error }),
  );
  const { transcript, logger } = parts;
  // Errors caused by an interrupt are expected and not logged.
  if (ended.ending === "error" || ended.error instanceof StorageError)
    logger?.error(`agent: task ${transcript.taskId}: ${safeReport(ended.error)}`);
  transcript.breakOff();
  const last = describeEnding(ended, parts);
  try {
    if (last.shown !== undefined) await transcript.keepAndSend(last.shown, { status: last.status });
    else if (last.status !== transcript.status) await transcript.keep({ status: last.status });
  } catch (error) {
    // Clients receive the last message even if the disk is full.
    logger?.error(`agent: task ${transcript.taskId}: could not store the last message: ${safeReport(error)}`);
    if (last.shown !== undefined) transcript.send(last.shown);
    transcript.settle(last.status);
  }
  return ended.ending;
}

interface Outcome {
  readonly ending: Ending;
  readonly error?: unknown;
}

async function work(parts: TaskRun, signal: AbortSignal): Promise<Ending> {
  for (let step = 0; step < parts.maxSteps; step++) {
    const response = await fetchResponse(parts, signal);
    if (response.calls.length === 0) return "answered";
    const ending = await performCalls(response, parts, signal);
    if (ending !== undefined) return ending;
  }
  return "stepLimit";
}

/** Maximum number of retries after a response was cut off. */
const MAX_RESTARTS = 2;

async function fetchResponse(parts: TaskRun, signal: AbortSignal): Promise<ModelResponse> {
  const { transcript, toolbox, model, restartDelay } = parts;
  for (let restarts = 0; ; restarts++) {
    let count = 0;
    const response = new ModelResponse(transcript, toolbox.createReader(), toolbox.displayModeOf);
    try {
      for await (const piece of itemsUntilAborted(model(toConversation(parts), signal), signal)) {
        response.take(piece);
        if (response.isOver) break;
        // Yield to the event loop, so that a fast model does not block other work.
        if (++count % 64 === 0) await nextLoop();
      }
    } catch (error) {
      const isLost = error instanceof ModelError && error.isTransient && response.hasBegun;
      if (!isLost || signal.aborted || restarts === MAX_RESTARTS) {
        await response.breakOff();
        throw error;
      }
      response.discard();
      const text = `${error.message} Retrying.`;
      await transcript.keepAndSend(alert(transcript.taskId, text, transcript.nextTime()));
      await wait(restartDelay, undefined, { signal });
      continue;
    }
    await response.finish();
    if (response.isEmpty) throw new ModelError("The model returned an empty response.");
    return response;
  }
}

async function performCalls(
  response: ModelResponse,
  parts: TaskRun,
  signal: AbortSignal,
): Promise<Ending | undefined> {
  let ending: Ending | undefined;
  for (const shown of response.calls) {
    if (ending !== undefined || signal.aborted) await skipCall(parts.transcript, shown);
    else ending = await performCall(shown, parts, signal);
  }
  signal.throwIfAborted();
  return ending;
}

function toConversation({ transcript, toolbox, maxContext }: TaskRun): ModelConversation {
  const messages = fitContext(transcript.messages, maxContext);
  return {
    taskId: transcript.taskId,
    messages: [{ role: "system", content: toolbox.systemPrompt }, ...messages],
    tools: toolbox.modelTools,
  };
}

/** Returns the last message for clients and the task's status after the run. */
function describeEnding(
  { ending, error }: Outcome,
  { transcript, maxSteps }: TaskRun,
): { readonly shown?: ServerMessage; readonly status: TaskStatus } {
  const { taskId } = transcript;
  const updateTime = transcript.nextTime();
  switch (ending) {
    case "interrupted":
      return { shown: { type: "interrupt", data: { taskId, updateTime } }, status: "aborted" };
    case "error":
      return {
        shown: { type: "error", data: { message: describeFailure(error), taskId, updateTime } },
        status: "error",
      };
    case "stepLimit":
      return {
        shown: alert(
          taskId,
          `The agent stopped after too many steps (limit: ${maxSteps}). Resume the task to continue.`,
          updateTime,
        ),
        status: "aborted",
      };
    default:
      return { status: ending === "completed" ? "completed" : "idle" };
  }
}

/** Describes a failure to users. Only `ModelError` and `StorageError` messages are shown. */
function describeFailure(error: unknown): string {
  const isMeant = error instanceof ModelError || error instanceof StorageError;
  return isMeant ? error.message : "The model failed because of an internal error.";
}

function alert(taskId: string, message: string, updateTime: number): ServerMessage {
  return { type: "alert", data: { taskId, message, severity: "warning", updateTime } };
}
