/**
 * @fileoverview Options and results of runs in the same process.
 * @module agent/in-process/run-options
 */
import { defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom, text } from "@tenon/internal/options/option-rows";
import type { OutputOf, StandardSchema } from "tenon";
import type { Ending } from "../conversation/tasks/run-task.js";
import type { UserInput } from "../conversation/user-input.js";
import type { ServerMessage } from "../messages/built-in-messages.js";
import type { ModelUsage } from "../models/model-port.js";
import type { AgentUser } from "../users/user.js";

/** Input for a run: a text, or a text with files. */
export type AgentInput = string | Pick<UserInput, "message" | "files">;

/** Message about a run: a built-in message, or a registered message that a tool posted. */
export type AgentEvent = ServerMessage | { readonly type: string; readonly data: unknown };

/** Call that waits for approval. */
export interface PendingApproval {
  /** Task of the call. It can be a subtask. */
  readonly taskId: string;
  readonly approvalId: string;
  readonly toolName: string;
  readonly params: unknown;
}

/** Decision about a call. */
export interface Decision {
  /** `always` also approves later calls to the same tool in this task. */
  readonly decision: "approve" | "deny" | "always";
  /** Reason for a denial, for the model. */
  readonly reason?: string | undefined;
}

/** Options for a run in the same process. */
export const RUN_OPTIONS = /* @__PURE__ */ defineOptions("AgentServer.run", {
  /** Task to continue, or ID for a new task. @default a new task */
  taskId: text({ aliases: ["id", "task"] }),
  /** User who owns the task. @default none: the task is visible to nobody if the server has users */
  user: custom<AgentUser>(),
  /** Interrupts the run. */
  signal: custom<AbortSignal>({
    expected: "an AbortSignal",
    accepts: (value) => value instanceof AbortSignal,
    aliases: ["abortSignal"],
  }),
  /** Called for every message about the run. Exceptions are ignored. */
  onEvent: callback<(event: AgentEvent) => void>({ aliases: ["onMessage"] }),
  /**
   * Decides about calls that require approval. Without it, the run ends with the reason `approval`, and calls of subtasks
   * are denied.
   */
  onApproval: callback<(call: PendingApproval) => Decision | Promise<Decision>>(),
  /** Zod schema of the answer. The result then has a checked `value`. */
  schema: custom<unknown>({ aliases: ["outputSchema", "output"] }),
});

/** Options for a run in the same process. */
export interface AgentRunOptions<Schema extends StandardSchema | undefined = undefined> extends OptionsOf<
  typeof RUN_OPTIONS
> {
  /** Schema for the final response, such as a Zod schema. The response is then JSON, and `value` contains it. */
  readonly schema?: Schema;
}

/** Result of a run in the same process. */
export interface AgentRunResult<Schema extends StandardSchema | undefined = undefined> {
  readonly taskId: string;
  /** Reason the run ended. */
  readonly reason: Ending;
  /** Final response: the result of the task, the model's last text, or its question. */
  readonly text: string;
  /** Response that matches the schema. `undefined` without a schema, or if the model did not respond. */
  readonly value: Schema extends StandardSchema ? OutputOf<Schema> | undefined : undefined;
  /** Tokens that the run used. */
  readonly usage: ModelUsage;
  /** Calls that wait for approval, if the reason is `approval`. */
  readonly approvals: readonly PendingApproval[];
  /** Explanation, if the run failed or a limit stopped it. */
  readonly problem: string | undefined;
}
