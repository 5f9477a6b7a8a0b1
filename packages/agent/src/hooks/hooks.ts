/**
 * @fileoverview Hooks that an application can run before and after model calls and tool calls, to log, change, or block
 * them.
 * @module agent/hooks/hooks
 */
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { FinishReason, ModelConversation, ModelUsage } from "../models/model-port.js";
import type { AgentUser } from "../users/user.js";

/** Fields that all hooks receive. */
export interface HookContext {
  readonly taskId: string;
  /** User whose message caused the run. `undefined` if the server does not identify users. */
  readonly user: AgentUser | undefined;
  /** Aborts when the run is interrupted. */
  readonly signal: AbortSignal;
}

/** Model call that is about to start. */
export interface ModelCallInfo extends HookContext {
  /** `summarize` if the call creates the summary of a conversation that is too long. */
  readonly purpose: "respond" | "summarize";
  readonly conversation: ModelConversation;
}

/** Response of the model. */
export interface ModelResponseInfo extends ModelCallInfo {
  readonly text: string;
  /** Names of the tools that the response calls. */
  readonly toolNames: readonly string[];
  readonly usage: ModelUsage | undefined;
  readonly finishReason: FinishReason | undefined;
}

/** Tool call that is about to start. */
export interface ToolCallInfo extends HookContext {
  readonly toolName: string;
  /** Validated parameters. */
  readonly params: JsonObject;
}

/** Result of a tool call. */
export interface ToolResultInfo extends ToolCallInfo {
  /** Text for the model. */
  readonly message: string;
  /** Data for clients and the model. `undefined` if the call failed. */
  readonly toolResult: unknown;
  readonly isError: boolean;
}

/** Blocks a call. The reason is shown: to users if a model call is blocked, and to the model if a tool call is blocked. */
export interface Block {
  readonly block: string;
}

/**
 * Hooks of an agent. A hook that returns nothing changes nothing. If a hook throws, the call fails: a hook that must
 * never stop a run has to catch its own errors.
 */
export interface AgentHooks {
  /** Runs before each request to the model. Can change the conversation or end the run. */
  beforeModel?(
    this: void,
    call: ModelCallInfo,
  ): MaybePromise<Block | { readonly conversation: ModelConversation } | void>;
  /** Runs after each response, before its tool calls. Can end the run. */
  afterModel?(this: void, response: ModelResponseInfo): MaybePromise<Block | void>;
  /** Runs before a tool call, and before a user is asked for approval. Can change the parameters or reject the call. */
  beforeTool?(this: void, call: ToolCallInfo): MaybePromise<Block | { readonly params: JsonObject } | void>;
  /** Runs after a tool call. Can change its result before clients and the model see it. */
  afterTool?(
    this: void,
    result: ToolResultInfo,
  ): MaybePromise<{ readonly message: string; readonly toolResult: unknown } | void>;
}

/** Thrown to end a run because a hook blocked a model call. */
export class BlockedError extends Error {
  override readonly name = "BlockedError";
}
