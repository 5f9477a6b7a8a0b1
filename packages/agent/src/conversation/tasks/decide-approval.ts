/**
 * @fileoverview Stores a user's decision about a call that waits for approval, and cancels approvals that are no longer
 * needed.
 * @module agent/conversation/tasks/decide-approval
 */
import type { UserMessage } from "../../messages/built-in-messages.js";
import type { AgentUser } from "../../users/user.js";
import { cancelApproval, toApprovalMessage, toApprovalState } from "../calls/prepare-call.js";
import type { Transcript } from "../context/transcript.js";
import { RejectedError } from "./rejected-error.js";

/** Decision of a user. */
export type ApprovalDecision = Extract<UserMessage, { readonly type: "answerApproval" }>["data"];

/**
 * Stores a decision and sends it to the clients that watch the task. The first decision counts.
 *
 * @throws {RejectedError} if the call does not exist, or a decision was already made
 */
export async function decideApproval(
  { approvalId, decision, reason }: Omit<ApprovalDecision, "taskId">,
  transcript: Transcript,
  user: AgentUser | undefined,
): Promise<void> {
  const { facts, taskId } = transcript;
  const asked = facts.approvals.find((approval) => approval.approvalId === approvalId);
  if (asked === undefined) throw new RejectedError("The call does not wait for approval.");
  if (facts.decisionOn(approvalId) !== undefined)
    throw new RejectedError("The call has already been decided.");
  const approvalGiven = { approvalId, decision, reason, userId: user?.id };
  const message = toApprovalMessage(asked, taskId, toApprovalState(approvalGiven));
  await transcript.keepAndSend(message, { approvalGiven });
}

/**
 * Returns the user for the run that follows decisions: the one whose run made the calls. A decision approves calls and
 * lends the run nothing: no identity, no credentials, and no budget. Without decisions, `user` starts a run of their own.
 * `approvalId` is the approval that is about to be decided.
 */
export function userOfRun(
  { facts, openCalls, owner }: Transcript,
  user: AgentUser | undefined,
  approvalId?: string,
): AgentUser | undefined {
  const asked = facts.approvals.find(
    ({ approvalId: id }) => id === approvalId || facts.decisionOn(id) !== undefined,
  );
  if (asked === undefined || openCalls.every(({ hasBegun }) => hasBegun)) return user;
  // Logs of earlier versions do not contain the user of the run.
  const id = asked.userId ?? (user && owner);
  if (id === user?.id) return user;
  return id === undefined ? undefined : { id };
}

/** Cancels all approvals that are still open, because the user sent another message or interrupted the task. */
export async function cancelApprovals(transcript: Transcript): Promise<void> {
  for (const asked of transcript.facts.openApprovals) await cancelApproval(asked, transcript);
}
