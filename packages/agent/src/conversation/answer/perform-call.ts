/**
 * @fileoverview Runs one tool call. The call is stored before it starts and when it ends, and shown to clients while it
 * runs.
 * @module agent/conversation/perform-call
 */
import { exceedsDepth } from "@tenon/internal/json";
import type { Logger } from "tenon";
import { safeReport } from "@tenon/internal/security/safe-text";
import type { Frame } from "../../messages/frames.js";
import type { ModelMessage } from "../../models/model-port.js";
import type { ToolRun } from "../../tool-service.js";
import type { FoundCall } from "./answer-reader.js";
import { Paced } from "./paced.js";
import type { Toolbox } from "./toolbox.js";
import { type Transcript, toShown } from "../context/transcript.js";
import type { ShownCall } from "./model-response.js";

/** Context for tool calls. */
export interface CallSurroundings {
  readonly transcript: Transcript;
  readonly toolbox: Toolbox;
  /** Timeout for a tool call, in milliseconds. */
  readonly toolTimeout: number;
  readonly logger: Logger | undefined;
  /** Validates a message that a tool posts. Returns `undefined` unless it is a valid `alert` or registered message. */
  readonly toPosted: (message: object) => Frame | undefined;
}

/** Reason a call ends the run. */
export type CallEnding = "completed" | "question";

/** Runs a call. If the call ends the run, returns the reason. */
export async function performCall(
  shown: ShownCall,
  surroundings: CallSurroundings,
  signal: AbortSignal,
): Promise<CallEnding | undefined> {
  const { transcript, toolbox } = surroundings;
  const { name, params } = shown.call;
  const written = toolbox.displayModeOf(name);
  // The tool service validates the parameters of tools that run. Only built-in tools are checked here.
  const error = shown.call.error ?? (written === "card" ? undefined : toolbox.findError(name, params));
  const call = error === undefined ? shown.call : { ...shown.call, error };
  const display = error === undefined ? written : "card";
  // An invalid call is shown as a card, so text that was already streamed is discarded.
  if (display !== written) transcript.discard(shown.time);
  const time = display === written ? shown.time : transcript.nextTime();
  if (display === "text") return complete(transcript, call, time);
  if (display === "hidden") return ask(transcript, call, time);
  const card = { taskId: transcript.taskId, toolName: call.name, params: call.params, updateTime: time };
  const run = call.error === undefined ? await execute(shown, surroundings, signal) : toFailure(call.error);
  if (run.error !== undefined && run.error !== call.error) {
    surroundings.logger?.warn(`agent: task ${transcript.taskId}: ${safeReport(run.error)}`);
  }
  const status = toStatus(run, signal);
  const { result, text } = describeResult(run);
  const message = cut(run.message);
  const failure = run.error === undefined ? {} : { error: message };
  const outcome = result === undefined ? {} : { toolResult: result };
  await transcript.keepAndSend(
    { type: "tool", data: { ...card, message, ...outcome, ...failure, status } },
    { model: toResult(call, text), status: "streaming" },
  );
  return undefined;
}

const SKIPPED =
  "This call was not run, because an earlier call ended the response or the task was interrupted.";

/** Records that a call was skipped. Every call in the model's conversation requires a result. */
export async function skipCall(transcript: Transcript, { call, time }: ShownCall): Promise<void> {
  transcript.discard(time);
  await transcript.keep({ model: toResult(call, SKIPPED) });
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
  await transcript.keepAndSend(
    { type: "askFollowupQuestion", data },
    {
      model: toResult(call, "The question was shown to the user. The next message is the answer."),
      status: "idle",
    },
  );
  return "question";
}

async function execute(
  { call, time }: ShownCall,
  { transcript, toolbox, toolTimeout, toPosted }: CallSurroundings,
  signal: AbortSignal,
): Promise<ToolRun> {
  const { taskId } = transcript;
  const { name, params } = call;
  const card = { toolName: name, message: "", params, status: "running", updateTime: time };
  // Tools may have side effects, so the call is stored before the tool starts.
  await transcript.keep({
    shown: toShown({ type: "tool", data: { ...card, taskId, partial: true } }),
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
    const run = await toolbox.service.execute({
      name,
      params,
      getCurrentTask: () => taskId,
      // Subtasks receive the interrupt themselves, and the call waits until they have ended.
      signal: delegates ? undefined : AbortSignal.any([signal, limit.signal]),
      postMessage,
    });
    const isLate = limit.signal.aborted && !signal.aborted && run.error !== undefined;
    return isLate ? toFailure(new Error(`Tool '${name}' timed out after ${toolTimeout} ms.`)) : run;
  } finally {
    clearTimeout(timer);
    progress.stop();
    isInFlight = false;
  }
}

const MAX_POSTED = 100_000;
const POST_INTERVAL = 50;
const MAX_TOLD = 100_000;
const MAX_SHOWN = 262_144;
const MAX_DEPTH = 32;

function toFailure(error: Error): ToolRun {
  return { message: error.message, params: {}, toolResult: undefined, error };
}

function toStatus(run: ToolRun, signal: AbortSignal): string {
  if (run.error === undefined) return "done";
  return signal.aborted ? "interrupted" : "failed";
}

function toResult({ name, id }: FoundCall, content: string): ModelMessage {
  return { role: "tool", toolName: name, content, ...(id === undefined ? {} : { callId: id }) };
}

/** Converts a result to a value for clients and a text for the model. */
function describeResult({ message, toolResult }: ToolRun): {
  readonly result: unknown;
  readonly text: string;
} {
  const json = toJson(toolResult);
  const isMore = json !== undefined && toolResult !== null && toolResult !== message;
  const more = typeof toolResult === "string" ? toolResult : json;
  const text = isMore ? `${message}\n${more}` : message;
  const told = cut(text);
  const isTooLarge = json !== undefined && (json.length > MAX_SHOWN || exceedsDepth(json, MAX_DEPTH));
  if (isTooLarge) return { result: `[result omitted: ${json.length} characters]`, text: told };
  // Copies the result, because the tool may modify the original later.
  return { result: json === undefined ? undefined : (JSON.parse(json) as unknown), text: told };
}

function cut(text: string): string {
  return text.length > MAX_TOLD
    ? `${text.slice(0, MAX_TOLD)}\n[${text.length - MAX_TOLD} characters omitted]`
    : text;
}

/** Serializes a value. Returns `undefined` if the value cannot be represented in JSON. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
