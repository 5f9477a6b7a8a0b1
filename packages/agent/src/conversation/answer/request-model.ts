/**
 * @fileoverview Requests a response from the model, and runs the application's hooks before and after it.
 * @module agent/conversation/answer/request-model
 */
import {
  type AgentHooks,
  BlockedError,
  type ModelCallInfo,
  type ModelResponseInfo,
} from "../../hooks/hooks.js";
import type { ModelConversation, ModelPort } from "../../models/model-port.js";
import type { RunSpan } from "../../telemetry/agent-telemetry.js";
import type { AgentUser } from "../../users/user.js";
import { itemsUntilAborted, untilAborted } from "../../shared/until-aborted.js";

/** Model with the hooks that run around its calls. */
export interface ModelParts {
  readonly model: ModelPort;
  readonly hooks: AgentHooks;
  readonly user: AgentUser | undefined;
  /** Span of the run. */
  readonly span: RunSpan;
}

/** Request to the model. */
export interface ModelRequest {
  readonly purpose: ModelCallInfo["purpose"];
  readonly conversation: ModelConversation;
  /** Number of the response in the run, starting at 1. */
  readonly step: number;
  readonly signal: AbortSignal;
}

/**
 * Starts a request. Returns the pieces of the response, and functions that report its end. One of them must be called.
 *
 * @throws {BlockedError} if a hook blocks it
 */
export async function requestModel(
  { model, hooks, user, span }: ModelParts,
  { purpose, conversation, step, signal }: ModelRequest,
) {
  const info = { taskId: conversation.taskId, user, signal, purpose, conversation };
  const runBefore = async () => hooks.beforeModel?.(info);
  const before = await untilAborted(runBefore(), signal);
  if (before !== undefined && "block" in before) throw new BlockedError(before.block);
  const changed = before?.conversation ?? conversation;
  const request = span.startModel({ step });
  return {
    pieces: itemsUntilAborted(
      request.stream(() => model(changed, signal)),
      signal,
    ),
    /** Reports that the response failed. */
    fail: (error: unknown) => request.end({ error }),
    /** Runs the `afterModel` hook. @throws {BlockedError} if the hook ends the run */
    report: async (response: Omit<ModelResponseInfo, keyof ModelCallInfo>): Promise<void> => {
      request.end({ usage: response.usage, finishReason: response.finishReason });
      const runAfter = async () => hooks.afterModel?.({ ...info, conversation: changed, ...response });
      const after = await untilAborted(runAfter(), signal);
      if (after !== undefined) throw new BlockedError(after.block);
    },
  };
}
