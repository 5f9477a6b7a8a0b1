/**
 * @fileoverview Runs one tool call. The call is stored before it starts and when it ends, and shown to clients while it
 * runs.
 * @module agent/conversation/calls/perform-call
 */
import type { JsonObject } from "@tenon/internal/json";
import { safeReport } from "@tenon/internal/security/safe-text";
import type { Frame } from "../../messages/frames.js";
import type { ModelMessage } from "../../models/model-port.js";
import type { RunSpan } from "../../telemetry/agent-telemetry.js";
import type { ToolRun } from "../../tool-service.js";
import { untilAborted } from "../../shared/until-aborted.js";
import type { FoundCall } from "../answer/answer-reader.js";
import type { ShownCall } from "../answer/model-response.js";
import { type Transcript, toShown } from "../context/transcript.js";
import { describeResult, shorten, type StoreResult, toJson } from "./describe-result.js";
import { Paced } from "./paced.js";
import type { PreparedCall, PrepareParts } from "./prepare-call.js";

/** Context for tool calls. */
export interface CallSurroundings extends PrepareParts {
  /** Timeout for a tool call, in milliseconds. */
  readonly toolTimeout: number;
  /** Maximum length of a result that the model receives at once, in characters. */
  readonly maxResult: number;
  readonly storeResult: StoreResult;
  /** Span of the run. */
  readonly span: RunSpan;
  /** Validates a message that a tool posts. Returns `undefined` unless it is a valid `alert` or registered message. */
  readonly toPosted: (message: object) => Frame | undefined;
}

/** Reason a call ends the run. */
export type CallEnding = "completed" | "question" | "approval";

/** Runs a prepared call. If the call ends the run, returns the reason. */
export async function performCall(
  prepared: PreparedCall,
  surroundings: CallSurroundings,
  signal: AbortSignal,
): Promise<CallEnding | undefined> {
  if (prepared.type === "waiting") return "approval";
  const { transcript, toolbox } = surroundings;
  const { call, time } = prepared.shown;
  const display = toolbox.displayModeOf(call.name);
  if (prepared.type === "run" && display === "text") return complete(transcript, call, time);
  if (prepared.type === "run" && display === "hidden") return ask(transcript, call, time);
  // A call that does not run is shown as a card, so text that was already streamed is discarded.
  if (display !== "card") transcript.discard(time);
  const shown = display === "card" ? prepared.shown : { call, time: transcript.nextTime() };
  if (prepared.type === "run") await run(shown, surroundings, signal);
  else await reject(shown, prepared, transcript);
  return undefined;
}

const SKIPPED =
  "This call was not run, because an earlier call ended the response or the task was interrupted.";

/** Records that a call was skipped. Every call in the model's conversation requires a result. */
export async function skipCall(transcript: Transcript, { call, time }: ShownCall): Promise<void> {
  transcript.discard(time);
  await transcript.keep({ model: toResult(call, SKIPPED) });
}

/** Records that the calls that have no result were skipped. */
export async function skipOpenCalls(transcript: Transcript): Promise<void> {
  for (const { toolName, callId } of transcript.openCalls) {
    await transcript.keep({ model: toResult({ name: toolName, id: callId }, SKIPPED) });
  }
}

async function complete(transcript: Transcript, call: FoundCall, time: number): Promise<CallEnding> {
  const message = String(call.params["result"]).trim();
  await transcript.keepAndSend(
    { type: "completionResult", data: { taskId: transcript.taskId, message, updateTime: time } },
    { model: toResult(call, "The result was shown to the user."), status: "completed" },
  );
  return "completed";
}

async function ask(transcript: Transcript, call: FoundCall, time: number): Promise<CallEnding> {
  const { question, suggestOptions } = call.params;
  const options = Array.isArray(suggestOptions) ? { suggestOptions: suggestOptions.map(String) } : {};
  const data = { taskId: transcript.taskId, question: String(question).trim(), ...options, updateTime: time };
  const model = toResult(call, "The question was shown to the user. The next message is the answer.");
  await transcript.keepAndSend({ type: "askFollowupQuestion", data }, { model, status: "idle" });
  return "question";
}

/** Shows a call that is invalid or denied, and tells the model why it did not run. */
async function reject(
  { call, time }: ShownCall,
  prepared: Extract<PreparedCall, { readonly type: "invalid" | "denied" }>,
  transcript: Transcript,
): Promise<void> {
  const message = shorten(prepared.type === "invalid" ? prepared.error.message : prepared.reason);
  const status = prepared.type === "invalid" ? "failed" : "denied";
  const data = { ...toCard(call, time), taskId: transcript.taskId, message, error: message, status };
  await transcript.keepAndSend(
    { type: "tool", data },
    { model: toResult(call, message), status: "streaming" },
  );
}

async function run(
  { call, time }: ShownCall,
  surroundings: CallSurroundings,
  signal: AbortSignal,
): Promise<void> {
  const { transcript, logger, maxResult, storeResult } = surroundings;
  const { taskId } = transcript;
  const executed = await execute({ call, time }, surroundings, signal);
  if (executed.error !== undefined) logger?.warn(`agent: task ${taskId}: ${safeReport(executed.error)}`);
  const outcome = await runAfterTool(executed, { ...surroundings, call }, signal);
  const { result, text, storedResult } = await describeResult(outcome, { maxResult, storeResult });
  const message = shorten(outcome.message);
  const data = {
    ...toCard(call, time),
    taskId,
    message,
    toolResult: result,
    error: outcome.error && message,
    status: toStatus(outcome, signal),
  };
  await transcript.keepAndSend(
    { type: "tool", data },
    { model: toResult(call, text), status: "streaming", storedResult },
  );
}

/** Runs the `afterTool` hook. If the hook fails, the call fails: its result might contain what the hook removes. */
async function runAfterTool(
  executed: ToolRun,
  { hooks, transcript, user, logger, call }: CallSurroundings & { readonly call: FoundCall },
  signal: AbortSignal,
): Promise<ToolRun> {
  if (hooks.afterTool === undefined) return executed;
  const { taskId } = transcript;
  const { message, params, toolResult, error } = executed;
  const info = { taskId, user, signal, toolName: call.name, params, message, toolResult };
  try {
    const run = async () => hooks.afterTool?.({ ...info, isError: error !== undefined });
    // The tool has already run, so an interrupt does not discard its result.
    const changed = signal.aborted ? await run() : await untilAborted(run(), signal);
    return changed === undefined ? executed : { ...executed, ...changed };
  } catch (cause) {
    logger?.error(`agent: task ${taskId}: the hook \`afterTool\` failed: ${safeReport(cause)}`);
    return toFailure(new Error("The result of the tool cannot be shown, because a hook failed.", { cause }));
  }
}

async function execute(
  { call, time }: ShownCall,
  surroundings: CallSurroundings,
  signal: AbortSignal,
): Promise<ToolRun> {
  const { transcript, toolbox, toolTimeout, toPosted, user } = surroundings;
  const { taskId } = transcript;
  const { name, params } = call;
  const card = { ...toCard(call, time), message: "", status: "running" };
  // Tools may have side effects, so the call is stored before the tool starts.
  await transcript.keep({
    shown: toShown({ type: "tool", data: { ...card, taskId, partial: true } }),
    callBegan: { toolName: name, callId: call.id },
    status: "tool_executing",
  });
  transcript.stream("tool", card);
  const limit = new AbortController();
  const delegates = toolbox.delegates(name);
  const timer = delegates ? undefined : setTimeout(() => limit.abort(), toolTimeout);
  // Updates contain all parameters and only the latest one matters, so their rate is limited.
  const progress = new Paced((message) => transcript.stream("tool", { ...card, message }), POST_INTERVAL);
  let isInFlight = true;
  const postMessage = (message: string | object) => {
    const frame = typeof message === "string" ? undefined : toPosted(message);
    if (!isInFlight) return;
    if (frame !== undefined) transcript.sendFrame(frame);
    else
      progress.post((typeof message === "string" ? message : (toJson(message) ?? "")).slice(0, MAX_POSTED));
  };
  try {
    const request = {
      name,
      params,
      user,
      postMessage,
      getCurrentTask: () => taskId,
      // Subtasks receive the interrupt themselves, and the call waits until they have ended.
      signal: delegates ? undefined : AbortSignal.any([signal, limit.signal]),
    };
    const run = await inSpan(call, surroundings, () => toolbox.service.execute(request));
    const isLate = limit.signal.aborted && !signal.aborted && run.error !== undefined;
    return isLate ? toFailure(new Error(`Tool '${name}' timed out after ${toolTimeout} ms.`)) : run;
  } finally {
    clearTimeout(timer);
    progress.stop();
    isInFlight = false;
  }
}

/** Runs a tool in a span of its own. Names that the model made up have no span, because metrics are grouped by name. */
async function inSpan(
  { name, id }: FoundCall,
  { span, toolbox }: CallSurroundings,
  task: () => Promise<ToolRun>,
): Promise<ToolRun> {
  const tool = toolbox.find(name);
  if (tool === undefined) return task();
  const toolSpan = span.startTool({ toolName: name, callId: id, description: tool.description });
  const run = await toolSpan.run(task);
  toolSpan.end({ error: run.error?.cause ?? run.error });
  return run;
}

const MAX_POSTED = 100_000;
const POST_INTERVAL = 50;

function toCard(
  { name, params }: FoundCall,
  updateTime: number,
): JsonObject & { readonly updateTime: number } {
  return { toolName: name, params, updateTime };
}

function toFailure(error: Error): ToolRun {
  return { message: error.message, params: {}, toolResult: undefined, error };
}

function toStatus(run: ToolRun, signal: AbortSignal): string {
  if (run.error === undefined) return "done";
  return signal.aborted ? "interrupted" : "failed";
}

function toResult({ name, id }: Pick<FoundCall, "name" | "id">, content: string): ModelMessage {
  return { role: "tool", toolName: name, content, callId: id };
}
