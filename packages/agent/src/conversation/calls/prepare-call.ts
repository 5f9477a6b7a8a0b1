/**
 * @fileoverview Decides what happens to a tool call before it starts: hooks can change or block it, and a user may have
 * to approve it.
 * @module agent/conversation/calls/prepare-call
 */
import { randomUUID } from "node:crypto";
import type { JsonObject } from "@tenon/internal/json";
import { safeReport } from "@tenon/internal/security/safe-text";
import type { Logger } from "tenon";
import type { AgentHooks } from "../../hooks/hooks.js";
import type { ServerMessage } from "../../messages/built-in-messages.js";
import type { ApprovalAsked, ApprovalGiven } from "../../storage/task-entry.js";
import {
  type ApprovalPolicy,
  type ApprovalRule,
  defaultRule,
  evaluatePolicy,
} from "../../tools/approval-policy.js";
import { untilAborted } from "../../shared/until-aborted.js";
import type { AgentUser } from "../../users/user.js";
import type { FoundCall } from "../answer/answer-reader.js";
import type { ShownCall } from "../answer/model-response.js";
import type { Toolbox } from "../answer/toolbox.js";
import type { Transcript } from "../context/transcript.js";

/** Dependencies for `prepareCall`. */
export interface PrepareParts {
  readonly transcript: Transcript;
  readonly toolbox: Toolbox;
  readonly hooks: AgentHooks;
  /** Policy for tools without one of their own. */
  readonly approval: ApprovalPolicy | undefined;
  readonly user: AgentUser | undefined;
  readonly logger: Logger | undefined;
  /** Task that also shows the approvals of this one. Set for subtasks, which wait for decisions while they run. */
  readonly parent?: Transcript | undefined;
}

/** Call that was prepared: it can run, is rejected, or waits for a decision. */
export type PreparedCall =
  | { readonly type: "run"; readonly shown: ShownCall }
  | { readonly type: "invalid"; readonly shown: ShownCall; readonly error: Error }
  | { readonly type: "denied"; readonly shown: ShownCall; readonly reason: string }
  | { readonly type: "waiting" };

/** Prepares a call: validates it, runs the `beforeTool` hook, and asks for approval if the policy requires it. */
export async function prepareCall(
  shown: ShownCall,
  parts: PrepareParts,
  signal: AbortSignal,
): Promise<PreparedCall> {
  const { transcript, toolbox } = parts;
  const { call } = shown;
  const error = call.error ?? toolbox.findError(call.name, call.params);
  if (error !== undefined) return { type: "invalid", shown, error };
  const tool = toolbox.find(call.name);
  // Built-in tools that address the user need no approval, and the tool service reports unknown tools.
  if (tool === undefined || toolbox.displayModeOf(call.name) !== "card") return { type: "run", shown };
  const asked = transcript.facts.approvals.find(
    ({ callId, toolName }) => callId === call.id && toolName === call.name,
  );
  if (asked !== undefined) return continueApproval(asked, { ...parts, shown }, signal);
  const changed = await runBeforeTool(call, parts, signal);
  if ("block" in changed) return { type: "denied", shown, reason: `Blocked: ${changed.block}` };
  const prepared = { call: { ...call, params: changed.params }, time: shown.time };
  const problem = changed.params === call.params ? undefined : toolbox.findError(call.name, changed.params);
  if (problem !== undefined) return { type: "invalid", shown: prepared, error: problem };
  const rule = await findRule(prepared.call, parts, signal);
  if (rule === "auto") return { type: "run", shown: prepared };
  if (rule === "deny") return { type: "denied", shown: prepared, reason: NOT_ALLOWED };
  signal.throwIfAborted();
  const open = await ask(prepared, parts);
  return continueApproval(open, { ...parts, shown: prepared }, signal);
}

const NOT_ALLOWED = "Calls to this tool are not allowed.";

async function runBeforeTool(
  { name, params }: FoundCall,
  { hooks, transcript, user, logger }: PrepareParts,
  signal: AbortSignal,
): Promise<{ readonly params: JsonObject } | { readonly block: string }> {
  const { taskId } = transcript;
  try {
    const run = async () => hooks.beforeTool?.({ taskId, user, signal, toolName: name, params });
    return (await untilAborted(run(), signal)) ?? { params };
  } catch (error) {
    signal.throwIfAborted();
    logger?.error(`agent: task ${taskId}: the hook \`beforeTool\` failed: ${safeReport(error)}`);
    return { block: "A hook failed." };
  }
}

/** Returns the rule for a call. A policy that fails rejects the call. */
async function findRule(call: FoundCall, parts: PrepareParts, signal: AbortSignal): Promise<ApprovalRule> {
  const { transcript, toolbox, user, logger } = parts;
  const tool = toolbox.find(call.name);
  const policy = tool?.approval ?? parts.approval ?? defaultRule(tool?.annotations);
  const { taskId } = transcript;
  const request = { taskId, toolName: call.name, params: call.params, annotations: tool?.annotations, user };
  try {
    const rule = await untilAborted(evaluatePolicy(policy, request), signal);
    const isApproved = transcript.facts.isAlwaysApproved(call.name, user?.id);
    return rule === "ask" && isApproved ? "auto" : rule;
  } catch (error) {
    signal.throwIfAborted();
    logger?.error(`agent: task ${taskId}: the approval policy failed: ${safeReport(error)}`);
    return "deny";
  }
}

/** Stores and shows the request for approval. The card of the call is removed until the call runs. */
async function ask(
  { call, time }: ShownCall,
  { transcript, user }: Pick<PrepareParts, "transcript" | "user">,
): Promise<ApprovalAsked> {
  transcript.discard(time);
  const asked = {
    approvalId: randomUUID(),
    toolName: call.name,
    callId: call.id,
    params: call.params,
    shownTime: transcript.nextTime(),
    userId: user?.id,
  };
  const message = toApprovalMessage(asked, transcript.taskId, { status: "waiting" });
  await transcript.keepAndSend(message, { approvalAsked: asked });
  return asked;
}

/** Applies the decision about a call. A subtask waits for it; any other task ends its run until then. */
async function continueApproval(
  asked: ApprovalAsked,
  parts: PrepareParts & { readonly shown: ShownCall },
  signal: AbortSignal,
): Promise<PreparedCall> {
  const { transcript, parent } = parts;
  const { time } = parts.shown;
  // The user decided about these parameters, even if a hook would change them now.
  const call = { ...parts.shown.call, params: asked.params ?? parts.shown.call.params };
  let given = transcript.facts.decisionOn(asked.approvalId);
  if (given === undefined && parent === undefined) {
    transcript.discard(time);
    return { type: "waiting" };
  }
  given ??= await waitInPlace(asked, { transcript, parent }, signal);
  if (given.decision !== "deny") return { type: "run", shown: { call, time } };
  const reason = given.reason?.trim() ? `The user denied this call: ${given.reason.trim()}` : DENIED;
  return { type: "denied", shown: { call, time }, reason };
}

const DENIED = "The user denied this call.";

/** Waits for a decision while the subtask runs. The parent task shows the approval too, because users watch that one. */
async function waitInPlace(
  asked: ApprovalAsked,
  { transcript, parent }: { readonly transcript: Transcript; readonly parent: Transcript | undefined },
  signal: AbortSignal,
): Promise<ApprovalGiven> {
  const updateTime = parent?.nextTime();
  const mirror = async (state: ApprovalState) => {
    if (parent === undefined) return;
    const message = toApprovalMessage({ ...asked, shownTime: updateTime }, parent.taskId, state);
    await parent.keepAndSend({ ...message, data: { ...message.data, subtaskId: transcript.taskId } });
  };
  await mirror({ status: "waiting" });
  try {
    const given = await transcript.whenDecided(asked.approvalId, signal);
    await mirror(toApprovalState(given));
    return given;
  } catch (error) {
    await cancelApproval(asked, transcript);
    await mirror({ status: "cancelled" });
    throw error;
  }
}

/** Stores and shows that a call is no longer waiting for a decision. */
export async function cancelApproval(asked: ApprovalAsked, transcript: Transcript): Promise<void> {
  const message = toApprovalMessage(asked, transcript.taskId, { status: "cancelled" });
  await transcript.keepAndSend(message, { approvalCancelled: { approvalId: asked.approvalId } });
}

type ApprovalMessage = Extract<ServerMessage, { readonly type: "approval" }>;
type ApprovalState = Pick<ApprovalMessage["data"], "status" | "always" | "reason" | "decidedBy">;

/** Converts a decision to the state that clients see. */
export function toApprovalState({ decision, reason, userId }: ApprovalGiven): ApprovalState {
  return {
    status: decision === "deny" ? "denied" : "approved",
    always: decision === "always" || undefined,
    reason,
    decidedBy: userId,
  };
}

/** Creates the message that shows an approval and its state. */
export function toApprovalMessage(
  asked: ApprovalAsked,
  taskId: string,
  state: ApprovalState,
): ApprovalMessage {
  const { approvalId, toolName, params, shownTime } = asked;
  const data = { taskId, approvalId, toolName, params, ...state, updateTime: shownTime };
  return { type: "approval", data };
}
