/**
 * @fileoverview Conversation options and their defaults.
 * @module agent/conversation/options
 */
import {
  defineOptions,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { custom, integer, object, text } from "@tenon/internal/options/option-rows";
import type { Logger } from "tenon";
import { MAX_TIMER } from "../shared/max-timer.js";
import { TASK_LIMITS } from "../storage/store-options.js";
import { type AgentTelemetry, NO_TELEMETRY } from "../telemetry/agent-telemetry.js";
import { APPROVAL_OPTION } from "../tools/approval-policy.js";

/** Limits on tokens of the conversation and the response together. A limit stops a run before the next model call. */
export const TOKEN_BUDGETS = /* @__PURE__ */ defineOptions("budgets", {
  /** Tokens of one run and its subtasks: from a user's message until it is the user's turn again. */
  run: integer(),
  /** Tokens of one task, over all its runs. Each subtask is a task of its own. */
  task: integer(),
  /** Tokens of one user per day (UTC), over all tasks. Without users, the limit applies to the whole server. */
  userPerDay: integer({ aliases: ["user", "day", "perDay"] }),
});

/** Limits on tokens of the conversation and the response together. A limit stops a run before the next model call. */
export interface TokenBudgets extends OptionsOf<typeof TOKEN_BUDGETS> {}

/** Options for conversations with the model. */
export const CONVERSATION_OPTIONS = /* @__PURE__ */ defineOptions("conversation options", {
  /** Beginning of the system prompt: the model's role, purpose, and tone. @default a short generic introduction */
  instructions: text({
    default: "",
    pattern: /^[\s\S]*$/,
    expected: "a string",
    aliases: ["system", "systemPrompt", "prompt"],
  }),
  /**
   * Maximum number of model responses per user message. When the limit is reached, the run stops. `resume` continues it
   * with a new limit.
   * @default 25
   */
  maxSteps: integer({ default: 25, max: MAX_TIMER, aliases: ["maxTurns", "maxIterations"] }),
  /**
   * Timeout for a tool call, in milliseconds.
   * @default 300000
   */
  toolTimeout: integer({ default: 300_000, max: MAX_TIMER }),
  /**
   * Maximum length of the conversation that is sent to the model, in characters. Before a conversation reaches the limit,
   * the model summarizes its start. If that fails, the oldest messages are omitted.
   * @default 400000
   */
  maxContext: integer({ default: 400_000, max: MAX_TIMER }),
  /**
   * Maximum length of a tool's result that the model receives at once, in characters. A longer result is stored, and the
   * model reads it in pages.
   * @default 50000
   */
  maxResult: integer({ default: 50_000, min: 1_000, max: MAX_TIMER }),
  /**
   * Rule for tool calls: run them at once, ask the user, or reject them. Applies to tools without a rule of their own.
   * @default tools of MCP servers ask unless the server is trusted and marks them as read-only, and all other tools run at
   * once
   */
  approval: APPROVAL_OPTION,
  /** Receives warnings and errors of runs. @default the logger of `start`, if any */
  logger: custom<Logger>(),
  /** Name of the agent in telemetry. @default none */
  name: text(),
  /** Receives spans and metrics, as created by `loadAgentTelemetry`. @default none */
  telemetry: custom<AgentTelemetry>({ default: NO_TELEMETRY }),
  /** Limits on tokens. A limit stops a run before the next model call. @default no limits */
  budgets: object(TOKEN_BUDGETS),
  /**
   * Time that a task continues to run after its last client disconnects, in milliseconds. Allows for a page reload.
   * @default 30000
   */
  grace: integer({ default: 30_000, min: 0, max: MAX_TIMER }),
  /**
   * Maximum number of tasks that run at the same time. At the limit, messages that would start a run are rejected.
   * @default 100
   */
  maxRunning: integer({ default: 100, max: MAX_TIMER }),
  /**
   * Maximum number of tasks of one user that run at the same time. Applies to servers that identify users.
   * @default 20
   */
  maxRunningPerUser: integer({ default: 20, max: MAX_TIMER }),
  ...TASK_LIMITS,
});

/** Options for conversations with the model. */
export interface ConversationOptions extends OptionsOf<typeof CONVERSATION_OPTIONS> {}

/** Options with all defaults applied. */
export type ConversationSettings = ParsedOptions<typeof CONVERSATION_OPTIONS>;

/** Validates the options and applies the defaults. @throws {TypeError} if an option is invalid */
export function resolveConversationOptions(options: ConversationOptions = {}): ConversationSettings {
  return Object.freeze(parseOptions(CONVERSATION_OPTIONS, options));
}
