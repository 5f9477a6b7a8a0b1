/**
 * @fileoverview Runs a task in the same process, without a socket.
 * @module agent/in-process/run-agent
 */
import { randomUUID } from "node:crypto";
import { isJsonObject, readJson } from "@tenon/internal/json";
import { assertOptions } from "@tenon/internal/options/define-options";
import type { StandardSchema } from "tenon";
import type { AgentCore } from "../conversation/agent-core.js";
import { decideApproval, userOfRun } from "../conversation/tasks/decide-approval.js";
import { notFound, RejectedError } from "../conversation/tasks/rejected-error.js";
import type { Ending } from "../conversation/tasks/run-task.js";
import type { Task } from "../conversation/tasks/task.js";
import { addUsage } from "../conversation/context/task-facts.js";
import type { UserInput } from "../conversation/user-input.js";
import { ModelError, type ModelUsage } from "../models/model-port.js";
import type { AgentUser } from "../users/user.js";
import { type ExpectedResponse, toExpectedResponse } from "./expected-response.js";
import {
  type AgentEvent,
  type AgentInput,
  type AgentRunOptions,
  type AgentRunResult,
  type Decision,
  type PendingApproval,
  RUN_OPTIONS,
} from "./run-options.js";
import { decodeUtf8 } from "@tenon/internal/utf8";
import type { Client } from "../conversation/context/watchers.js";

/**
 * Runs a task until it is the user's turn. `input` is `undefined` to resume a task.
 *
 * @throws if the task is already running, the user has no access to it, or too many tasks are running
 * @throws {ModelError} if the response does not match the schema, even after a correction
 */
export async function runAgent<Schema extends StandardSchema | undefined>(
  core: AgentCore,
  input: AgentInput | undefined,
  options: AgentRunOptions<Schema>,
): Promise<AgentRunResult<Schema>> {
  assertOptions(RUN_OPTIONS, options);
  const { user, onEvent } = options;
  const taskId = options.taskId ?? randomUUID();
  const expected =
    options.schema === undefined ? undefined : toExpectedResponse(options.schema, core.isNative);
  const client = new EventClient(user, (event) => {
    onEvent?.(event);
    const call = toSubtaskApproval(event);
    // Subtasks wait for a decision while the run goes on.
    if (call !== undefined) void decideByCallback(run, call).catch(() => undefined);
  });
  const run: InProcessRun = { core, taskId, client, options, expected };
  core.watchers.add(client);
  try {
    let given = input === undefined ? undefined : toInput(input, expected);
    for (let corrections = 0; ; corrections++) {
      const reason = await runWithApprovals(run, given);
      const checked = await checkResponse(expected, { reason, text: client.text });
      if (checked.problem === undefined || corrections === MAX_CORRECTIONS) {
        if (checked.problem !== undefined) throw new ModelError(checked.problem);
        return toResult<Schema>(run, { reason, value: checked.value });
      }
      given = { message: `${checked.problem} Respond again, only with the corrected JSON.` };
    }
  } finally {
    core.watchers.remove(client);
  }
}

/** Stores the decision about a call. The run does not continue until it is resumed. */
export async function decideInProcess(
  core: AgentCore,
  call: { readonly taskId: string; readonly approvalId: string },
  { decision, reason, user }: Decision & { readonly user?: AgentUser | undefined },
): Promise<void> {
  const { taskId, approvalId } = call;
  await core.locks.run([taskId], async () => {
    const task = await core.findToWrite(taskId, user);
    if (task === undefined) throw notFound(taskId);
    await decideApproval({ approvalId, decision, reason }, task.transcript, user);
  });
}

const MAX_CORRECTIONS = 1;

const GOOD_ENDINGS: ReadonlySet<Ending> = /* @__PURE__ */ new Set<Ending>([
  "answered",
  "completed",
  "question",
  "approval",
  "interrupted",
]);

/** Run in this process, with everything that its steps share. */
interface InProcessRun {
  readonly core: AgentCore;
  readonly taskId: string;
  readonly client: EventClient;
  readonly options: AgentRunOptions<StandardSchema | undefined>;
  readonly expected: ExpectedResponse | undefined;
}

/** Runs a task. Calls that require approval are decided by the callback, if there is one. */
async function runWithApprovals(run: InProcessRun, input: UserInput | undefined): Promise<Ending> {
  const { core, taskId, options } = run;
  let reason = await runOnce(run, input);
  if (options.onApproval === undefined) return reason;
  // Each round is a run with steps of its own, so the number of rounds is limited too.
  for (let round = 0; reason === "approval" && round < core.maxSteps; round++) {
    for (const call of openApprovals(run)) await decideByCallback(run, call);
    // A client may have decided first, so that the task runs already.
    reason = (await core.tasks.peek(taskId)?.ended) ?? (await runOnce(run, undefined));
  }
  return reason;
}

/** Passes a call to the callback, and stores its decision. Without a callback, the call is denied. */
async function decideByCallback({ core, options }: InProcessRun, call: PendingApproval): Promise<void> {
  const { onApproval, user } = options;
  const decision = onApproval === undefined ? NOBODY : await onApproval(call);
  try {
    await decideInProcess(core, call, { ...decision, user });
  } catch (error) {
    // A client decided first, or the run ended meanwhile.
    if (!(error instanceof RejectedError)) throw error;
  }
}

const NOBODY: Decision = { decision: "deny", reason: "No user is there to approve calls of subtasks." };

async function runOnce(run: InProcessRun, input: UserInput | undefined): Promise<Ending> {
  const { core, taskId, client, expected } = run;
  const { signal, user: caller } = run.options;
  const { task, ended } = await core.locks.run([taskId], async () => {
    const known = await core.findToWrite(taskId, caller);
    const isResumed = known !== undefined && input === undefined;
    const user = isResumed ? userOfRun(known.transcript, caller) : caller;
    return core.runner.begin({ task: known, user }, async () => {
      const prepared = await core.prepare(known, { taskId, input, user });
      core.watchers.watch(taskId, client);
      const options = { user, responseSchema: expected?.jsonSchema, isUnattended: true };
      return { task: prepared, ended: core.startRun(prepared, options) };
    });
  });
  return interruptible(task, ended, signal);
}

async function interruptible(
  task: Task,
  ended: Promise<Ending>,
  signal: AbortSignal | undefined,
): Promise<Ending> {
  const interrupt = () => void task.interrupt();
  if (signal?.aborted === true) interrupt();
  signal?.addEventListener("abort", interrupt, { once: true });
  try {
    return await ended;
  } finally {
    signal?.removeEventListener("abort", interrupt);
  }
}

async function checkResponse(
  expected: ExpectedResponse | undefined,
  { reason, text }: { readonly reason: Ending; readonly text: string },
): Promise<{ readonly value?: unknown; readonly problem?: string }> {
  if (expected === undefined || (reason !== "answered" && reason !== "completed")) return {};
  return expected.check(text);
}

function toInput(input: AgentInput, expected: ExpectedResponse | undefined): UserInput {
  const given = typeof input === "string" ? { message: input } : input;
  if (expected?.instruction === undefined) return given;
  return { ...given, message: `${given.message}\n\n${expected.instruction}` };
}

/** Returns the call of a subtask that waits for approval, if the event is about one. */
function toSubtaskApproval({ type, data }: AgentEvent): PendingApproval | undefined {
  if (type !== "approval" || !isJsonObject(data) || data["status"] !== "waiting") return undefined;
  const { subtaskId, approvalId, toolName, params } = data;
  if (typeof subtaskId !== "string") return undefined;
  return { taskId: subtaskId, approvalId: String(approvalId), toolName: String(toolName), params };
}

function openApprovals({ core, taskId }: InProcessRun): readonly PendingApproval[] {
  const open = core.tasks.peek(taskId)?.transcript.facts.openApprovals ?? [];
  return open.map(({ approvalId, toolName, params }) => ({ taskId, approvalId, toolName, params }));
}

function toResult<Schema extends StandardSchema | undefined>(
  run: InProcessRun,
  { reason, value }: { readonly reason: Ending; readonly value: unknown },
): AgentRunResult<Schema> {
  const { taskId, client } = run;
  const usage: ModelUsage = client.usages.reduce<ModelUsage>(addUsage, {});
  return {
    taskId,
    reason,
    text: client.text,
    // Safe: the value was validated with the schema.
    value: value as AgentRunResult<Schema>["value"],
    usage,
    approvals: reason === "approval" ? openApprovals(run) : [],
    problem: GOOD_ENDINGS.has(reason) ? undefined : client.problem,
  };
}

/** Client in the same process. */
class EventClient implements Client {
  readonly user: AgentUser | undefined;
  /** Tokens of each response. */
  readonly usages: ModelUsage[] = [];
  /** Last complete text, result, or question. */
  text = "";
  /** Last error or warning. It explains the end of a run that did not end well. */
  problem: string | undefined;
  readonly #onEvent: (event: AgentEvent) => void;

  constructor(user: AgentUser | undefined, onEvent: (event: AgentEvent) => void) {
    this.user = user;
    this.#onEvent = onEvent;
  }

  /** Receives a message. Each event is a separate copy, which the application may keep. */
  sendBytes(bytes: Uint8Array): boolean {
    const event = readJson(decodeUtf8(bytes) ?? "") as AgentEvent; // Safe: the server encoded the message
    this.#note(event);
    try {
      this.#onEvent(event);
    } catch {
      // An exception in the application's callback must not end the run.
    }
    return true;
  }

  #note({ type, data }: AgentEvent): void {
    if (!isJsonObject(data) || data["partial"] === true || data["status"] === "discarded") return;
    const text = TEXT_FIELDS.get(type);
    if (text !== undefined && typeof data[text] === "string") this.text = data[text];
    if (type === "usage" && isJsonObject(data["response"])) this.usages.push(data["response"]);
    if ((type === "error" || type === "alert") && typeof data["message"] === "string")
      this.problem = data["message"];
  }
}

const TEXT_FIELDS: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["message", "message"],
  ["completionResult", "message"],
  ["askFollowupQuestion", "question"],
]);
